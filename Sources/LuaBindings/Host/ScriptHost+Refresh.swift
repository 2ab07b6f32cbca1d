import Accounts
import Automation
import Core
import HostLoop
import Lua
import OAuth

/// Refreshes by the function `refresh` of a flow.
extension ScriptHost {
  /// Gets new tokens for an account from the flow that it remembers.
  /// - Throws: `unknown_flow` if this run does not have the flow.
  func renew(_ account: Account, _ attempt: SignInAttempt, _ refreshToken: Secret?) async throws -> TokenSet {
    let function = try await refresh(of: account)
    // A script that names the flow of another script's account may have the account's tokens renewed, and no more.
    let isKnown = accounts.refreshes[account.id] != nil || registry.flows.plugin(of: account.refreshFlow ?? "") != nil
    let token = isKnown ? .secret(refreshToken) : refreshToken.map { LuaValue.object(SealedSecret($0)) } ?? .nil
    let options: [(name: String, value: LuaValue)] = [
      ("scopes", .list(account.requestedScopes.map { .string($0) })), ("refresh_token", token),
      ("subject", .string(account.subject)),
    ]
    let result = try await LuaFlowContext(attempt, .record(options), json).run(function)
    return try TokenSet(result, of: "the function refresh of the flow of \(account.name)", "function", in: attempt)
  }

  private func refresh(of account: Account) async throws -> LuaFunction {
    if let function = accounts.refreshes[account.id] { return function }
    let name = account.refreshFlow ?? ""
    guard !name.hasPrefix("@") else {
      throw LuaError(
        code: "unknown_flow",
        message: "the tokens of the account \(account.name) are renewed by the function at \(name.dropFirst()), which "
          + "only the run of its sign-in has",
        hint:
          "name the flow in each run, accounts.add_flow(NAME, { sign_in = …, refresh = … }), or put it into a plugin; "
          + "then sign in with flow = NAME")
    }
    let flow = registry.flows[name] == nil ? nil : try await registry.flow(named: name).flow
    guard let function = flow?.refresh else {
      throw LuaError(
        code: "unknown_flow",
        message: "the tokens of the account \(account.name) are renewed by the flow '\(name)', "
          + (flow == nil ? "which this run does not have" : "which has no function refresh in this run"),
        hint:
          "add the plugin with this flow, or call accounts.add_flow(\"\(name)\", { sign_in = …, refresh = … }) first")
    }
    return function
  }
}
