import CJansson
import CJoseShims
import Core
import Crypto
package import JSON

/// Encrypted and authenticated text in compact serialization (RFC 7516).
package enum JWE {
  private static let sealing: JSON = ["alg": "dir", "enc": "A256GCM"]
  private static let maximumSize = 64 << 20

  /// Encrypts with a key of 256 bits (`dir`, A256GCM).
  /// - Parameter plain: at least one byte: libjose cannot open an empty plain text.
  package static func seal(_ plain: [UInt8], key: JWK) throws(JOSEError) -> String {
    try encrypt(plain, header: sealing, key: key)
  }

  /// Decrypts a text that `seal` made.
  /// - Throws: for a text that was encrypted with another key or was changed.
  package static func open(_ compact: String, key: JWK) throws(JOSEError) -> [UInt8] {
    let parts = try CompactToken(compact, parts: 5, maximumSize: maximumSize)
    guard try parts.header() == sealing, parts[1].isEmpty else {
      throw JOSEError(.algorithmNotAllowed, "the encrypted text is not of the form dir, A256GCM")
    }
    return try decrypt(parts, sealing, key)
  }

  /// Encrypts with a public or symmetric key.
  /// - Parameters:
  ///   - plain: at least one byte.
  ///   - header: `alg`, `enc` and further members; without `alg` or `enc`, the usual ones of the key.
  package static func encrypt(_ plain: [UInt8], header: JSON, key: JWK) throws(JOSEError) -> String {
    var members = header.object ?? [:]
    if members["alg"] == nil { members["alg"] = KeyEncryption.algorithm(of: key).map { .string($0) } }
    if members["enc"] == nil { members["enc"] = .string(KeyEncryption.content(of: key)) }
    let header = JSON.object(members)
    try KeyEncryption.check(header, key)
    guard !plain.isEmpty else { throw JOSEError(.failed, "there is nothing to encrypt: the text is empty") }
    let context = try JoseContext()
    let (jwe, recipient) = (try value(["protected": header]), try value([:]))
    var contentKey = try bare(key)
    var encryptedKey = ""
    let failure = "nothing could be encrypted with this key"
    if let digest = KeyEncryption.oaepDigest(members["alg"]?.string ?? "") {
      let bytes = SecureRandom.bytes(KeyEncryption.contentKeySize(header))
      guard let wrapped = key.key.oaep(bytes, digest: digest, encrypts: true) else { throw JOSEError(.failed, failure) }
      encryptedKey = Base64URL.encode(wrapped)
      contentKey = try symmetric(bytes)
    } else if key.type == "EC" {
      let wrapping = contentKey
      contentKey = try value([:])
      // libjose puts its members beside the protected header; the compact form has no other place than that one.
      guard
        cjose_jwe_enc_jwk(context.pointer, jwe.pointer, recipient.pointer, wrapping.pointer, contentKey.pointer),
        let whole = JanssonValue(owning: cjose_jwe_hdr(jwe.pointer, recipient.pointer)),
        json_object_set(jwe.pointer, "protected", whole.pointer) == 0
      else { throw JOSEError(.failed, "\(failure)\(context.reason)") }
      encryptedKey = recipient.string("encrypted_key") ?? ""
    }
    guard cjose_jwe_enc_cek(context.pointer, jwe.pointer, contentKey.pointer, plain, plain.count),
      let encodedHeader = jwe.string("protected"), let initialization = jwe.string("iv"),
      let text = jwe.string("ciphertext"), let tag = jwe.string("tag")
    else { throw JOSEError(.failed, "\(failure)\(context.reason)") }
    return "\(encodedHeader).\(encryptedKey).\(initialization).\(text).\(tag)"
  }

  /// Decrypts with a private or symmetric key.
  /// - Throws: for a text that was encrypted for another key or was changed.
  package static func decrypt(_ compact: String, key: PrivateKey) throws(JOSEError) -> (plain: [UInt8], header: JSON) {
    let parts = try CompactToken(compact, parts: 5, maximumSize: maximumSize)
    let header = try parts.header()
    do throws(JOSEError) { return (try decrypt(parts, header, JWK(key.reveal())), header) } catch {
      throw error.kind == .invalidKey ? error.about(key.place) : error
    }
  }

  private static func decrypt(_ parts: CompactToken, _ header: JSON, _ key: JWK) throws(JOSEError) -> [UInt8] {
    try KeyEncryption.check(header, key)
    // The sender's point must be on the curve.
    if let point = header["epk"] { _ = try JWK(point) }
    var members: [String: JSON] = [
      "protected": .string(parts[0]), "iv": .string(parts[2]), "ciphertext": .string(parts[3]),
      "tag": .string(parts[4]),
    ]
    if !parts[1].isEmpty { members["encrypted_key"] = .string(parts[1]) }
    let (jwe, bare) = (try value(members), try bare(key))
    let context = try JoseContext()
    var contentKey: JanssonValue? = bare
    if let digest = KeyEncryption.oaepDigest(header["alg"]?.string ?? "") {
      contentKey = try key.key.oaep(parts.bytes(1, "encrypted key"), digest: digest, encrypts: false).map(symmetric)
    } else if key.type == "EC" {
      contentKey = JanssonValue(owning: cjose_jwe_dec_jwk(context.pointer, jwe.pointer, bare.pointer))
    }
    var size = 0
    guard let contentKey, let plain = cjose_jwe_dec_cek(context.pointer, jwe.pointer, contentKey.pointer, &size) else {
      throw JOSEError(
        .notDecrypted, "the encrypted text was changed, or it was sealed with another key\(context.reason)")
    }
    defer { plain.deallocate() }
    return Array(UnsafeRawBufferPointer(start: plain, count: size))
  }

  /// The key without its uses, which `KeyEncryption` has checked.
  private static func bare(_ key: JWK) throws(JOSEError) -> JanssonValue {
    try value((key.json.object ?? [:]).filter { !["use", "key_ops", "alg", "kid"].contains($0.key) })
  }

  private static func symmetric(_ bytes: [UInt8]) throws(JOSEError) -> JanssonValue {
    try value(["kty": "oct", "k": .string(Base64URL.encode(bytes))])
  }

  private static func value(_ members: [String: JSON]) throws(JOSEError) -> JanssonValue {
    do { return try JanssonValue(.object(members)) } catch { throw JOSEError(.failed, error.message) }
  }
}
