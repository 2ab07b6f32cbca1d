import JSON

/// The signature algorithms (RFC 7518, 3.1) without `none`, and the key type of each.
enum SignatureAlgorithm {
  static let keyTypes = [
    "RS256": "RSA", "RS384": "RSA", "RS512": "RSA", "PS256": "RSA", "PS384": "RSA", "PS512": "RSA",
    "ES256": "EC", "ES384": "EC", "ES512": "EC", "HS256": "oct", "HS384": "oct", "HS512": "oct",
  ]

  private static let curves = ["ES256": "P-256", "ES384": "P-384", "ES512": "P-521"]

  /// Refuses a key for another algorithm, so that a public RSA key cannot be used as an HMAC secret.
  static func check(_ key: JWK, for algorithm: String) throws(JOSEError) {
    guard let type = keyTypes[algorithm] else {
      throw JOSEError(.algorithmNotAllowed, "the signature algorithm \"\(algorithm)\" is not supported")
    }
    guard key.type == type else {
      throw JOSEError(.invalidKey, "the algorithm \(algorithm) needs a key of type \(type), not of type \(key.type)")
    }
    if let curve = curves[algorithm], let actual = key.json["crv"]?.string, actual != curve {
      throw JOSEError(.invalidKey, "the algorithm \(algorithm) needs a key on the curve \(curve), not on \(actual)")
    }
    if let meant = key.algorithm, meant != algorithm {
      throw JOSEError(.invalidKey, "the key is meant for the algorithm \(meant), not for \(algorithm)")
    }
  }
}
