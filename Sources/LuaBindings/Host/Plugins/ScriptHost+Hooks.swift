import Accounts
import Automation
import HTTPClient
import HostLoop
import Lua
import TaskImport

/// The hooks of accounts and imports.
extension ScriptHost {
  /// Calls `hook` from now on.
  func install(_ hook: Hook) {
    let events = automation.events
    hooks[hook.event, default: []].append(hook)
    switch hook.event {
    case .onChanged:
      _ = automation.accounts.events.onChanged { [unowned self] change in try await hook.call([try value(change)]) }
    case .onFailed:
      _ = automation.accounts.events.onFailed { [unowned self] failure in
        try await hook.call([try value(failure)]) { [self] answer in
          try await AccountsModule(host: self).request(answer, after: failure)
        } ?? nil
      }
    case .beforeRequest, .afterResponse:
      guard !events.isHandled(OutgoingRequest.self) else { return }
      events.handle(OutgoingRequest.self) { [unowned self] outgoing, _ in await callHooks(outgoing) }
    case .afterImport:
      guard !events.isHandled(EndedImport.self) else { return }
      events.handle(EndedImport.self) { [unowned self] ended, _ in try await callHooks(ended) }
    }
  }

  /// The argument of handlers of `on_changed`.
  func value(_ change: AccountChange) throws -> LuaValue {
    .record([
      ("kind", .string(change.kind.rawValue)), ("account", .object(try luaAccount(change.account))),
      ("reason", .string(change.reason.rawValue)),
    ])
  }

  /// The argument of handlers of `on_failed`.
  func value(_ failure: SignInFailure) throws -> LuaValue {
    .record([
      ("error", state.errorObject(failure.error)), ("policy", .string(failure.policy)),
      ("stage", .string(failure.stage.rawValue)), ("account_type", .string(failure.accountType)),
      ("account", try failure.account.map { .object(try luaAccount($0)) } ?? .nil),
      ("attempt", .integer(failure.attempt)),
    ])
  }

  private func callHooks(_ ended: EndedImport) async throws {
    guard !Task.isCancelled else { return }
    let report = ended.summary.map { json.value($0, state) }?.table ?? state.makeTable()
    report["source"] = .string(ended.summary?.source ?? ended.source)
    report["account"] = .string(ended.summary?.account)
    report["ending"] = .string(ended.summary?.ending.code ?? "stopped")
    report["error"] = ended.error.map { state.errorObject($0) } ?? .nil
    for hook in hooks[.afterImport] ?? [] { try await hook.call([.table(report)]) }
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
