import Core
import Crypto
import JSON

extension JWK {
  /// A new RSA key pair for signing.
  /// - Parameters:
  ///   - bits: at least 2048 (RFC 7518, 3.3).
  ///   - keyID: its `kid`; nil for its thumbprint.
  package static func generateRSA(bits: Int = 2048, keyID: String? = nil) throws(JOSEError) -> JWK {
    try signing(PrivateKey.generate(.rsa(bits: bits)), keyID)
  }

  /// A new key pair on an elliptic curve, for signing.
  /// - Parameter curve: `P-256` for ES256, `P-384` for ES384, `P-521` for ES512.
  package static func generateEC(curve: String = "P-256", keyID: String? = nil) throws(JOSEError) -> JWK {
    try signing(PrivateKey.generate(.ec(curve: curve)), keyID)
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

  private static func signing(_ key: PrivateKey, _ keyID: String?) throws(JOSEError) -> JWK {
    var members = key.reveal().object ?? [:]
    members["use"] = "sig"
    if let keyID { members["kid"] = .string(keyID) }
    return try JWK(.object(members))
  }
}
