package import HostLoop
import Synchronization

/// Runs something that may take only so long, be it that it waits or that it computes.
@HostActor
package enum TimeLimit {
  /// Throws the error of `body`, or `timeout`: `signal` is sent to the host's thread when the time is up.
  package static func run(
    seconds: Double, signal: Int32, _ body: @escaping @HostActor @Sendable () async throws -> Void
  ) async throws {
    let hasPassed = Locked(false)
    let child = HostActor.task(body)
    // Not on the host's thread, which a script may keep to itself.
    let alarm = Task<Void, any Error>.detached {
      try await HaltClock.sleep(seconds: seconds)
      hasPassed.withLock { $0 = true }
      child.cancel()
      LuaState.ask(.stop, bySignal: signal)
      var watch = StopWatch(signal: signal)
      try await Task.sleep(for: .seconds(StopWatch.patience))
      while true {
        watch.endIfStuck()
        try await Task.sleep(for: .seconds(StopWatch.pause))
      }
    }
    let result = await withTaskCancellationHandler(operation: { await child.result }, onCancel: { child.cancel() })
    alarm.cancel()
    // Once it has ended its signal has come, or never will: it must not reach the next test.
    _ = await alarm.result
    do { try result.get() } catch is CancellationError where hasPassed.withLock({ $0 }) {
      throw LuaError(
        code: "timeout", message: "not done after \(Int64(exactly: seconds).map(String.init) ?? "\(seconds)") s",
        hint: "--timeout SECONDS gives more time")
    }
  }
}

extension LuaFunction {
  /// Calls it like `call`, and stops it when it is not done in time: it throws `timeout` then, and other scripts go on.
  package func call(_ arguments: [LuaValue], seconds: Double) async throws -> [LuaValue] {
    // Scripts that no signal stops are those of tests.
    guard let signal = LuaState.stopSignal else { return try await call(arguments) }
    let answer = Locked<[LuaValue]>([])
    do {
      try await TimeLimit.run(seconds: seconds, signal: signal) {
        let values = try await self.call(arguments)
        answer.withLock { $0 = values }
      }
    } catch let error as LuaError where error.code == "timeout" && !Task.isCancelled {
      state.rearm()
      throw LuaError(code: error.code, message: error.message)
    }
    return answer.withLock { $0 }
  }
}

/// Looks, from another thread, whether scripts that were told to stop do. No call is spared: Lua's C code has a moment to come
/// back, a host function a little more, and all of it together a limit.
package struct StopWatch: Sendable {
  /// Seconds that a script has to stop, before anybody looks whether it does.
  package static let patience = 0.02
  /// Seconds between two looks.
  package static let pause = 0.005
  /// Seconds for a run that does one thing after the other: more than an import has for the answers that are due.
  private static let mostPatience = 30.0

  private let signal: Int32
  private let deadline = HostLoop.uptime + mostPatience
  private var stall = StallWatch(mostComputing: 0.5, mostWaiting: 4)

  /// - Parameter signal: what states obey, see `LuaState.obey`.
  package init(signal: Int32) { self.signal = signal }

  /// The place of a script that does not stop; nil while it may still stop. With an answer, the process is to be ended.
  package mutating func stuckPlace() -> ScriptPlace? {
    if let place = LuaState.stuckPlace(bySignal: signal) { return place }
    guard stall.hasStalled() || HostLoop.uptime > deadline else { return nil }
    return LuaState.finalPlace(bySignal: signal) ?? ScriptPlace(line: "", call: "")
  }

  private static let onStuck = Mutex<(@Sendable (ScriptPlace) -> Void)?>(nil)

  /// From now on `action` ends the process where a script does not stop.
  package static func whenStuck(_ action: @escaping @Sendable (ScriptPlace) -> Void) {
    onStuck.withLock { $0 = action }
  }

  mutating func endIfStuck() {
    if let place = stuckPlace(), let end = Self.onStuck.withLock({ $0 }) { end(place) }
  }
}
