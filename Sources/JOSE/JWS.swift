import CJoseShims
package import JSON

/// Signed text in compact serialization (RFC 7515).
package enum JWS {
  /// The asymmetric algorithms, which a client may accept from an issuer.
  package static let asymmetricAlgorithms: Set<String> = [
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512",
  ]

  /// - Parameter header: its `alg` selects the algorithm; the caller sets `kid` and `typ`.
  package static func sign(_ payload: [UInt8], header: JSON, key: JWK) throws(JOSEError) -> String {
    guard let algorithm = header["alg"]?.string else {
      throw JOSEError(.algorithmNotAllowed, "the header of a JWS needs the member \"alg\"")
    }
    try SignatureAlgorithm.check(key, for: algorithm)
    let encodedPayload = Base64URL.encode(payload)
    let encodedHeader = Base64URL.encode(header.encoded().utf8)
    let jws = try value(["payload": .string(encodedPayload)])
    let signature = try value(["protected": .string(encodedHeader)])
    let context = try JoseContext()
    guard cjose_jws_sig(context.pointer, jws.pointer, signature.pointer, key.value.pointer),
      let encodedSignature = jws.string("signature")
    else { throw JOSEError(.failed, "nothing could be signed by \(algorithm) with this key\(context.reason)") }
    return "\(encodedHeader).\(encodedPayload).\(encodedSignature)"
  }

  /// Verifies the signature and returns the payload.
  /// - Parameter algorithms: the values of `alg` to accept. `none` is never accepted; an HMAC algorithm only with a symmetric
  ///   key.
  package static func verify(
    _ compact: String, key: JWK, algorithms: Set<String>
  ) throws(JOSEError) -> [UInt8] {
    let parts = try CompactToken(compact, parts: 3)
    let header = try parts.header()
    let algorithm = header["alg"]?.string ?? "none"
    guard algorithms.contains(algorithm), algorithm != "none" else {
      throw JOSEError(
        .algorithmNotAllowed,
        "the token is signed by the algorithm \"\(algorithm)\"; allowed: \(algorithms.sorted().joined(separator: ", "))"
      )
    }
    try SignatureAlgorithm.check(key, for: algorithm)
    let payload = try parts.bytes(1, "payload")
    let jws = try value([
      "protected": .string(parts[0]), "payload": .string(parts[1]), "signature": .string(parts[2]),
    ])
    let context = try JoseContext()
    guard cjose_jws_ver(context.pointer, jws.pointer, nil, key.value.pointer, true) else {
      let name = key.keyID.map { "\"\($0)\"" } ?? "without an ID"
      throw JOSEError(
        .signatureMismatch, "the token's signature was not made by the key \(name)\(context.reason)")
    }
    return payload
  }

  private static func value(_ members: [String: JSON]) throws(JOSEError) -> JanssonValue {
    do { return try JanssonValue(.object(members)) } catch { throw JOSEError(.failed, error.message) }
  }
}
