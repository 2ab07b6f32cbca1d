import CJansson
import CJoseShims
package import JSON

/// A key as JSON (RFC 7517): RSA, EC or symmetric.
package struct JWK: Sendable {
  package let json: JSON
  /// The key as a value for libjose.
  let value: JanssonValue

  /// - Throws: `invalid_key` for an object without a known `kty` or without a member that its type needs, and for a weak key
  ///   (see `KeyStrength`).
  package init(_ json: JSON) throws(JOSEError) {
    guard let type = json["kty"]?.string else {
      throw JOSEError(.invalidKey, "a JSON Web Key needs the member \"kty\", a string")
    }
    guard let required = Self.requiredMembers[type] else {
      throw JOSEError(.invalidKey, "a JSON Web Key of type \"\(type)\" is not supported; RSA, EC and oct are")
    }
    for name in required {
      guard let value = json[name]?.string, !value.isEmpty else {
        throw JOSEError(.invalidKey, "a JSON Web Key of type \(type) needs the member \"\(name)\", a string")
      }
    }
    try KeyStrength.check(json, type)
    do { value = try JanssonValue(json) } catch { throw JOSEError(.invalidKey, error.message) }
    self.json = json
  }

  init(_ value: JanssonValue) throws(JOSEError) {
    guard let json = JSON(value.pointer, depth: JSON.maximumDepth) else {
      throw JOSEError(.invalidKey, "a JSON Web Key nests too deep")
    }
    try self.init(json)
  }

  private static let requiredMembers = ["RSA": ["n", "e"], "EC": ["crv", "x", "y"], "oct": ["k"]]

  /// `kty`: `RSA`, `EC` or `oct`.
  package var type: String { json["kty"]?.string ?? "" }
  /// `kid`, by which a token names the key that signed it.
  package var keyID: String? { json["kid"]?.string }
  /// `alg`, for a key that is meant for one algorithm.
  package var algorithm: String? { json["alg"]?.string }

  /// True for a key that may verify signatures: `use` is `sig` or absent, and `key_ops` has `verify` or is absent.
  package var isForSignatures: Bool {
    (json["use"]?.string ?? "sig") == "sig" && (json["key_ops"]?.array?.contains("verify") ?? true)
  }

  /// The key without its private members. A symmetric key has no public half and throws.
  package var publicKey: JWK {
    get throws(JOSEError) {
      guard type != "oct" else { throw JOSEError(.invalidKey, "a symmetric key has no public half") }
      let context = try JoseContext()
      guard let copy = JanssonValue(owning: json_deep_copy(value.pointer)), cjose_jwk_pub(context.pointer, copy.pointer)
      else { throw JOSEError(.failed, "the public half of a key could not be made\(context.reason)") }
      return try JWK(copy)
    }
  }

  /// The SHA-256 thumbprint (RFC 7638) in base64url.
  package func thumbprint() throws(JOSEError) -> String {
    let context = try JoseContext()
    guard let text = JanssonValue(owning: cjose_jwk_thp(context.pointer, value.pointer, "S256")),
      let thumbprint = JSON(text.pointer, depth: 1)?.string
    else { throw JOSEError(.invalidKey, "the key has no thumbprint\(context.reason)") }
    return thumbprint
  }
}
