package import HostLoop
import Synchronization

/// Runs something that may take only so long, be it that it waits or that it computes.
@HostActor
package enum TimeLimit {
  /// - Parameter signal: sent to the host's thread when the time is up.
  /// - Throws: what `body` throws; a `LuaError` with code `timeout` when the time was up.
  package static func run(
    seconds: Double, signal: Int32, _ body: @escaping @HostActor @Sendable () async throws -> Void
  ) async throws {
    let hasPassed = Flag()
    let child = HostActor.task(body)
    // Not on the host's thread, which a script may keep to itself.
    let alarm = Task<Void, any Error>.detached {
      try await Task.sleep(for: .seconds(seconds))
      hasPassed.raise()
      child.cancel()
      LuaState.ask(.stop, bySignal: signal)
      var watch = StopWatch(signal: signal)
      try await Task.sleep(for: .seconds(StopWatch.patience))
      while true {
        watch.endIfStuck()
        try await Task.sleep(for: .seconds(StopWatch.pause))
      }
    }
    let result = await withTaskCancellationHandler {
      await child.result
    } onCancel: {
      child.cancel()
    }
    alarm.cancel()
    // Once it has ended its signal has come, or never will: it must not reach the next test.
    _ = await alarm.result
    do { try result.get() } catch is CancellationError where hasPassed.isRaised {
      throw LuaError(
        code: "timeout", message: "not done after \(Int64(exactly: seconds).map(String.init) ?? "\(seconds)") s",
        hint: "--timeout SECONDS gives more time")
    }
  }
}

/// Once raised, stays so.
private final class Flag: Sendable {
  private let value = Atomic(false)
  var isRaised: Bool { value.load(ordering: .acquiring) }
  func raise() { value.store(true, ordering: .releasing) }
}
