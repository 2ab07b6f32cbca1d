import Core
import Crypto
import JOSE
import JSON

/// A proof or an assertion of this client that is about to be signed again, with other contents.
struct JWTDraft: Sendable {
  enum Signer: Sendable {
    /// The key of the client.
    case same
    /// A new key of the same kind.
    case other
    /// None: `alg` is `none`.
    case nobody
  }

  var header: [String: JSON]
  var claims: [String: JSON]
  var signer = Signer.same

  init(_ text: String) throws(JOSEError) {
    let token = try JWT(decoding: text)
    header = token.header.object ?? [:]
    claims = token.claims.object ?? [:]
  }

  /// The time of the JWT, moved by some seconds.
  mutating func move(by seconds: Int64) {
    for name in ["iat", "nbf", "exp"] {
      if let time = claims[name]?.lenientInteger { claims[name] = .integer(time + seconds) }
    }
  }

  /// - Parameter key: the key of the client.
  func signed(_ key: PrivateKey) throws(JOSEError) -> String {
    switch signer {
    case .same: return try JWT.sign(.object(claims), header: header, key: key)
    case .nobody:
      var header = header
      header["alg"] = "none"
      let parts: [JSON] = [.object(header), .object(claims)]
      return parts.map { Base64URL.encode($0.bytes() ?? []) }.joined(separator: ".") + "."
    case .other:
      let other = try Self.replacement(key, header["alg"]?.string)
      var header = header
      // A proof names its key. An assertion goes on to name the registered one.
      if header["jwk"] != nil, let members = other.publicKey?.json.object {
        header["jwk"] = .object(members.filter { ["kty", "crv", "x", "y", "n", "e"].contains($0.key) })
      }
      return try JWT.sign(.object(claims), header: header, key: other)
    }
  }

  private static func replacement(_ key: PrivateKey, _ algorithm: String?) throws(JOSEError) -> PrivateKey {
    guard key.type == "oct" else {
      return try .generate(try PrivateKey.Kind(type: nil, curve: nil, bits: nil, algorithm: algorithm))
    }
    return try PrivateKey(jwk: ["kty": "oct", "k": .string(SecureRandom.token(64))], at: "another secret")
  }
}
