package import Accounts
import Automation
import HostLoop
package import Lua
package import LuaKit

extension ScriptAccounts {
  /// The argument of handlers of `on_changed`.
  package func value(_ change: AccountChange) throws -> LuaValue {
    .record([
      ("kind", .string(change.kind.rawValue)), ("account", .object(try value(of: change.account))),
      ("reason", .string(change.reason.rawValue)),
    ])
  }

  /// The argument of handlers of `on_failed`.
  package func value(_ failure: SignInFailure) throws -> LuaValue {
    .record([
      ("error", context.state.errorObject(failure.error)), ("policy", .string(failure.policy)),
      ("stage", .string(failure.stage.rawValue)), ("account_type", .string(failure.accountType)),
      ("account", try failure.account.map { .object(try value(of: $0)) } ?? .nil),
      ("attempt", .integer(failure.attempt)),
    ])
  }
}

extension AccountChange {
  @HostActor var summary: String { "\(kind.rawValue) \(account.name), by \(reason.rawValue)" }
}

extension SignInFailure {
  @HostActor var summary: String { "attempt \(attempt), \(stage.rawValue): \(LuaError(error).code)" }
}
