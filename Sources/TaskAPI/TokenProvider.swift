package import Core
package import HTTPClient
package import HostLoop

/// The source of the task API's access token: an account, or a token at hand.
@HostActor
package protocol TokenProvider {
  /// The token to send. `rejected` is one that the API has just answered with 401: another has to be found, and where
  /// none can be, the same one is returned or the reason thrown.
  func token(afterRejected rejected: Secret?) async throws -> Secret
  /// The maker of proofs for the token that was given last; nil for bearer tokens.
  var prover: (any RequestProver)? { get }
  /// The certificate to show with the token that was given last.
  var certificate: ClientCertificate? { get }
}

extension TokenProvider {
  /// Sends once more, with another token, a request that was answered with 401. The server has done nothing before that
  /// answer, so that this is safe for any method. Returns the last response, and true if it is the response to a token
  /// that was just renewed. A demand for another sign-in (RFC 9470) is no reason to renew the token.
  package func renewing(
    _ token: Secret, after first: HTTPResponse, _ send: @HostActor (Secret) async throws -> HTTPResponse
  ) async throws -> (response: HTTPResponse, isRenewed: Bool) {
    guard first.status == 401, first.stepUp == nil else { return (first, false) }
    let other = try await self.token(afterRejected: token)
    guard other != token else { return (first, false) }
    return (try await send(other), true)
  }
}
