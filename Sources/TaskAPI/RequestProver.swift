package import Core
package import HTTPClient
package import HostLoop

/// Makes a proof for each request that its token is the sender's own (RFC 9449).
@HostActor
package protocol RequestProver {
  /// Sends a request with a header field for the proof, and once more where the server asks for its nonce.
  func send(
    _ method: String, _ url: String, token: Secret?,
    _ send: @HostActor (HTTPHeaders.Field) async throws -> HTTPResponse
  ) async throws -> HTTPResponse
}

extension TokenProvider {
  /// The maker of proofs for the token that was given last; nil for bearer tokens.
  package var prover: (any RequestProver)? { nil }
  /// Nil for a client without a certificate.
  package var certificate: ClientCertificate? { nil }

  /// Sends a request with the token, and with a proof if the token needs one.
  package func sending(
    _ method: String, _ url: String, _ token: Secret,
    _ send: @HostActor (_ proof: HTTPHeaders.Field?) async throws -> HTTPResponse
  ) async throws -> HTTPResponse {
    guard let prover else { return try await send(nil) }
    return try await prover.send(method, url, token: token) { try await send($0) }
  }
}
