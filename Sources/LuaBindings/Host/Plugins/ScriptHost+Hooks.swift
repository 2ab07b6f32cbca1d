import Accounts
import Automation
import HostLoop
import Lua
import TaskImport

/// What plugins are told of accounts and imports. Of requests they are told by a `RequestHooks`.
extension ScriptHost {
  /// From now on, what happens is told to `hook`.
  func install(_ hook: Hook) {
    hooks.add(hook)
    switch hook.event {
    case .onChanged:
      _ = events.onChanged { [unowned self] change in try await hook.call([try value(change)]) }
    case .onFailed:
      _ = events.onFailed { [unowned self] failure in
        try await hook.call([try value(failure)]) { [self] answer in try await options(answer, after: failure) } ?? nil
      }
    case .beforeRequest, .afterResponse:
      if network.observer == nil { network.observer = RequestHooks(self) }
    case .afterImport: break
    }
  }

  /// What handlers of `on_changed` get.
  func value(_ change: AccountChange) throws -> LuaValue {
    .record([
      ("kind", .string(change.kind.rawValue)), ("account", .object(try luaAccount(change.account))),
      ("reason", .string(change.reason.rawValue)),
    ])
  }

  /// What handlers of `on_failed` get.
  func value(_ failure: SignInFailure) throws -> LuaValue {
    .record([
      ("error", state.errorObject(failure.error)), ("policy", .string(failure.policy)),
      ("stage", .string(failure.stage.rawValue)), ("account_type", .string(failure.accountType)),
      ("account", try failure.account.map { .object(try luaAccount($0)) } ?? .nil),
      ("attempt", .integer(failure.attempt)),
    ])
  }

  /// What a handler of `on_failed` returned.
  func options(_ answer: LuaValue, after failure: SignInFailure) async throws -> SignInOptions? {
    switch answer {
    case .nil: return nil
    case .table(let table): return try await nextOptions(table, after: failure)
    case let other:
      throw LuaError(
        code: "invalid_argument",
        message: "accounts.on_failed: the handler returned a \(other.typeName), expected sign-in options or nothing",
        hint: "for example return { policy = \"reset\" }")
    }
  }

  /// Tells the plugins how an import ended.
  /// - Parameters:
  ///   - summary: nil where it had not begun.
  ///   - error: why it stopped; nil where it came to its end.
  func importEnded(_ source: LuaValue, _ summary: ImportSummary?, _ error: (any Error)?) async throws {
    let told = hooks[.afterImport]
    guard !told.isEmpty, !Task.isCancelled else { return }
    let report = summary.map(value)?.table ?? state.makeTable()
    report["source"] = .string(summary?.source ?? source.string ?? "a function")
    report["account"] = .string(summary?.account)
    report["ending"] = .string(summary?.ending.code ?? "stopped")
    report["error"] = error.map { state.errorObject($0) } ?? .nil
    for hook in told { try await hook.call([.table(report)]) }
  }
}
