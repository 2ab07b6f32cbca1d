package import Core
import HostLoop
import JOSE
import JSON
package import OAuth

/// Refreshes at the token endpoint that an OAuth client's settings or metadata name, with the policy of the sign-in.
package struct OAuthTokenRefresher: TokenRefresher {
  private let client: OAuthClient

  package init(_ client: OAuthClient) { self.client = client }

  package func refresh(_ refreshToken: Secret, account: Account) async throws -> TokenSet {
    // B2C wants the scopes again. Any other provider takes a request without as one for those it granted, and may refuse
    // what it was asked for and has not granted (RFC 6749, 6).
    let scopes = account.policy == nil ? [] : account.requestedScopes
    let request = TokenRequest.refreshToken(refreshToken, policy: account.policy, scopes: scopes.isEmpty ? nil : scopes)
    var response = try await client.token(request)
    try checkUser(response, account)
    if let idToken = response.idToken?.reveal(), try await !isBelievable(idToken, response, account) {
      response.idToken = nil
    }
    return response
  }

  /// - Returns: false where the ID token is in order and its signature cannot be checked now: it is not kept, and the
  ///   other tokens are used, which the connection to the token endpoint vouches for. Without them the account would be
  ///   lost, because the refresh token is spent.
  private func isBelievable(_ idToken: String, _ response: TokenSet, _ account: Account) async throws(OAuthError)
    -> Bool
  {
    // An account of a flow that brought no ID token has nothing to compare with.
    guard account.claims["iss"]?.string?.isEmpty == false else { return false }
    do {
      return try await client.validate(
        refreshed: idToken, policy: account.policy, original: account.claims, accessToken: response.accessToken)
    } catch {
      var error = error
      error.stage = .refresh
      throw error
    }
  }

  /// The user stays the same (OpenID Connect Core, 12.2).
  private func checkUser(_ response: TokenSet, _ account: Account) throws(OAuthError) {
    guard let idToken = response.idToken?.reveal(), let claims = try? JWT(decoding: idToken).claims,
      let subject = claims["sub"]?.string, subject != account.subject
    else { return }
    throw OAuthError(
      "subject_mismatch", .refresh,
      "the provider answered the refresh for \(account.name) with the tokens of another user (sub): "
        + "expected \"\(account.subject)\", got \"\(subject)\"",
      hint: "the tokens were not used; sign in again, and tell the provider")
  }

  package func renewWithoutUser(_ account: Account) async throws -> TokenSet {
    let scopes = account.requestedScopes
    let request = TokenRequest(
      grantType: account.grantType, policy: account.policy, scopes: scopes.isEmpty ? nil : scopes)
    return try await client.token(request)
  }

  package var clockDifference: Double? { client.clockDifference }
}
