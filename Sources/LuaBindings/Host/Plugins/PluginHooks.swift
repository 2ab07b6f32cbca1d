import Accounts
import Automation
import Core
import HTTPClient
import HostLoop
import Lua
import TaskImport

/// The hooks of a run's plugins.
@HostActor
final class PluginHooks {
  let state: LuaState
  private let json: JSONMarshal
  private let automation: Automation
  /// Knows the accounts.
  private unowned let host: ScriptHost
  /// In the order of the plugins.
  private(set) var hooks: [HookEvent: [Hook]] = [:]

  init(_ host: ScriptHost) {
    self.host = host
    state = host.state
    json = host.json
    automation = host.automation
  }

  /// Calls `hook` from now on.
  func add(_ hook: Hook) {
    let events = automation.events
    hooks[hook.event, default: []].append(hook)
    switch hook.event {
    case .onChanged:
      _ = automation.accounts.events.onChanged { [unowned host] change in try await hook.call([try host.value(change)])
      }
    case .onFailed:
      _ = automation.accounts.events.onFailed { [unowned host] failure in
        try await hook.call([try host.value(failure)]) { answer in
          try await AccountsModule(host: host).request(answer, after: failure)
        } ?? nil
      }
    case .beforeRequest, .afterResponse:
      guard !events.isHandled(OutgoingRequest.self) else { return }
      events.handle(OutgoingRequest.self) { [unowned self] outgoing, _ in await call(outgoing) }
    case .afterImport:
      guard !events.isHandled(EndedImport.self) else { return }
      events.handle(EndedImport.self) { [unowned self] ended, _ in try await call(ended) }
    }
  }

  private func call(_ ended: EndedImport) async throws {
    guard !Task.isCancelled else { return }
    let report = ended.summary.map { json.value($0, state) }?.table ?? state.makeTable()
    report["source"] = .string(ended.summary?.source ?? ended.source)
    report["account"] = .string(ended.summary?.account)
    report["ending"] = .string(ended.summary?.ending.code ?? "stopped")
    report["error"] = ended.error.map { state.errorObject($0) } ?? .nil
    for hook in hooks[.afterImport] ?? [] { try await hook.call([.table(report)]) }
  }

  /// Calls the hooks of a request: of the host's, and of the script's.
  func call(_ outgoing: OutgoingRequest) async {
    guard !Hook.isRunning else { return }
    // One table for both hooks, so that a plugin can keep in it something for the end.
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

/// The end of an import, as an event for handlers.
struct EndedImport: Sendable {
  let source: String
  /// Nil if the import had not begun.
  let summary: ImportSummary?
  /// The reason why the import stopped; nil if it came to its end.
  let error: (any Error)?
}
