import HostLoop
import Lua

/// What `async.every` returns: calls a function again and again, one call after the other, as long as the call lasts that
/// has started it.
@HostActor
final class LuaTimer: LuaObject, Companion {
  /// The timers whose calls lead to what runs now.
  @TaskLocal private static var calling: [ObjectIdentifier] = []

  private let seconds: Double
  private let function: LuaFunction
  /// Where it was started, for the traceback of an error.
  private let start: String
  private weak var scope: CallScope?
  /// Told that nobody has closed it.
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
      // What was missed meanwhile is left out.
      due += seconds * max(1, ((HostLoop.uptime - due) / seconds).rounded(.up))
    }
  }

  /// No more calls. One that is under way is canceled, unless it is that one which closes.
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
    "timer", "Calls a function at intervals, until it is closed or the function ends that has started it.",
    methods: [
      HostFunction(
        "timer:close",
        "No more calls; one that is under way is canceled, unless it closes the timer itself. Raises the error that has "
          + "ended the timer, if nobody has got it yet.",
        [Parameter("self", .object("timer"))]
      ) { arguments in
        let timer: LuaTimer = try arguments.object(0)
        timer.close()
        if let failure = timer.scope?.takeFailure(of: timer) { throw failure }
        return []
      }
    ],
    close: { ($0 as? LuaTimer)?.close() },
    describe: { object in
      guard let timer = object as? LuaTimer, !timer.isClosed else { return "timer (closed)" }
      return "timer (every \(LuaNumber.text(timer.seconds)) s)"
    })
}
