import Core
package import JSON

/// A private or symmetric key that cannot print itself. It is parsed once; each signature uses the parsed key.
package struct PrivateKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  let key: CryptoKey
  /// The public half; nil for a symmetric key.
  package let publicKey: JWK?
  /// `kty`: `RSA`, `EC`, `OKP` or `oct`.
  package let type: String
  /// The `kid` that was given, else the thumbprint; nil for a symmetric key without one.
  package let keyID: String?
  /// The `alg` of the key, for a key that is meant for one algorithm.
  package let algorithm: String?
  /// The place of the key, for messages: "the key in client.pem".
  package let place: String
  /// The size of the modulus, of the curve, or of a symmetric key.
  let bits: Int

  /// - Parameter members: other members of the JSON Web Key, such as `kid`, `alg` and `use`.
  /// - Throws: `invalid_key` for a type or curve that is not supported, and for a weak key.
  init(_ key: CryptoKey, _ members: [String: JSON] = [:], at place: String) throws(JOSEError) {
    type = key.webKeyType ?? key.type
    publicKey = type == "oct" ? nil : try JWK(publicHalfOf: key, members, at: place)
    keyID = publicKey?.keyID ?? members["kid"]?.string
    self.key = key
    algorithm = members["alg"]?.string
    bits = type == "oct" ? key.secretBits : key.bits
    self.place = place
  }

  /// The key in a JSON Web Key (RFC 7517).
  /// - Parameter place: for messages, such as "the key in client.jwk".
  /// - Throws: `invalid_key` for a public key, for members that do not belong together, and for a weak key.
  package init(jwk json: JSON, at place: String = "the JSON Web Key") throws(JOSEError) {
    let whole: JWK
    do throws(JOSEError) { whole = try JWK(json) } catch { throw error.about(place) }
    guard whole.type == "oct" || json["d"] != nil else {
      throw JOSEError(
        .invalidKey, "\(place) is a public key: it has no member \"d\"", hint: "give the private key of this public key"
      )
    }
    guard json["oth"] == nil else {
      throw JOSEError(.invalidKey, "\(place) is an RSA key of more than two primes (oth), which is not supported")
    }
    try self.init(whole.key, json.object ?? [:], at: place)
    let probe = SignatureAlgorithm.allCases.first { $0.keyType == type && ($0.curve ?? curve) == curve }
    guard let publicKey, let probe else { return }
    // The private numbers were given beside the public ones, and may be those of another key.
    let message = Array("probe".utf8)
    guard let half = CryptoKey.make(json, isPrivate: false), let signature = key.sign(message, probe),
      half.verify(signature, of: message, probe),
      publicKey.thumbprint == whole.thumbprint
    else {
      throw JOSEError(
        .invalidKey, "\(place) is damaged: its private members do not belong to its public members",
        hint: "copy the whole key again")
    }
  }

  /// The algorithms that the key can sign with, the usual one first.
  package var algorithms: [SignatureAlgorithm] {
    SignatureAlgorithm.allCases.filter {
      $0.keyType == type && (algorithm ?? $0.rawValue) == $0.rawValue && ($0.curve ?? curve) == curve
        && (type != "oct" || bits >= $0.smallestSecret)
    }
  }

  /// The curve of an EC or OKP key.
  package var curve: String? { publicKey?.json["crv"]?.string }

  /// The SHA-256 thumbprint (RFC 7638). The one of a symmetric key is a hash of the secret.
  package var thumbprint: String {
    get throws(JOSEError) { try counterpart.thumbprint }
  }

  /// The private JSON Web Key, for the place that stores it or decrypts with it.
  package func reveal() -> JSON {
    let json = key.webKey(isPrivate: true) ?? .null
    var members: [String: JSON] = publicKey?.json.object ?? [:]
    members["kid"] = keyID.map { .string($0) }
    members["alg"] = algorithm.map { .string($0) }
    return .object(members.merging(json.object ?? [:]) { $1 })
  }

  /// The kind and size: `EC P-256`, `RSA 2048`, `OKP Ed25519`, `oct 256`.
  package var kind: String { "\(type) \(curve ?? String(bits))" }

  /// The kind, and the thumbprint of the public half.
  package var description: String { "private key (\(kind)\(publicKey.map { ", \($0.thumbprint)" } ?? ""))" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(reflecting: description) }

  /// The key that verifies signatures of this key and encrypts for it: the public half, or the symmetric key itself.
  package var counterpart: JWK {
    get throws(JOSEError) { if let publicKey { publicKey } else { try JWK(reveal()) } }
  }
}
