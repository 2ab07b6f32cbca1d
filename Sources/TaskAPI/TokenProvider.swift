package import Core
package import HostLoop

/// The source of the task API's access token: an account, or a token at hand.
@HostActor
package protocol TokenProvider {
  /// The token to send. `rejected` is one that the API has just answered with 401: another has to be found, and where
  /// none can be, the same one is returned or the reason thrown.
  func token(afterRejected rejected: Secret?) async throws -> Secret
}
