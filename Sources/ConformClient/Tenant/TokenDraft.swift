import Crypto
package import JOSE
package import JSON

/// A token of the tenant that is signed again, with other contents or in another way.
package struct TokenDraft {
  package enum Signature {
    /// The key of the tenant.
    case own
    /// Another key of the same kind.
    case other
    /// No signature: `alg` is `none`, in this spelling.
    case none(String)
    /// A MAC with these bytes as the key (HS256).
    case secret([UInt8])
    /// The signature of the tenant for other claims.
    case ofOtherClaims
    /// An empty signature below an unchanged header.
    case removed
    case key(JWK)
  }

  package var header: [String: JSON]
  package var claims: [String: JSON]
  package var signature = Signature.own
  /// Changes the signed text.
  package var finish: @Sendable (String) -> String = { $0 }

  init(_ text: String) throws {
    let token = try JWT(decoding: text)
    header = token.header.object ?? [:]
    claims = token.claims.object ?? [:]
  }

  mutating func dropLastPart() { finish = { $0.split(separator: ".").prefix(2).joined(separator: ".") } }

  mutating func reverseSignature() {
    finish = { text in
      let parts = text.split(separator: ".").map(String.init)
      return "\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))"
    }
  }

  /// The token says that it has no signature, and has one.
  mutating func addSignatureToNone() {
    signature = .none("none")
    finish = { $0 + "c2lnbmF0dXJl" }
  }

  /// Adds a member that nobody knows and that everybody has to know (RFC 7515, 4.1.11).
  mutating func addCriticalMember() {
    header["crit"] = ["conform"]
    header["conform"] = true
  }

  /// The token brings the key that it is signed with (RFC 7515, 4.1.3).
  mutating func bringKey(_ keys: TenantKeys) throws {
    header["jwk"] = .object(try TenantKeys.published(keys.other))
    signature = .other
  }

  /// Moves a time by some seconds; does nothing if the claim is missing.
  mutating func move(_ name: String, by seconds: Int64) {
    if let time = claims[name]?.lenientInteger { claims[name] = .integer(time + seconds) }
  }

  /// Moves all times by some seconds.
  mutating func age(by seconds: Int64) {
    for name in ["iat", "nbf", "exp", "auth_time"] { move(name, by: -seconds) }
  }

  func signed(_ keys: TenantKeys) throws -> String {
    finish(try signedText(keys))
  }

  private func signedText(_ keys: TenantKeys) throws -> String {
    var header = header
    switch signature {
    case .own: return try JWS.sign(payload, header: .object(header), key: keys.own)
    case .other: return try JWS.sign(payload, header: .object(header), key: keys.other)
    case .key(let key): return try JWS.sign(payload, header: .object(header), key: key)
    case .none(let name):
      header["alg"] = .string(name)
      return unsigned(header) + "."
    case .secret(let bytes):
      header["alg"] = "HS256"
      let text = unsigned(header)
      return text + "." + Base64URL.encode(HMAC.sha256(key: bytes, Array(text.utf8)))
    case .removed: return unsigned(header) + "."
    case .ofOtherClaims:
      var other = claims
      other["jti"] = "other"
      let signed = try JWS.sign(Self.bytes(other), header: .object(header), key: keys.own)
      return unsigned(header) + "." + (signed.split(separator: ".").last.map(String.init) ?? "")
    }
  }

  private var payload: [UInt8] { Self.bytes(claims) }
  private func unsigned(_ header: [String: JSON]) -> String {
    Base64URL.encode(Self.bytes(header)) + "." + Base64URL.encode(payload)
  }
  private static func bytes(_ members: [String: JSON]) -> [UInt8] { Array(JSON.object(members).encoded().utf8) }
}

/// The keys of all tenants of a run. RSA keys take long to make.
package struct TenantKeys: Sendable {
  package let own: JWK
  package let other: JWK

  package init() throws {
    (own, other) = (try Self.make(), try Self.make())
  }

  private static func make() throws -> JWK {
    let key = try JWK.generateRSA()
    return try JWK(.object((key.json.object ?? [:]).merging(["alg": "RS256"]) { $1 }))
  }

  /// The public members of a key, as a JWKS has them.
  static func published(_ key: JWK) throws -> [String: JSON] {
    var members = try key.publicKey.json.object ?? [:]
    members["use"] = "sig"
    members["key_ops"] = nil
    return members
  }
}
