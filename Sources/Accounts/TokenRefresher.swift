package import Core
package import HostLoop
package import OAuth

/// Gets new tokens for an account from its provider, without the user.
@HostActor
package protocol TokenRefresher: Sendable {
  /// Exchanges a refresh token for new tokens (RFC 6749, 6). One request, at most.
  func refresh(_ refreshToken: Secret, account: Account) async throws -> TokenSet
  /// New tokens for an account that is the application itself: its grant is made again (RFC 6749, 4.4). One request, at
  /// most.
  func renewWithoutUser(_ account: Account) async throws -> TokenSet
  /// The meaning of an error that one of the two threw.
  func judge(_ error: any Error) -> RenewalFailure
  /// Seconds by which this machine's clock is ahead of the provider's, by its answers so far; below 0 when it is behind,
  /// nil while unknown.
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
