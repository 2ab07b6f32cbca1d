package import Accounts
import Core
import HostLoop
import OAuth
import Settings
import UserAgents

/// Ends a sign-in at the provider: revokes the refresh token, where the provider can (RFC 7009), and ends the browser's
/// session (OpenID Connect RP-Initiated Logout).
extension ScriptRun {
  /// - Parameter agent: the agent that goes to the provider, and its session.
  /// - Returns: true if the session is known to be over; false if nobody knows, as with a person's browser.
  /// - Throws: `sign_out_failed` if the provider did not take the request.
  package func signOut(_ account: Account, by agent: AgentChoice) async throws -> Bool {
    let settings = try await session.accounts.settings(of: account)
    let provider = session.providers.provider(for: settings, isOfAccount: true)
    try await revokeTokens(of: account, provider)
    // Client credentials never had a session.
    guard account.grantType != "client_credentials" else { return true }
    // A browser has the session's cookie. Its address is shown to people and given to programs, where no token belongs.
    let hint =
      agents.isHeadless(agent) ? try await session.accounts.manager().tokens(of: account).idToken?.reveal() : nil
    let url: String
    do {
      url = try await EndSessionEndpoint(provider).url(
        policy: account.policy, idTokenHint: hint, postLogoutRedirectURI: settings.postLogoutRedirectURL)
    } catch  where error.code == "missing_endpoint" {
      session.console.log(
        .warn, "the session at the provider continues: \(error.message); close it in the browser")
      return false
    } catch {
      throw notEnded(error)
    }
    do {
      return try await openSignOut(
        account, url, by: agent, SignInAttempt(provider, agent: agent))
    } catch let error as any Failure {
      throw notEnded(error)
    }
  }

  /// The agent that the account signed in with, if this run has one of that name by `isKnown`; else the headless one.
  package func usualAgent(of account: Account, isKnown: (String) -> Bool) -> AgentChoice {
    var choice = AgentChoice()
    choice.kind = account.agent.flatMap { isKnown($0) ? .init(rawValue: $0) : nil } ?? .headless
    choice.session = account.session
    return choice
  }

  private func openSignOut(
    _ account: Account, _ url: String, by agent: AgentChoice, _ attempt: SignInAttempt
  ) async throws -> Bool {
    guard agents.isHeadless(agent) else {
      guard agents.hasWindow(agent) else {
        _ = try await agents.open(url, redirectURI: nil, isUnattended: true, by: agent, attempt)
        return false
      }
      return try await closeWindowSession(account, url, agent, attempt)
    }
    // The headless agent ends at the redirect URI: nobody needs to listen there.
    let target = attempt.settings.postLogoutRedirectURL
    switch try await agents.signOut(at: url, redirectURI: target, by: agent, attempt) {
    case .ended: return true
    case .unknown(let reason):
      warnUnknown(account, reason)
      return false
    }
  }

  private func closeWindowSession(
    _ account: Account, _ url: String, _ agent: AgentChoice, _ attempt: SignInAttempt
  ) async throws -> Bool {
    // A window without a session has taken its cookies with it.
    guard let session = try agents.webViewSession(agent) else { return true }
    let visit: Result<String, any Error>
    do {
      visit = .success(try await agents.open(url, redirectURI: nil, isUnattended: true, by: agent, attempt))
    } catch {
      visit = .failure(error)
    }
    // The session of this machine is over, however the visit ended.
    try session.clear()
    do { _ = try visit.get() } catch let error as any Failure {
      warnUnknown(account, error.message)
      return false
    }
    return true
  }

  private func warnUnknown(_ account: Account, _ reason: String) {
    session.console.log(
      .warn,
      "the account \(account.name) is removed here, and it is not known if its session at the provider has ended: \(reason)"
    )
  }

  /// Revokes the refresh token where the provider can. A refusal is a warning: the session is still to be ended, and the
  /// account to be removed. A provider that is down may be asked again, so that is an error.
  private func revokeTokens(of account: Account, _ provider: Provider) async throws {
    guard let token = try await session.accounts.manager().tokens(of: account).refreshToken else { return }
    do {
      _ = try await RevocationEndpoint(provider).revoke(token, hint: "refresh_token", policy: account.policy)
    } catch  where error.isRetryable {
      throw notEnded(error, "the refresh token was not taken back")
    } catch {
      session.console.log(
        .warn,
        "the provider did not revoke the refresh token of \(account.name), which is good until it expires: "
          + error.message)
    }
  }

  private func notEnded(_ error: any Failure, _ what: String = "the session at the provider was not ended")
    -> SignInError
  {
    SignInError(
      .signOutFailed, "accounts.sign_out: \(what): \(error.message)",
      hint: "sign out without everywhere = true, and close the session in the browser", status: error.status)
  }
}
