import CJoseShims
package import Core
import JSON

extension PrivateKey {
  /// The first private key in a PEM text: PKCS #8, PKCS #1 or SEC 1, encrypted or not.
  /// - Parameters:
  ///   - passphrase: for an encrypted key.
  ///   - place: for messages, such as "the key in client.pem".
  package init(
    pem: [UInt8], passphrase: Secret? = nil, keyID: String? = nil, at place: String = "the PEM text"
  ) throws(JOSEError) {
    try JoseLibrary.load()
    let text = PEM(pem)
    guard let label = text.labels.first(where: { $0.hasSuffix("PRIVATE KEY") && $0 != PEM.openSSH }) else {
      throw text.withoutPrivateKey(place)
    }
    let isEncrypted = label.hasPrefix("ENCRYPTED") || text.isEncryptedOldStyle
    if isEncrypted, passphrase == nil {
      throw JOSEError(
        .invalidKey, "\(place) is encrypted, and there is no passphrase",
        hint: "give the passphrase, or decrypt the key: openssl pkey -in FILE -out KEY.pem")
    }
    guard let key = CryptoKey(owning: cjose_pem_key(pem, pem.count, passphrase?.reveal(), true)) else {
      throw isEncrypted
        ? JOSEError(
          .invalidKey, "\(place) cannot be decrypted with the passphrase", hint: "check the passphrase of this key")
        : JOSEError(
          .invalidKey, "\(place) is damaged: the text between \"BEGIN \(label)\" and \"END \(label)\" is not a key",
          hint: "copy the whole file again")
    }
    try self.init(key, keyID.map { ["kid": .string($0)] } ?? [:], at: place)
  }
}

extension JWK {
  /// The public key in a PEM text: a public key, a certificate, or the public half of a private key.
  package init(pem: [UInt8], at place: String = "the PEM text") throws(JOSEError) {
    try JoseLibrary.load()
    let labels = PEM(pem).labels
    if labels.contains("PUBLIC KEY"), let key = CryptoKey(owning: cjose_pem_key(pem, pem.count, nil, false)) {
      try self.init(publicHalfOf: key, at: place)
    } else if labels.contains("CERTIFICATE") {
      let certificate = try Certificate(pem: pem, at: place)
      var members = certificate.publicKey.json.object ?? [:]
      members["x5t#S256"] = .string(certificate.thumbprint)
      members["x5c"] = [.string(PEM.body(of: "CERTIFICATE", in: pem))]
      self = try JWK(.object(members))
    } else {
      self = try PrivateKey(pem: pem, at: place).publicHalf()
    }
  }
}

extension PrivateKey {
  /// The key in PKCS #8 and PEM, without a passphrase, for a library that takes no other form.
  /// - Throws: `invalid_key` for a symmetric key.
  package func pem() throws(JOSEError) -> Secret {
    guard type != "oct", let pem = key.pem() else {
      throw JOSEError(.invalidKey, "a symmetric key has no PEM text").about(place)
    }
    return Secret(given: String(decoding: pem, as: UTF8.self))
  }

  /// The public half. A symmetric key has none and throws.
  package func publicHalf() throws(JOSEError) -> JWK {
    guard let publicKey else { throw JOSEError(.invalidKey, "a symmetric key has no public half").about(place) }
    return publicKey
  }
}

/// The lines of a PEM text (RFC 7468) that tell its content.
struct PEM {
  static let openSSH = "OPENSSH PRIVATE KEY"

  /// The labels between `-----BEGIN` and `-----`, in their order.
  let labels: [String]
  /// True for an encrypted key in the form before PKCS #8 (RFC 1421, 4.6.1.1).
  let isEncryptedOldStyle: Bool

  init(_ bytes: [UInt8]) {
    let lines = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
      .map { String(decoding: $0, as: UTF8.self) }
    labels = lines.compactMap { line in
      guard line.hasPrefix("-----BEGIN "), let end = line.dropFirst(11).firstRange(of: "-----") else { return nil }
      return String(line.dropFirst(11)[..<end.lowerBound])
    }
    isEncryptedOldStyle = lines.contains { $0.hasPrefix("Proc-Type:") && $0.hasSuffix("ENCRYPTED") }
  }

  /// The base64 text of the first part with that label.
  static func body(of label: String, in bytes: [UInt8]) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let begin = text.firstRange(of: "-----BEGIN \(label)-----"),
      let end = text[begin.upperBound...].firstRange(of: "-----END")
    else { return "" }
    return text[begin.upperBound..<end.lowerBound].filter { !$0.isWhitespace }
  }

  /// The error about a text without a private key.
  func withoutPrivateKey(_ place: String) -> JOSEError {
    switch labels.first {
    case nil:
      JOSEError(
        .invalidKey, "\(place) is no PEM text: no line begins with \"-----BEGIN\"",
        hint: "give a private key in PEM or as a JSON Web Key")
    case Self.openSSH?:
      JOSEError(
        .invalidKey, "\(place) has the form of OpenSSH, which is not supported",
        hint: "convert it: ssh-keygen -p -m PKCS8 -f FILE")
    case let label? where label.contains("CERTIFICATE"):
      JOSEError(
        .invalidKey, "\(place) is a certificate; a private key is needed",
        hint: "give the key of the certificate, in a separate file or in this file")
    case let label? where label.hasSuffix("PUBLIC KEY"):
      JOSEError(
        .invalidKey, "\(place) is a public key; a private key is needed",
        hint: "give the private key of this public key")
    case let label?:
      JOSEError(
        .invalidKey, "\(place) has no private key: its first part is \"\(label)\"",
        hint: "give a part \"PRIVATE KEY\"")
    }
  }
}
