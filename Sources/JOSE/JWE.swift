import CJoseShims
import JSON

/// Encrypted and authenticated text in compact serialization (RFC 7516): A256GCM with a key of 256 bits (`dir`).
package enum JWE {
  private static let header: JSON = ["alg": "dir", "enc": "A256GCM"]
  private static let maximumSize = 64 << 20

  /// - Parameter plain: at least one byte: libjose cannot open an empty plain text.
  package static func seal(_ plain: [UInt8], key: JWK) throws(JOSEError) -> String {
    try check(key)
    guard !plain.isEmpty else { throw JOSEError(.failed, "there is nothing to encrypt: the text is empty") }
    let jwe = try value(["protected": header])
    let context = try JoseContext()
    guard cjose_jwe_enc_cek(context.pointer, jwe.pointer, key.value.pointer, plain, plain.count),
      let encodedHeader = jwe.string("protected"), let initialization = jwe.string("iv"),
      let text = jwe.string("ciphertext"),
      let tag = jwe.string("tag")
    else { throw JOSEError(.failed, "nothing could be encrypted with this key\(context.reason)") }
    return "\(encodedHeader)..\(initialization).\(text).\(tag)"
  }

  /// Decrypts a text in compact serialization (RFC 7516, 7.1).
  /// - Throws: for a text that was encrypted with another key or was changed.
  package static func open(_ compact: String, key: JWK) throws(JOSEError) -> [UInt8] {
    try check(key)
    let parts = try CompactToken(compact, parts: 5, maximumSize: maximumSize)
    guard try parts.header() == header, parts[1].isEmpty else {
      throw JOSEError(.algorithmNotAllowed, "the encrypted text is not of the form dir, A256GCM")
    }
    let jwe = try value([
      "protected": .string(parts[0]), "iv": .string(parts[2]), "ciphertext": .string(parts[3]),
      "tag": .string(parts[4]),
    ])
    let context = try JoseContext()
    var size = 0
    guard let plain = cjose_jwe_dec_cek(context.pointer, jwe.pointer, key.value.pointer, &size) else {
      throw JOSEError(
        .notDecrypted, "the encrypted text was changed, or it was sealed with another key\(context.reason)")
    }
    defer { plain.deallocate() }
    return Array(UnsafeRawBufferPointer(start: plain, count: size))
  }

  private static func check(_ key: JWK) throws(JOSEError) {
    guard key.type == "oct", let bytes = key.json["k"]?.string.flatMap(Base64URL.decode), bytes.count == 32 else {
      throw JOSEError(.invalidKey, "A256GCM needs a symmetric key of 256 bits")
    }
  }

  private static func value(_ members: [String: JSON]) throws(JOSEError) -> JanssonValue {
    do { return try JanssonValue(.object(members)) } catch { throw JOSEError(.failed, error.message) }
  }
}
