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

  /// - Parameters:
  ///   - members: other members of the JSON Web Key, such as `kid`, `alg` and `use`.
  /// - Throws: `invalid_key` for a type or curve that is not supported, and for a weak key.
  init(_ key: CryptoKey, _ members: [String: JSON] = [:], at place: String) throws(JOSEError) {
    guard let type = key.webKeyType, let json = key.webKey(isPrivate: false) else {
      let curve = key.type == "EC" ? " on the curve \(key.curve ?? "unknown")" : ""
      throw JOSEError(
        .invalidKey, "\(place) is of the type \(key.type)\(curve), which is not supported",
        hint: "use an RSA key, an EC key on P-256, P-384 or P-521, or an Ed25519 key")
    }
    var publicKey: JWK?
    var keyID = members["kid"]?.string
    if type != "oct" {
      do throws(JOSEError) {
        if keyID == nil { keyID = try JWK(json).thumbprint }
        let all = members.merging(json.object ?? [:]) { $1 }.merging(["kid": .string(keyID ?? "")]) { $1 }
        publicKey = try JWK(.object(all)).publicKey
      } catch { throw error.about(place) }
    }
    self.key = key
    self.type = type
    self.publicKey = publicKey
    self.keyID = keyID
    algorithm = members["alg"]?.string
    bits = type == "oct" ? 8 * (key.raw(isPrivate: true)?.count ?? 0) : key.bits
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
    guard let publicKey, let probe = algorithms.first else { return }
    // The private numbers were given beside the public ones, and may be those of another key.
    let half: CryptoKey? = try .make(whole.publicKey.json, isPrivate: false)
    let message = Array("probe".utf8)
    guard let half, let signature = key.sign(message, probe), half.verify(signature, of: message, probe),
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
    get throws(JOSEError) {
      if let publicKey { return publicKey.thumbprint }
      return try JWK(reveal()).thumbprint
    }
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
}
