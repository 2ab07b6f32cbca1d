import CJose

/// Base64 with the URL-safe alphabet and without padding (RFC 4648, 5; RFC 7515, 2).
package enum Base64URL {
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let input = Array(bytes)
    let size = jose_b64_enc_buf(nil, input.count, nil, 0)
    return String(unsafeUninitializedCapacity: size) { jose_b64_enc_buf(input, input.count, $0.baseAddress, size) }
  }

  /// Nil for padding, white space, a character of another alphabet, an impossible length, or unused bits that are set:
  /// of all spellings of the same bytes only the one that `encode` gives is accepted.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let input = Array(text.utf8)
    let size = jose_b64_dec_buf(nil, input.count, nil, 0)
    guard size != Int.max, size >= 0 else { return nil }
    guard size > 0 else { return [] }
    var decoded: Int?
    let output = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      let written = jose_b64_dec_buf(input, input.count, buffer.baseAddress, size)
      decoded = written == size ? written : nil
      count = decoded ?? 0
    }
    guard decoded != nil, encode(output).utf8.elementsEqual(input) else { return nil }
    return output
  }
}
