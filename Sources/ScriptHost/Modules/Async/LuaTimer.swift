import HostLoop
import Lua
import LuaKit
import LuaTasks

/// The timer of `async.every`: calls a function again and again, one call after the other, until its starter ends.
final class LuaTimer: LuaObject, Companion {
  /// The timers whose calls led to the running code.
  @TaskLocal private static var calling: [ObjectIdentifier] = []

  private let seconds: Double
  private let function: LuaFunction
  /// The stack of the call that started it, for the traceback of an error.
  private let start: String
  private weak var scope: CallScope?
  /// Called if the script has not closed the timer.
  private let onLeft: @HostActor @Sendable () -> Void
  private var isClosed = false
  private var task: Task<Void, any Error>?

  init(
    every seconds: Double, _ function: LuaFunction, in scope: CallScope, startedBy start: String,
    onLeft: @escaping @HostActor @Sendable () -> Void
  ) {
    self.seconds = seconds
    self.function = function
    self.scope = scope
    self.start = start
    self.onLeft = onLeft
    scope.add(self)
    task = HostActor.task { await self.run() }
  }

  private func run() async {
    var failure: LuaError?
    do { try await callAgainAndAgain() } catch is CancellationError {} catch {
      var error = LuaError(error)
      error.traceback = LuaState.join(error.traceback, start)
      failure = error
    }
    isClosed = true
    scope?.remove(self, failure)
  }

  private func callAgainAndAgain() async throws {
    var due = HostLoop.uptime + seconds
    var count: Int64 = 0
    while !isClosed {
      try await HostLoop.shared.sleep(seconds: due - HostLoop.uptime)
      count += 1
      let calling = Self.calling + [ObjectIdentifier(self)]
      let arguments = [LuaValue.integer(count)]
      _ = try await Self.$calling.withValue(calling) { [function] in try await function.call(arguments) }
      // Missed calls are left out.
      due += seconds * max(1, ((HostLoop.uptime - due) / seconds).rounded(.up))
    }
  }

  /// Ends the calls. A running call is canceled, unless it closes the timer itself.
  private func close() {
    isClosed = true
    if !Self.calling.contains(ObjectIdentifier(self)) { task?.cancel() }
  }

  func stop(isLeft: Bool) {
    if isLeft, !isClosed { onLeft() }
    isClosed = true
    task?.cancel()
  }

  func ended() async { _ = await task?.result }

  static let luaType = HostType(
    "timer", "A timer of async.every.",
    methods: [
      method(
        "timer:close",
        "Stops the timer. A running call is canceled, unless this call closes the timer. If an error has ended "
          + "the timer, close raises the error, but only once."
      ) { timer, _ in
        timer.close()
        if let failure = timer.scope?.takeFailure(of: timer) { throw failure }
        return []
      }
    ], close: { ($0 as? LuaTimer)?.close() },
    describe: { object in
      guard let timer = object as? LuaTimer, !timer.isClosed else { return "timer (closed)" }
      return "timer (every \(LuaNumber.text(timer.seconds)) s)"
    })
}
