package import Core
package import HostLoop
import JOSE
import JSON
package import OAuth

/// Gets new tokens for an account from its provider, without the user.
@HostActor
package protocol TokenRefresher: Sendable {
  /// Exchanges a refresh token for new tokens (RFC 6749, 6). One request, at most.
  func refresh(_ refreshToken: Secret, account: Account) async throws -> TokenSet
  /// New tokens for an account that is the application itself, by its grant (RFC 6749, 4.4), in one request at most.
  func renewWithoutUser(_ account: Account) async throws -> TokenSet
  /// The meaning of an error that one of the two threw.
  func judge(_ error: any Error) -> RenewalFailure
  /// Seconds by which this machine's clock is ahead of the provider's; below 0 when behind, nil while unknown.
  var clockDifference: Double? { get }
}

/// The meaning of a failed renewal for the next one.
package enum RenewalFailure: Sendable, Equatable {
  /// The refresh token is no longer good, so that only the user can help.
  case revoked
  /// The provider did not act on the request; it may be asked again, where it said so not before that many seconds.
  case again(after: Double?)
  /// The provider may have acted on the request, and its answer is lost.
  case answerLost
  /// Asking again would end the same way.
  case final
}

extension TokenRefresher {
  package var clockDifference: Double? { nil }

  /// `invalid_grant` (RFC 6749, 5.2) is a revocation, unless the provider says to try again.
  package func judge(_ error: any Error) -> RenewalFailure {
    guard let failure = error as? any Failure else { return .final }
    if failure.isRetryable {
      // A proxy that gives up on its server says so with 502 or 504; whether the server acted is not known then.
      let lost = ["timeout", "connection_lost", "transfer"].contains(failure.code)
      if lost || failure.status == 502 || failure.status == 504 { return .answerLost }
      return .again(after: failure.details["retry_after"].flatMap { Double($0) })
    }
    return failure.code == "invalid_grant" || failure.details["error"] == "invalid_grant" ? .revoked : .final
  }
}

/// Refreshes at the token endpoint that a provider's settings or metadata name, with the policy of the sign-in.
package struct OAuthTokenRefresher: TokenRefresher {
  private let provider: Provider

  package init(_ provider: Provider) { self.provider = provider }

  package func refresh(_ refreshToken: Secret, account: Account) async throws -> TokenSet {
    var request = TokenRequest.refreshToken(refreshToken, policy: account.policy)
    request.grantScopes = account.requestedScopes
    request.binding = account.binding
    return try await accepted(try await TokenEndpoint(provider).token(request), account)
  }

  /// The tokens of a refresh, after the checks of their ID token.
  package func accepted(_ response: TokenSet, _ account: Account) async throws -> TokenSet {
    var response = response
    guard account.isProven else {
      // Nothing proves that the user of an ID token is the one whom the script named at the sign-in.
      response.idToken = nil
      return response
    }
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
      return try await IDTokenValidator(provider).validate(
        refreshed: idToken, policy: account.policy, original: account.claims, accessToken: response.accessToken)
    } catch {
      var error = error
      error.stage = .refresh
      throw error
    }
  }

  /// Checks that the user stays the same (OpenID Connect Core, 12.2).
  package func checkUser(_ response: TokenSet, _ account: Account) throws(OAuthError) {
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
    var request = TokenRequest(
      grantType: account.grantType, policy: account.policy, scopes: scopes.isEmpty ? nil : scopes)
    request.binding = account.binding
    return try await TokenEndpoint(provider).token(request)
  }

  package var clockDifference: Double? { provider.clockDifference }
}
