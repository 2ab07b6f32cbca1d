import CJoseShims
import JSON

extension JWK {
  /// A new RSA key pair for signing.
  /// - Parameters:
  ///   - bits: at least 2048 (RFC 7518, 3.3).
  ///   - keyID: its `kid`; nil for its thumbprint.
  package static func generateRSA(bits: Int = 2048, keyID: String? = nil) throws(JOSEError) -> JWK {
    guard bits >= 2048 else { throw JOSEError(.invalidKey, "an RSA key needs at least 2048 bits, not \(bits)") }
    return try generate(["kty": "RSA", "bits": .integer(Int64(bits)), "use": "sig"], keyID)
  }

  /// A new key pair on an elliptic curve, for signing.
  /// - Parameter curve: `P-256` for ES256, `P-384` for ES384, `P-521` for ES512.
  package static func generateEC(curve: String = "P-256", keyID: String? = nil) throws(JOSEError) -> JWK {
    try generate(["kty": "EC", "crv": .string(curve), "use": "sig"], keyID)
  }

  /// A new symmetric key.
  /// - Parameter bits: a multiple of 8; 256 for A256GCM.
  package static func generateSymmetric(bits: Int = 256, keyID: String? = nil) throws(JOSEError) -> JWK {
    guard bits > 0, bits % 8 == 0 else {
      throw JOSEError(.invalidKey, "a symmetric key needs a multiple of 8 bits, not \(bits)")
    }
    return try JWK.symmetric(SecureRandom.bytes(bits / 8), keyID: keyID)
  }

  /// The symmetric key with those bytes.
  package static func symmetric(_ bytes: [UInt8], keyID: String? = nil) throws(JOSEError) -> JWK {
    var members: [String: JSON] = ["kty": "oct", "k": .string(Base64URL.encode(bytes))]
    members["kid"] = keyID.map(JSON.string)
    return try JWK(.object(members))
  }

  private static func generate(_ template: [String: JSON], _ keyID: String?) throws(JOSEError) -> JWK {
    let value: JanssonValue
    do { value = try JanssonValue(.object(template)) } catch { throw JOSEError(.failed, error.message) }
    let context = try JoseContext()
    guard cjose_jwk_gen(context.pointer, value.pointer) else {
      throw JOSEError(.failed, "no key could be made\(context.reason)")
    }
    let key = try JWK(value)
    guard var members = key.json.object else { return key }
    let name = if let keyID { keyID } else { try key.thumbprint() }
    members["kid"] = .string(name)
    return try JWK(.object(members))
  }
}
