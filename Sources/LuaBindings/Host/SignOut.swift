import Accounts
import HostLoop
import Lua
import OAuth
import Secrets
import Settings
import UserAgents

extension ScriptHost {
  /// Ends what the provider knows of the sign-in: the refresh token, where it takes tokens back (RFC 7009), and the
  /// browser's session (OpenID Connect RP-Initiated Logout), by the agent the account signed in with unless another is
  /// given.
  func signOutAtProvider(_ account: Account, _ arguments: Arguments) async throws {
    let manager = try accounts()
    let settings = try await settings(of: account)
    let client = clients.client(for: settings)
    if let token = try await manager.refreshToken(of: account) {
      _ = try await client.revoke(token, hint: "refresh_token", policy: account.policy)
    }
    // Client credentials never had a session.
    guard account.grantType != "client_credentials" else { return }
    var choice = AgentChoice()
    choice.kind = account.agent.flatMap(AgentChoice.Kind.init) ?? .headless
    choice.session = account.session
    try choice.merge(arguments.options.filter { $0.key != "everywhere" }, arguments)
    // A browser has the session's cookie. Its address is shown to people and given to programs, where no token belongs.
    let hint = choice.kind == .headless ? try await manager.idToken(of: account)?.reveal() : nil
    let url = try await client.endSessionURL(policy: account.policy, idTokenHint: hint)
    let context = FlowContext(settings: settings, client: client, agent: choice)
    let request = navigation(to: url, redirectURI: nil, choice, settings)
    do {
      _ = try await agent(choice, redirectURI: nil, context).open(request)
    } catch let error as UserAgentError {
      throw LuaError(
        code: "sign_out_failed",
        message: "accounts.sign_out: the session at the provider was not ended: \(error.message)",
        hint: "sign out without everywhere = true, and close the session in the browser", status: error.status)
    }
  }
}
