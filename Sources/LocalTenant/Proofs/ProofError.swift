/// The error of a request whose proof is missing or not valid (RFC 9449 §5, §7.1).
struct ProofError: Error {
  /// `invalid_dpop_proof` or `use_dpop_nonce`.
  let code: String
  let message: String
  /// The nonce for the next request; nil to give none.
  var nonce: String?

  static func invalid(_ message: String) -> ProofError { ProofError(code: "invalid_dpop_proof", message: message) }

  static func nonce(_ nonce: String?) -> ProofError {
    ProofError(code: "use_dpop_nonce", message: "the DPoP proof needs the nonce of this server", nonce: nonce)
  }

  /// The header field with the nonce.
  var headers: [(String, String)] { nonce.map { [("DPoP-Nonce", $0)] } ?? [] }
}
