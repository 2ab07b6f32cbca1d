import Core
import Crypto
package import JSON

/// Signed text in compact serialization (RFC 7515).
package enum JWS {
  /// The asymmetric algorithms, which a client may accept from an issuer.
  package static let asymmetricAlgorithms = Set(
    SignatureAlgorithm.allCases.filter { $0.keyType != "oct" }.map(\.rawValue))

  /// - Parameter header: its `alg` selects the algorithm; the caller sets `kid` and `typ`.
  package static func sign(_ payload: [UInt8], header: JSON, key: JWK) throws(JOSEError) -> String {
    try sign(payload, header, key.key, .named(algorithm(header), for: key))
  }

  /// The same with a private key.
  package static func sign(_ payload: [UInt8], header: JSON, key: PrivateKey) throws(JOSEError) -> String {
    try sign(payload, header, key.key, .named(algorithm(header), for: key))
  }

  private static func algorithm(_ header: JSON) throws(JOSEError) -> String {
    if let algorithm = header["alg"]?.string { return algorithm }
    throw JOSEError(.algorithmNotAllowed, "the header of a JWS needs the member \"alg\"")
  }

  private static func sign(
    _ payload: [UInt8], _ header: JSON, _ key: CryptoKey, _ algorithm: SignatureAlgorithm
  ) throws(JOSEError) -> String {
    try compact(Base64URL.encode(header.bytes() ?? []), payload, algorithm) { key.sign($0, algorithm) }
  }

  static func compact(
    _ encodedHeader: String, _ payload: [UInt8], _ algorithm: SignatureAlgorithm, _ sign: ([UInt8]) -> [UInt8]?
  ) throws(JOSEError) -> String {
    let text = "\(encodedHeader).\(Base64URL.encode(payload))"
    guard let signature = sign(Array(text.utf8)) else {
      throw JOSEError(.failed, "nothing could be signed by \(algorithm.rawValue) with this key")
    }
    return "\(text).\(Base64URL.encode(signature))"
  }

  /// Verifies the signature and returns the payload.
  /// - Parameter algorithms: the values of `alg` to accept. `none` is never accepted; an HMAC algorithm only with a symmetric
  ///   key.
  package static func verify(
    _ compact: String, key: JWK, algorithms: Set<String>
  ) throws(JOSEError) -> [UInt8] {
    let parts = try CompactToken(compact, parts: 3)
    let name = try parts.header()["alg"]?.string ?? "none"
    guard algorithms.contains(name), name != "none" else {
      throw JOSEError(
        .algorithmNotAllowed,
        "the token is signed by the algorithm \"\(name)\"; allowed: \(algorithms.sorted().joined(separator: ", "))"
      )
    }
    let algorithm = try SignatureAlgorithm.named(name, for: key)
    let payload = try parts.bytes(1, "payload")
    let signature = try parts.bytes(2, "signature")
    guard key.key.verify(signature, of: Array("\(parts[0]).\(parts[1])".utf8), algorithm) else {
      let name = key.keyID.map { "\"\($0)\"" } ?? "without an ID"
      throw JOSEError(.signatureMismatch, "the token's signature was not made by the key \(name)")
    }
    return payload
  }
}
