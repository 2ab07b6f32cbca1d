import JSON

/// The key and certificate that a token is bound to: the claim `cnf` (RFC 7800).
struct Confirmation {
  /// The thumbprint of the key of its proofs (RFC 9449 §6.1).
  var proof: String?
  /// The thumbprint of its certificate (RFC 8705 §3.1).
  var certificate: String?

  /// Nil for a bearer token.
  var json: JSON? {
    var members: [String: JSON] = [:]
    members["jkt"] = proof.map { .string($0) }
    members["x5t#S256"] = certificate.map { .string($0) }
    return members.isEmpty ? nil : .object(members)
  }
}
