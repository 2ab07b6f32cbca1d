import Core
import Crypto
package import JSON

extension PrivateKey {
  /// The header of a JWS, with `alg`, `kid` and `typ` unless the given one has them.
  /// - Parameters:
  ///   - header: `alg` selects the algorithm, else the first one of the key is used.
  ///   - type: `typ`; nil for none.
  package func header(_ header: [String: JSON] = [:], type: String? = "JWT") throws(JOSEError) -> JSON {
    var header = header
    if header["alg"] == nil { header["alg"] = algorithms.first.map { .string($0.rawValue) } }
    guard header["alg"] != nil else {
      throw JOSEError(
        .invalidKey, "\(place) can make no signatures: it is \(kind)\(algorithm.map { " for \($0)" } ?? "")",
        hint: "use a key without alg; a symmetric key needs at least 256 bits")
    }
    // A header with its own key needs no name of a key (RFC 9449, 4.2).
    if header["kid"] == nil, header["jwk"] == nil { header["kid"] = keyID.map { .string($0) } }
    if header["typ"] == nil { header["typ"] = type.map { .string($0) } }
    return .object(header)
  }
}

extension JWT {
  /// A signed JWT.
  package static func sign(
    _ claims: JSON, header: [String: JSON] = [:], key: PrivateKey
  ) throws(JOSEError) -> String {
    try JWS.sign(claims.bytes() ?? [], header: key.header(header), key: key)
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
