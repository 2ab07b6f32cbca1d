import Core
import Crypto
package import JSON

/// A key as JSON (RFC 7517): RSA, EC, OKP (Ed25519) or symmetric. `PrivateKey` is for private keys of people.
package struct JWK: Sendable {
  package let json: JSON
  let key: CryptoKey

  /// - Throws: `invalid_key` for an object without a known `kty` or without a member that its type needs, and for a weak key
  ///   (see `KeyStrength`).
  package init(_ json: JSON) throws(JOSEError) {
    guard let type = json["kty"]?.string else {
      throw JOSEError(.invalidKey, "a JSON Web Key needs the member \"kty\", a string")
    }
    guard let required = Self.requiredMembers[type] else {
      throw JOSEError(.invalidKey, "a JSON Web Key of type \"\(type)\" is not supported; RSA, EC, OKP and oct are")
    }
    for name in required {
      guard let value = json[name]?.string, !value.isEmpty else {
        throw JOSEError(.invalidKey, "a JSON Web Key of type \(type) needs the member \"\(name)\", a string")
      }
    }
    try KeyStrength.check(json, type)
    try JoseLibrary.load()
    guard let key = CryptoKey.make(json, isPrivate: json["d"] != nil) else {
      throw JOSEError(
        .invalidKey,
        type == "EC"
          ? "the EC key's point (x, y) is not on the curve \(json["crv"]?.string ?? "")"
          : "the members of the JSON Web Key are not a valid \(type) key")
    }
    self.json = json
    self.key = key
  }

  /// The public half of a key of libcrypto.
  /// - Parameters:
  ///   - members: other members of the JSON Web Key. Without `kid`, its thumbprint becomes the `kid`.
  ///   - place: the key, for messages.
  init(publicHalfOf key: CryptoKey, _ members: [String: JSON] = [:], at place: String) throws(JOSEError) {
    guard let json = key.webKey(isPrivate: false) else {
      let curve = key.type == "EC" ? " on the curve \(key.curve ?? "unknown")" : ""
      throw JOSEError(
        .invalidKey, "\(place) is of the type \(key.type)\(curve), which is not supported",
        hint: "use an RSA key, an EC key on P-256, P-384 or P-521, or an Ed25519 key")
    }
    do throws(JOSEError) {
      var all = members.merging(json.object ?? [:]) { $1 }
      if members["kid"]?.string == nil { all["kid"] = .string(try JWK(json).thumbprint) }
      self = try JWK(.object(all)).publicKey
    } catch { throw error.about(place) }
  }

  static let requiredMembers = ["RSA": ["n", "e"], "EC": ["crv", "x", "y"], "OKP": ["crv", "x"], "oct": ["k"]]
  private static let privateMembers: Set<String> = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

  /// `kty`: `RSA`, `EC`, `OKP` or `oct`.
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
      var members = (json.object ?? [:]).filter { !Self.privateMembers.contains($0.key) }
      if let uses = members["key_ops"]?.array {
        let publicUses: [JSON: JSON] = ["sign": "verify", "decrypt": "encrypt", "unwrapKey": "wrapKey"]
        members["key_ops"] = .array(uses.map { publicUses[$0] ?? $0 })
      }
      return try JWK(.object(members))
    }
  }

  /// The SHA-256 thumbprint (RFC 7638) in base64url.
  package var thumbprint: String {
    // The names are sorted, and there is no white space.
    let members = (json.object ?? [:]).filter {
      $0.key == "kty" || Self.requiredMembers[type]?.contains($0.key) == true
    }
    return Base64URL.encode(SHA256.hash(JSON.object(members).encoded().utf8))
  }
}
