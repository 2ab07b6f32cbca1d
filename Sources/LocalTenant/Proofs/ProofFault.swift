import HTTPServer

/// A wrong or unusual answer to a request with a proof, for `tenant.fault { dpop = … }`.
package enum ProofFault: String, Sendable, CaseIterable {
  /// The nonce of the proof has just expired.
  case staleNonce = "stale_nonce"
  /// No nonce is ever good.
  case endlessNonce = "endless_nonce"
  /// The demand for a nonce, without a nonce.
  case missingNonce = "missing_nonce"
  /// A token of the type Bearer, which is bound to no key.
  case bearer

  /// Returns true if the fault can happen to this request.
  func applies(to request: ServerRequest) -> Bool {
    guard request.header("DPoP") != nil else { return false }
    return self != .bearer || request.path.hasSuffix("/token")
  }
}
