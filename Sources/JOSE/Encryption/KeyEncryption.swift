import Core
import JSON

/// The supported ways to encrypt (RFC 7518, 4 and 5), and the check that a key fits one.
enum KeyEncryption {
  /// `alg`, and the type of its keys. RSA1_5 is missing, because it leaks the text to whoever may ask often.
  private static let keyTypes = [
    "RSA-OAEP": "RSA", "RSA-OAEP-256": "RSA", "ECDH-ES": "EC", "ECDH-ES+A128KW": "EC", "ECDH-ES+A256KW": "EC",
    "dir": "oct",
  ]
  /// `enc`, and the bits of its key.
  private static let contentKeyBits = ["A128GCM": 128, "A256GCM": 256, "A128CBC-HS256": 256, "A256CBC-HS512": 512]

  /// `kty` of the keys for an `alg`; nil for an `alg` that is not supported.
  static func keyType(_ algorithm: String) -> String? { keyTypes[algorithm] }

  /// The `alg` of a header that names none: the one of the key, else the usual one of its type.
  static func algorithm(of key: JWK) -> String? {
    if let meant = key.algorithm, keyTypes[meant] != nil { return meant }
    return ["RSA": "RSA-OAEP-256", "EC": "ECDH-ES+A256KW", "oct": "dir"][key.type]
  }

  /// The `enc` of a header that names none: the one of the key, else the one that fits a symmetric key, else A256GCM.
  static func content(of key: JWK) -> String {
    if let meant = key.algorithm, contentKeyBits[meant] != nil { return meant }
    return key.type == "oct" ? [128: "A128GCM", 512: "A256CBC-HS512"][key.key.secretBits] ?? "A256GCM" : "A256GCM"
  }

  /// The hash of RSA-OAEP by libcrypto's name; nil for other algorithms.
  static func oaepDigest(_ algorithm: String) -> String? { ["RSA-OAEP": "SHA1", "RSA-OAEP-256": "SHA256"][algorithm] }

  /// The bytes of the key that encrypts the text.
  static func contentKeySize(_ header: JSON) -> Int { (contentKeyBits[header["enc"]?.string ?? ""] ?? 0) / 8 }

  /// - Throws: for a header with an unknown `alg` or `enc`, or with `zip`, and for a key that does not fit.
  static func check(_ header: JSON, _ key: JWK) throws(JOSEError) {
    let algorithm = header["alg"]?.string ?? "none"
    guard let type = keyTypes[algorithm] else {
      throw JOSEError(
        .algorithmNotAllowed,
        "the encryption algorithm \"\(algorithm)\" (alg) is not supported; \(keyTypes.keys.sorted().joined(separator: ", ")) are"
      )
    }
    let content = header["enc"]?.string ?? "none"
    guard let bits = contentKeyBits[content] else {
      throw JOSEError(
        .algorithmNotAllowed,
        "the encryption algorithm \"\(content)\" (enc) is not supported; \(contentKeyBits.keys.sorted().joined(separator: ", ")) are"
      )
    }
    guard header["zip"] == nil else {
      throw JOSEError(.algorithmNotAllowed, "the encrypted text is compressed (zip), which is not supported")
    }
    guard key.type == type else {
      throw JOSEError(.invalidKey, "the algorithm \(algorithm) needs a key of type \(type), not of type \(key.type)")
    }
    if let use = key.json["use"]?.string, use != "enc" {
      throw JOSEError(.invalidKey, "the key is meant for signatures (use is \"\(use)\"), not for encryption")
    }
    if let meant = key.algorithm, ![algorithm, content].contains(meant) {
      throw JOSEError(.invalidKey, "the key is meant for the algorithm \(meant), not for \(algorithm)")
    }
    if algorithm == "dir", key.key.secretBits != bits {
      throw JOSEError(.invalidKey, "\(content) needs a symmetric key of \(bits) bits")
    }
  }
}
