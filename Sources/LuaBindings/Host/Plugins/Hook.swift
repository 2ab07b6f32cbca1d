import Automation
import Core
import HostLoop
import Lua
import Trace
import UserAgents

/// A function of a plugin that is called when something happens. Whatever becomes of it, what happens goes on.
@HostActor
final class Hook {
  /// Seconds that a call may take. A hook that waits for what waits for the hook would never end.
  static let timeLimit = 30.0
  /// A hook that fails so often in a row is not called any more.
  static let mostFailures = 5

  let event: HookEvent
  private let function: LuaFunction
  private let plugin: Plugin
  private let console: Console
  private let trace: TraceRecorder?
  private var failures = 0
  private var isOff = false
  private var said: Set<String> = []

  /// Whether what is done now is done by a hook: of that no hook is told.
  @TaskLocal static var isRunning = false

  init(_ event: HookEvent, _ function: LuaFunction, _ plugin: Plugin, _ console: Console, _ trace: TraceRecorder?) {
    self.trace = trace
    self.event = event
    self.function = function
    self.plugin = plugin
    self.console = console
  }

  /// Calls it, and gives what it returned to `use`. An error, of `use` too, is logged, the same one once.
  /// - Returns: nil when it failed, or is not called any more.
  /// - Throws: `CancellationError` when the task is canceled.
  func call<Result: Sendable>(
    _ arguments: [LuaValue], _ use: @HostActor (LuaValue) async throws -> Result
  ) async throws(CancellationError) -> Result? {
    guard !isOff, !Self.isRunning else { return nil }
    let start = HostLoop.uptime
    var failure: (any Error)?
    defer {
      trace?.called(
        event.rawValue, defined: function.place, plugin: plugin.name, subject: nil, answer: nil, error: failure,
        from: start)
    }
    do {
      let value = try await Self.$isRunning.withValue(true) { [function] in
        try await TimeLimit.run(seconds: Self.timeLimit) { try await function.call(arguments).first ?? .nil }
      }
      guard let value else {
        throw LuaError(
          code: "timeout", message: "it was not done after \(LuaNumber.text(Self.timeLimit)) s, and was ended")
      }
      let result = try await use(value)
      failures = 0
      return result
    } catch {
      if Task.isCancelled { throw CancellationError() }
      failure = error
      failed(LuaError(error))
      return nil
    }
  }

  /// The same for one whose result does not matter.
  func call(_ arguments: [LuaValue]) async throws(CancellationError) { _ = try await call(arguments) { _ in } }

  private func failed(_ error: LuaError) {
    let name = "\(event.rawValue) of the plugin \(plugin.name)"
    let text = "\(error)" + (error.hint.map { "; \($0)" } ?? "")
    if said.insert(text).inserted { console.log(.error, "\(name) failed: \(text)") }
    failures += 1
    guard failures == Self.mostFailures else { return }
    isOff = true
    console.log(.warn, "\(name) failed \(failures) times in a row, and is not called any more")
  }
}
