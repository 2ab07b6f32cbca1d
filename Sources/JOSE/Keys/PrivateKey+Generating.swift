import CJoseShims
import Core
import Crypto
import JSON

extension PrivateKey {
  /// The kind of a new key.
  package enum Kind: Sendable {
    case rsa(bits: Int)
    /// `P-256`, `P-384` or `P-521`.
    case ec(curve: String)
    case ed25519
    case symmetric(bits: Int)

    /// The kind with these members of a JSON Web Key; a member that is nil follows from the algorithm.
    /// - Throws: `invalid_key` for a curve or size that the type does not have.
    package init(type: String?, curve: String?, bits: Int?, algorithm: String?) throws(JOSEError) {
      let signature = algorithm.flatMap(SignatureAlgorithm.init)
      if let algorithm, signature == nil, KeyEncryption.keyType(algorithm) == nil {
        throw JOSEError(.algorithmNotAllowed, "the algorithm \"\(algorithm)\" is not supported")
      }
      let curveType = curve.map { $0 == "Ed25519" ? "OKP" : "EC" }
      let type = type ?? signature?.keyType ?? algorithm.flatMap(KeyEncryption.keyType) ?? curveType ?? "EC"
      if let curve, curveType != type {
        throw JOSEError(.invalidKey, "a key of type \(type) has no curve \(curve)")
      }
      if bits != nil, type != "RSA", type != "oct" {
        throw JOSEError(.invalidKey, "a key of type \(type) has no size in bits", hint: "choose its curve, crv")
      }
      switch type {
      case "RSA": self = .rsa(bits: bits ?? 2048)
      case "OKP": self = .ed25519
      case "oct": self = .symmetric(bits: bits ?? signature?.smallestSecret ?? 256)
      default: self = .ec(curve: curve ?? signature?.curve ?? "P-256")
      }
    }
  }

  private static let modulusSizes = 2048...4096

  /// A new key. A replay gets the key of the recorded run.
  /// - Parameters:
  ///   - keyID: its `kid`; nil for its thumbprint.
  ///   - algorithm: its `alg`; nil for every algorithm of its type.
  /// - Throws: `invalid_key` for a size or curve that is not supported.
  package static func generate(
    _ kind: Kind, keyID: String? = nil, algorithm: String? = nil
  ) throws(JOSEError) -> PrivateKey {
    guard let tape = CurrentTape.value else { return try make(kind, keyID: keyID, algorithm: algorithm) }
    do {
      let kept = try tape.input(.key, "\(kind)") {
        Array(try make(kind, keyID: keyID, algorithm: algorithm).reveal().encoded().utf8)
      }
      return try PrivateKey(jwk: JSON(parsing: kept), at: "the new key")
    } catch { throw error as? JOSEError ?? JOSEError(.failed, "\(error)") }
  }

  private static func make(_ kind: Kind, keyID: String?, algorithm: String?) throws(JOSEError) -> PrivateKey {
    try JoseLibrary.load()
    let key: CryptoKey?
    switch kind {
    case .rsa(let bits):
      guard modulusSizes.contains(bits), bits % 8 == 0 else {
        throw JOSEError(
          .invalidKey,
          bits < modulusSizes.lowerBound
            ? "an RSA key needs at least \(modulusSizes.lowerBound) bits, not \(bits)"
            : "a new RSA key can have 2048 to 4096 bits in steps of 8, not \(bits)")
      }
      key = CryptoKey(owning: cjose_generate_rsa(bits))
    case .ec(let curve):
      guard KeyStrength.coordinateSizes[curve] != nil else {
        throw JOSEError(
          .invalidKey, "there is no EC key on the curve \"\(curve)\"; P-256, P-384 and P-521 are supported")
      }
      key = CryptoKey(owning: cjose_generate_ec(curve))
    case .ed25519: key = CryptoKey(owning: cjose_generate_ed25519())
    case .symmetric(let bits):
      guard (128...4096).contains(bits), bits % 8 == 0 else {
        throw JOSEError(.invalidKey, "a new symmetric key can have 128 to 4096 bits in steps of 8, not \(bits)")
      }
      key = CryptoKey("HMAC", raw: SecureRandom.bytes(bits / 8), isPrivate: true)
    }
    guard let key else {
      cjose_clear_errors()
      throw JOSEError(.failed, "libcrypto could not make a key")
    }
    var members: [String: JSON] = [:]
    members["kid"] = keyID.map { .string($0) }
    members["alg"] = algorithm.map { .string($0) }
    let made = try PrivateKey(key, members, at: "the new key")
    guard let algorithm, made.algorithms.isEmpty, KeyEncryption.keyType(algorithm) != made.type else { return made }
    throw JOSEError(.invalidKey, "a new key of the kind \(made.kind) cannot be used for the algorithm \(algorithm)")
  }
}
