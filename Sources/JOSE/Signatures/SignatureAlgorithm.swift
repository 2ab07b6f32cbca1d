import Core
import Crypto
import JSON

/// The signature algorithms (RFC 7518, 3.1; RFC 8037, 3.1) without `none`, the usual one of a key first.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
  case es256 = "ES256"
  case es384 = "ES384"
  case es512 = "ES512"
  case rs256 = "RS256"
  case rs384 = "RS384"
  case rs512 = "RS512"
  case ps256 = "PS256"
  case ps384 = "PS384"
  case ps512 = "PS512"
  case edDSA = "EdDSA"
  case hs256 = "HS256"
  case hs384 = "HS384"
  case hs512 = "HS512"

  /// `kty` of the keys that can use it.
  package var keyType: String {
    switch self {
    case .es256, .es384, .es512: "EC"
    case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: "RSA"
    case .edDSA: "OKP"
    case .hs256, .hs384, .hs512: "oct"
    }
  }

  /// The only curve of its keys.
  var curve: String? {
    switch self {
    case .es256: "P-256"
    case .es384: "P-384"
    case .es512: "P-521"
    case .edDSA: "Ed25519"
    default: nil
    }
  }

  /// libcrypto's name of the hash; nil for EdDSA, which hashes by itself.
  var digest: String? { self == .edDSA ? nil : "SHA\(rawValue.suffix(3))" }

  /// The left half of the algorithm's hash in base64url, as in `at_hash` (OpenID Connect Core, 3.1.3.6).
  package func leftHalfHash(of text: String) -> String {
    let hash =
      switch self {
      case .es384, .rs384, .ps384, .hs384: SHA384.hash(text.utf8)
      // Ed25519 hashes with SHA-512.
      case .es512, .rs512, .ps512, .hs512, .edDSA: SHA512.hash(text.utf8)
      default: SHA256.hash(text.utf8)
      }
    return Base64URL.encode(hash.prefix(hash.count / 2))
  }

  var isPSS: Bool { rawValue.hasPrefix("PS") }

  /// The bits that a symmetric key needs (RFC 7518, 3.2).
  var smallestSecret: Int { Int(rawValue.suffix(3)) ?? 0 }

  /// The algorithm of that name, for a key.
  /// - Throws: for a name that is unknown, and for a key of another type, so that a public RSA key cannot be used as an HMAC
  ///   secret.
  static func named(_ name: String, for key: JWK) throws(JOSEError) -> SignatureAlgorithm {
    try named(name).checked(key.type, key.json["crv"]?.string, key.algorithm) { key.key.secretBits }
  }

  static func named(_ name: String, for key: PrivateKey) throws(JOSEError) -> SignatureAlgorithm {
    let algorithm = try named(name)
    do throws(JOSEError) {
      return try algorithm.checked(key.type, key.curve, key.algorithm) { key.bits }
    } catch {
      var error = error.about(key.place)
      let possible = key.algorithms.map(\.rawValue).joined(separator: ", ")
      error.hint = possible.isEmpty ? "this key can make no signatures" : "this key can sign with \(possible)"
      throw error
    }
  }

  private static func named(_ name: String) throws(JOSEError) -> SignatureAlgorithm {
    if let algorithm = SignatureAlgorithm(rawValue: name) { return algorithm }
    throw JOSEError(.algorithmNotAllowed, "the signature algorithm \"\(name)\" is not supported")
  }

  private func checked(
    _ type: String, _ actualCurve: String?, _ meant: String?, _ secretBits: () -> Int
  ) throws(JOSEError) -> SignatureAlgorithm {
    guard type == keyType else {
      throw JOSEError(.invalidKey, "the algorithm \(rawValue) needs a key of type \(keyType), not of type \(type)")
    }
    if let curve, let actualCurve, actualCurve != curve {
      throw JOSEError(.invalidKey, "the algorithm \(rawValue) needs a key on the curve \(curve), not on \(actualCurve)")
    }
    if let meant, meant != rawValue {
      throw JOSEError(.invalidKey, "the key is meant for the algorithm \(meant), not for \(rawValue)")
    }
    if type == "oct", secretBits() < smallestSecret {
      throw JOSEError(
        .invalidKey,
        "the algorithm \(rawValue) needs a key of at least \(smallestSecret) bits; this one has \(secretBits())")
    }
    return self
  }
}
