import Diagnostics
package import HostLoop
package import Secrets

/// Exchanges a refresh token for new tokens at the provider (RFC 6749, 6).
@HostActor
package protocol TokenRefresher: Sendable {
  /// One request, at most.
  func refresh(_ refreshToken: Secret, account: Account) async throws -> TokenGrant
  /// Whether that error means that the refresh token is no longer good, so that only the user can help.
  func isRevocation(_ error: any Error) -> Bool
}

extension TokenRefresher {
  /// `invalid_grant` (RFC 6749, 5.2), unless the provider says to try again.
  package func isRevocation(_ error: any Error) -> Bool {
    guard let failure = error as? any Failure, !failure.isRetryable else { return false }
    return failure.code == "invalid_grant" || failure.details["error"] == "invalid_grant"
  }
}
