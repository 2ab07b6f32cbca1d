package import Core
package import HTTPClient
package import HostLoop

/// Makes a proof for each request that its token is the sender's own (RFC 9449).
@HostActor
package protocol RequestProver {
  /// The header field of a request.
  func field(_ method: String, _ url: String, token: Secret?) throws -> HTTPHeaders.Field
  /// True if the server asks for the request again, with a nonce that its answer brought.
  /// - Throws: `use_dpop_nonce` where the server asks again, or asks and gives no nonce.
  func mustRepeat(_ method: String, _ url: String, _ answer: HTTPResponse, isRepeated: Bool) throws -> Bool
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
    let first = try await send(try prover.field(method, url, token: token))
    guard try prover.mustRepeat(method, url, first, isRepeated: false) else { return first }
    let second = try await send(try prover.field(method, url, token: token))
    _ = try prover.mustRepeat(method, url, second, isRepeated: true)
    return second
  }
}
