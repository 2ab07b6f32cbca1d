import Crypto
import JOSE
import JSON

/// The algorithms that can sign tokens (RFC 7518 §3.1).
package enum SigningAlgorithm: String, Sendable, CaseIterable {
  case rs256 = "RS256"
  case rs384 = "RS384"
  case rs512 = "RS512"
  case ps256 = "PS256"
  case es256 = "ES256"

  /// The left half of the hash, made with the hash function of the algorithm (OpenID Connect Core §3.1.3.6).
  func halfHash(_ text: String) -> String {
    let hash =
      switch self {
      case .rs256, .ps256, .es256: SHA256.hash(text.utf8)
      case .rs384: SHA384.hash(text.utf8)
      case .rs512: SHA512.hash(text.utf8)
      }
    return Base64URL.encode(hash.prefix(hash.count / 2))
  }

  func makeKey() throws -> JWK {
    let key = try self == .es256 ? JWK.generateEC() : JWK.generateRSA(bits: 2048)
    var members = key.json.object ?? [:]
    members["alg"] = .string(rawValue)
    return try JWK(.object(members))
  }
}

extension JWK {
  var signingAlgorithm: SigningAlgorithm { algorithm.flatMap(SigningAlgorithm.init) ?? .rs256 }
}
