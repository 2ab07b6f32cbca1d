import Accounts
import Automation
import Core
import HostLoop
import Lua
import OAuth
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
    try await revokeTokens(of: account, client)
    // Client credentials never had a session.
    guard account.grantType != "client_credentials" else { return true }
    var choice = AgentChoice()
    choice.kind =
      account.agent.map(AgentChoice.Kind.init).flatMap { registry.agents[$0.rawValue] == nil ? nil : $0 } ?? .headless
    choice.session = account.session
    try choice.merge(arguments.options.filter { $0.key != "everywhere" }, arguments, registry)
    // A browser has the session's cookie. Its address is shown to people and given to programs, where no token belongs.
    let hint = choice.kind == .headless ? try await manager.idToken(of: account)?.reveal() : nil
    let url: String
    do {
      url = try await client.endSessionURL(
        policy: account.policy, idTokenHint: hint, postLogoutRedirectURI: settings.postLogoutRedirectURL)
    } catch  where error.code == "missing_endpoint" {
      console.log(.warn, "the session at the provider goes on: \(error.message); close it in the browser")
      return false
    } catch {
      throw Self.notEnded("the session at the provider was not ended: \(error.message)", error.status)
    }
    let context = FlowContext(settings: settings, client: client, agent: choice)
    // The headless agent ends there: nobody needs to listen at that address.
    let target = choice.kind == .headless ? settings.postLogoutRedirectURL : nil
    var request = navigation(to: url, redirectURI: target, choice, settings)
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

  /// Takes the refresh token back where the provider can. A refusal is a warning: the session is still to be ended, and
  /// the account to be removed. A provider that is down may be asked again, so that is an error.
  private func revokeTokens(of account: Account, _ client: OAuthClient) async throws {
    guard let token = try await accounts().refreshToken(of: account) else { return }
    do {
      _ = try await client.revoke(token, hint: "refresh_token", policy: account.policy)
    } catch  where error.isRetryable {
      throw Self.notEnded("the refresh token was not taken back: \(error.message)", error.status)
    } catch {
      console.log(
        .warn,
        "the provider did not revoke the refresh token of \(account.name), which is good until it expires: "
          + error.message)
    }
  }

  private static func notEnded(_ what: String, _ status: Int?) -> LuaError {
    LuaError(
      code: "sign_out_failed", message: "accounts.sign_out: \(what)",
      hint: "sign out without everywhere = true, and close the session in the browser", status: status)
  }
}
