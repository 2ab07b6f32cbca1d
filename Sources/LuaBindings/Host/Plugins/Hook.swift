import Automation
import Core
import HostLoop
import Lua
import UserAgents

/// A function of a plugin that is called when something happens. Its errors do not stop anything else.
@HostActor
final class Hook {
  /// The seconds that a call may take. A hook that waits for something that waits for the hook would never end.
  static let timeLimit = 30.0
  /// A hook that fails so often in a row is not called any more.
  static let mostFailures = 5

  let event: HookEvent
  private let function: LuaFunction
  private let plugin: Plugin
  private let console: Console
  private let events: Events
  private var failures = 0
  private var isOff = false
  private var said: Set<String> = []

  /// True while a hook runs: no hook is called for the things that it does.
  @TaskLocal static var isRunning = false

  init(_ event: HookEvent, _ function: LuaFunction, _ plugin: Plugin, _ console: Console, _ events: Events) {
    self.events = events
    self.event = event
    self.function = function
    self.plugin = plugin
    self.console = console
  }

  /// Calls the hook, and gives the result to `use`. An error, of `use` too, is logged, the same one once.
  /// - Returns: nil if it failed or is not called any more.
  /// - Throws: `CancellationError` when the task is canceled.
  func call<Result: Sendable>(
    _ arguments: [LuaValue], _ use: @HostActor (LuaValue) async throws -> Result
  ) async throws(CancellationError) -> Result? {
    guard !isOff, !Self.isRunning else { return nil }
    let start = HostLoop.uptime
    var failure: (any Error)?
    defer {
      events.emit(
        RunEvent.calledBack(
          RunEvent.Callback(event.rawValue, defined: function.place, plugin: plugin.name, error: failure), start: start)
      )
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

  /// Calls the hook, and ignores the result.
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

/// The events that a plugin has hooks for.
enum HookEvent: String, CaseIterable, Sendable {
  case onChanged = "on_changed"
  case onFailed = "on_failed"
  case beforeRequest = "before_request"
  case afterResponse = "after_response"
  case afterImport = "after_import"

  /// The key of a plugin's `hooks`.
  var parameter: Parameter { Parameter(rawValue, .callback(arguments, returns: results), optional: true, doc) }

  /// When it is called.
  private var doc: String {
    switch self {
    case .onChanged: "An account was added, updated or removed: as for accounts.on_changed."
    case .onFailed: "A sign-in or a refresh failed: as for accounts.on_failed."
    case .beforeRequest: "An HTTP request is about to be sent."
    case .afterResponse: "An HTTP request was answered, or failed. It receives the same table as before_request."
    case .afterImport: "tasks.import has ended, with success or with an error."
    }
  }

  private var arguments: [Parameter] {
    switch self {
    case .onChanged: [Parameter("change", .record(.change), "The change.")]
    case .onFailed: [Parameter("failure", .record(.signInFailure), "The failure.")]
    case .beforeRequest: [Parameter("request", .record(.hookedRequest), "The request.")]
    case .afterResponse:
      [
        Parameter("request", .record(.hookedRequest), "The request."),
        Parameter("response", .record(.hookedResponse), "The result of the request."),
      ]
    case .afterImport: [Parameter("report", .record(.endedImport), "The report of the import.")]
    }
  }

  private var results: [HostFunction.Result] {
    switch self {
    case .onFailed: [.init(.table, optional: true, "Sign-in options for another attempt.")]
    case .beforeRequest:
      [.init(.map(of: .any), optional: true, "Header fields to set, by name; false removes a field.")]
    case .onChanged, .afterResponse, .afterImport: []
    }
  }
}
