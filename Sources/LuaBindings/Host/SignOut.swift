import Accounts
import Diagnostics
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
  /// - Returns: whether the session is known to be over; a person's browser does not tell.
  func signOutAtProvider(_ account: Account, _ arguments: Arguments) async throws -> Bool {
    let manager = try accounts()
    let settings = try await settings(of: account)
    let client = clients.client(for: settings, isOfAccount: true)
    do {
      if let token = try await manager.refreshToken(of: account) {
        _ = try await client.revoke(token, hint: "refresh_token", policy: account.policy)
      }
    } catch let error as OAuthError {
      throw Self.notEnded("the refresh token was not taken back: \(error.message)", error.status)
    }
    // Client credentials never had a session.
    guard account.grantType != "client_credentials" else { return true }
    var choice = AgentChoice()
    choice.kind =
      account.agent.map(AgentChoice.Kind.init).flatMap { registry.agents[$0.rawValue] == nil ? nil : $0 } ?? .headless
    choice.session = account.session
    try choice.merge(arguments.options.filter { $0.key != "everywhere" }, arguments, registry)
    // A browser has the session's cookie. Its address is shown to people and given to programs, where no token belongs.
    let hint = choice.kind == .headless ? try await manager.idToken(of: account)?.reveal() : nil
    let url = try await client.endSessionURL(policy: account.policy, idTokenHint: hint)
    let context = FlowContext(settings: settings, client: client, agent: choice)
    var request = navigation(to: url, redirectURI: nil, choice, settings)
    request.isUnattended = true
    do {
      let agent = try agent(choice, redirectURI: nil, for: request, context)
      guard agent is WebViewAgent else {
        _ = try await agent.open(request)
        return choice.kind == .headless
      }
      // A window without a session has taken its cookies with it.
      guard let session = try webViewSession(choice) else { return true }
      let visit: Result<String, any Error>
      do { visit = .success(try await agent.open(request)) } catch { visit = .failure(error) }
      // Whatever became of that over there, here nobody is signed in any more.
      try session.clear()
      _ = try visit.get()
      return true
    } catch let error as any Failure {
      throw Self.notEnded("the session at the provider was not ended: \(error.message)", error.status)
    }
  }

  private static func notEnded(_ what: String, _ status: Int?) -> LuaError {
    LuaError(
      code: "sign_out_failed", message: "accounts.sign_out: \(what)",
      hint: "sign out without everywhere = true, and close the session in the browser", status: status)
  }
}
