package import Accounts
import Automation
import Core
package import HostLoop
package import Lua
import OAuth

/// Sends the requests of `account:request`, as the module `http` does.
@HostActor
package protocol AccountRequests: Sendable {
  /// Sends the request of the options with the token of the account. Returns the response.
  func send(_ arguments: Arguments, as account: LuaAccount) async throws -> LuaValue
}

/// The accounts of a run as Lua values.
@HostActor
package final class ScriptAccounts {
  package let context: ScriptContext
  /// Sends requests with the tokens of accounts.
  package var requests: (any AccountRequests)?
  /// The accounts that the script holds, by their IDs.
  private var values: [String: LuaAccount] = [:]

  package init(_ context: ScriptContext) { self.context = context }

  private var accounts: RunAccounts { context.session.accounts }

  /// The one Lua value of an account.
  package func value(of account: Account) throws -> LuaAccount {
    if let known = values[account.id], known.account === account { return known }
    // The store that the account comes from is open.
    guard let manager = accounts.opened else { throw AccountError(.storeUnusable, "no account store is open") }
    let value = LuaAccount(account, try accounts.tokens(of: account), manager, self)
    values[account.id] = value
    return value
  }

  /// Forgets the value of an account that was signed out.
  package func forget(_ account: Account) { values[account.id] = nil }

  /// Forgets all values, at the end of the run.
  package func forgetAll() { values = [:] }

  /// The current account; nil if there is none.
  package func current() async throws -> LuaAccount? { try await accounts.current().map(value) }

  /// The account of an option, else the current one. Throws `no_account`.
  package func required(_ account: LuaValue, by call: String) async throws -> LuaAccount {
    if let account = account.object(LuaAccount.self) { return account }
    return try await value(of: accounts.required(for: call))
  }

  /// The same; the option may be a function, called after all other checks: nobody signs in for a call that fails.
  package func given(_ account: LuaValue, _ arguments: Arguments) async throws -> LuaAccount {
    guard let function = account.function else { return try await required(account, by: arguments.function.name) }
    let answer = try await context.session.events.call(function, [], as: "account", nil)
    guard let account = answer.object(LuaAccount.self) else {
      throw arguments.failure(option: "account", "expected the function to return an account, got \(answer.typeName)")
    }
    return account
  }
}
