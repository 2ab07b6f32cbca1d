import Accounts
import Automation
import Core
import HTTPClient
import HostLoop
import ImportReport
import Imports
import Lua
import LuaKit
import LuaSignIn
import LuaTasks
import UserAgents

@HostActor
final class PluginHooks {
  /// In the order of the plugins.
  private(set) var hooks: [HookEvent: [Hook]] = [:]

  /// Subscribes the hook. Events may come after the end of the run, for example of a renewal: then nobody is called.
  func add(_ hook: Hook, _ host: ScriptHost) {
    let (accounts, events) = (host.session.accounts.events, host.session.events)
    hooks[hook.event, default: []].append(hook)
    switch hook.event {
    case .onChanged:
      _ = accounts.onChanged { [weak host] change in
        guard let host else { throw AccountError.runEnded }
        try await hook.call([try host.accounts.value(change)])
      }
    case .onFailed:
      _ = accounts.onFailed { [weak host] failure in
        guard let host else { throw AccountError.runEnded }
        return try await hook.call([try host.accounts.value(failure)]) { answer in
          try await AccountsModule(host.signIns).request(answer, after: failure)
        } ?? nil
      }
    case .beforeRequest, .afterResponse:
      guard !events.isHandled(OutgoingRequest.self) else { return }
      events.handle(OutgoingRequest.self) { [weak self, weak host] outgoing, _ in
        if let self, let host { await call(outgoing, host) }
      }
    case .afterImport:
      guard !events.isHandled(EndedImport.self) else { return }
      events.handle(EndedImport.self) { [weak self, weak host] ended, _ in
        if let self, let host { try await call(ended, host) }
      }
    }
  }

  private func call(_ ended: EndedImport, _ host: ScriptHost) async throws {
    guard !Task.isCancelled else { return }
    let state = host.state
    let report = ended.summary.map { host.context.json.value($0, state) }?.table ?? state.makeTable()
    report["source"] = .path(ended.summary?.source ?? ended.source)
    report["account"] = .string(ended.summary?.account)
    report["ending"] = .string(ended.summary?.ending.code ?? "stopped")
    report["error"] = ended.error.map { state.errorObject($0) } ?? .nil
    for hook in hooks[.afterImport] ?? [] { try await hook.call([.table(report)]) }
  }

  /// Calls the hooks of a request: of the host's, and of the script's.
  func call(_ outgoing: OutgoingRequest, _ host: ScriptHost) async {
    guard !Hook.isRunning else { return }
    // One table for both hooks, so that a plugin can keep in it something for the end.
    let state = host.state
    let table = state.makeTable()
    table["method"] = .string(outgoing.request.method)
    table["url"] = .string(HookedHeaders.shown(url: outgoing.request.url))
    table["headers"] = HookedHeaders.value(outgoing.headers)
    table["size"] = .integer(outgoing.request.body?.count ?? 0)
    for hook in hooks[.beforeRequest] ?? [] {
      let headers = outgoing.headers
      // A canceled hook ends like one without a result: the exchange sees for itself that its task was canceled.
      guard let changed = try? await hook.call([.table(table)], { try HookedHeaders.changed(headers, by: $0) }),
        let changed, changed != headers
      else { continue }
      outgoing.headers = changed
      table["headers"] = HookedHeaders.value(changed)
    }
    guard let after = hooks[.afterResponse] else { return }
    let isStreamed = outgoing.request.onBody != nil
    outgoing.ends.append { [state] result, seconds in
      let answer = Self.value(result, seconds, isStreamed: isStreamed, state)
      for hook in after { try? await hook.call([.table(table), answer]) }
    }
  }

  private static func value(
    _ result: Result<HTTPResponse, HTTPError>, _ seconds: Double, isStreamed: Bool, _ state: LuaState
  ) -> LuaValue {
    switch result {
    case .success(let response):
      .record([
        ("status", .integer(response.status)), ("headers", HookedHeaders.value(response.headers)),
        ("size", isStreamed ? .nil : .integer(response.body.count)), ("seconds", .number(seconds)),
      ])
    case .failure(let error): .record([("error", state.errorObject(error)), ("seconds", .number(seconds))])
    }
  }
}

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

  /// Calls the hook, and gives the result to `use`. An error, of `use` too, is logged, the same one once. Returns nil
  /// if it failed or is not called any more.
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

enum HookEvent: String, CaseIterable, Sendable {
  case onChanged = "on_changed"
  case onFailed = "on_failed"
  case beforeRequest = "before_request"
  case afterResponse = "after_response"
  case afterImport = "after_import"

  /// The access that the hook has without a permission of the plugin, as a person who decides about it sees it.
  var access: String? {
    self == .afterImport ? "can read the files that are named for the command, such as FILE of import" : nil
  }

  /// The key of a plugin's `hooks`.
  var parameter: Parameter {
    switch self {
    case .onChanged:
      key([("change", .change, "The change.")], "An account was added, updated or removed: as for accounts.on_changed.")
    case .onFailed:
      key(
        [("failure", .signInFailure, "The failure.")], "A sign-in or a refresh failed: as for accounts.on_failed.",
        returns: .init(.table, optional: true, "Sign-in options for another attempt."))
    case .beforeRequest:
      key(
        [("request", .hookedRequest, "The request.")], "An HTTP request is about to be sent.",
        returns: .init(.map(of: .any), optional: true, "Header fields to set, by name; false removes a field."))
    case .afterResponse:
      key(
        [("request", .hookedRequest, "The request."), ("response", .hookedResponse, "The result of the request.")],
        "An HTTP request was answered, or failed. It receives the same table as before_request.")
    case .afterImport:
      key(
        [("report", .endedImport, "The report of the import.")],
        "tasks.import has ended, with success or with an error.")
    }
  }

  private func key(
    _ arguments: [(name: String, type: LuaRecord, doc: String)], _ doc: String, returns results: HostFunction.Result...
  ) -> Parameter {
    let arguments = arguments.map { Parameter($0.name, .record($0.type), $0.doc) }
    return Parameter(rawValue, .callback(arguments, returns: results), optional: true, doc)
  }
}
