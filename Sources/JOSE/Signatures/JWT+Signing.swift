package import JSON

extension JWT {
  /// A signed JWT. The header gets `alg`, and `kid` and `typ` unless it has them.
  /// - Parameter header: further members; `alg` selects the algorithm, else the first one of the key.
  package static func sign(
    _ claims: JSON, header: [String: JSON] = [:], key: PrivateKey
  ) throws(JOSEError) -> String {
    var header = header
    if header["alg"] == nil { header["alg"] = key.algorithms.first.map { .string($0.rawValue) } }
    guard header["alg"] != nil else {
      throw JOSEError(
        .invalidKey,
        "\(key.place) can make no signatures: it is \(key.kind)\(key.algorithm.map { " for \($0)" } ?? "")",
        hint: "use a key without alg; a symmetric key needs at least 256 bits")
    }
    // A header with its own key needs no name of a key (RFC 9449, 4.2).
    if header["kid"] == nil, header["jwk"] == nil { header["kid"] = key.keyID.map { .string($0) } }
    if header["typ"] == nil { header["typ"] = "JWT" }
    return try JWS.sign(claims.bytes() ?? [], header: .object(header), key: key)
  }

  /// The claims of an assertion or request that a client makes about itself (RFC 7523, 3): issuer and subject are the client.
  /// - Parameters:
  ///   - now: Unix seconds.
  ///   - lifetime: the seconds until it expires.
  package static func assertion(
    issuer: String, subject: String, audience: String, now: Double, lifetime: Double = 60
  ) -> [String: JSON] {
    [
      "iss": .string(issuer), "sub": .string(subject), "aud": .string(audience), "iat": .integer(Int64(now)),
      "exp": .integer(Int64(now + lifetime)), "jti": .string(SecureRandom.token(16)),
    ]
  }
}
