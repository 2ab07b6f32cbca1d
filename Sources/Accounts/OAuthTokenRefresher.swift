package import Core
import Glibc
import HTTPClient
import HostLoop
import JOSE
import JSON
package import OAuth

/// Refreshes at the token endpoint that an OAuth client's settings or metadata name, with the policy of the sign-in.
package struct OAuthTokenRefresher: TokenRefresher {
  private let client: OAuthClient

  package init(_ client: OAuthClient) {
    self.client = client
  }

  package func refresh(_ refreshToken: Secret, account: Account) async throws -> TokenGrant {
    try await emitting(account) { try await exchange(refreshToken, account) }
  }

  private func exchange(_ refreshToken: Secret, _ account: Account) async throws -> TokenGrant {
    // B2C wants the scopes again. Any other provider takes a request without as one for those it granted, and may refuse
    // what it was asked for and has not granted (RFC 6749, 6).
    let scopes = account.policy == nil ? [] : account.requestedScopes
    let request = TokenRequest.refreshToken(
      refreshToken, policy: account.policy, scopes: scopes.isEmpty ? nil : scopes)
    var response = try await client.token(request)
    try checkUser(response, account)
    if let idToken = response.idToken, try await !isBelievable(idToken, response, account) { response.idToken = nil }
    return TokenGrant(response)
  }

  /// - Returns: false where the ID token is in order and its signature cannot be checked now: it is not kept, and the
  ///   other tokens are used, which the connection to the token endpoint vouches for. Without them the account would be
  ///   lost, because the refresh token is spent.
  private func isBelievable(
    _ idToken: String, _ response: TokenResponse, _ account: Account
  ) async throws(OAuthError) -> Bool {
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
  private func checkUser(_ response: TokenResponse, _ account: Account) throws(OAuthError) {
    guard let idToken = response.idToken, let claims = try? JWT(decoding: idToken).claims,
      let subject = claims["sub"]?.string, subject != account.subject
    else { return }
    throw OAuthError(
      "subject_mismatch", .refresh,
      "the provider answered the refresh for \(account.name) with the tokens of another user (sub): "
        + "expected \"\(account.subject)\", got \"\(subject)\"",
      hint: "the tokens were not used; sign in again, and tell the provider")
  }
}

extension OAuthTokenRefresher {
  package func renewWithoutUser(_ account: Account) async throws -> TokenGrant {
    let scopes = account.requestedScopes
    let request = TokenRequest(
      grantType: account.grantType, policy: account.policy, scopes: scopes.isEmpty ? nil : scopes)
    return try await emitting(account) { TokenGrant(try await client.token(request)) }
  }

  /// Emits the result of a renewal.
  private func emitting(
    _ account: Account, _ renew: @HostActor () async throws -> TokenGrant
  ) async throws -> TokenGrant {
    let start = HostLoop.uptime
    func emit(_ error: (any Error)?) {
      client.http.events?.emit(
        RunEvent.renewed(
          account: account.name, policy: account.policy, attempt: RequestScope.current.retries + 1, error: error,
          start: start))
    }
    do {
      let grant = try await renew()
      emit(nil)
      return grant
    } catch {
      emit(error)
      throw error
    }
  }

  package var clockDifference: Double? { client.clockDifference }
}

extension TokenGrant {
  /// What the token endpoint gave.
  package init(_ response: TokenResponse) {
    // Where only a point in time tells when the token expires, it is one of the provider's clock.
    let now = response.serverDate ?? Double(time(nil))
    self.init(
      accessToken: response.accessToken, refreshToken: response.refreshToken,
      idToken: response.idToken.map { Secret($0) }, tokenType: response.tokenType,
      expiresIn: response.raw["expires_in"]?.lenientInteger
        ?? response.expiresAt.map { Int64(min(max($0 - now, 0), 1e12)) },
      scopes: response.scopes.isEmpty ? nil : response.scopes)
  }
}

extension SignInFailure.Stage {
  /// Where an error of the OAuth client arose; anything else counts as on the way to the redirect.
  package init(of error: any Error) {
    switch (error as? OAuthError)?.stage {
    case .token, .validation: self = .token
    case .refresh: self = .refresh
    case .authorize, .metadata, nil: self = .authorize
    }
  }
}
