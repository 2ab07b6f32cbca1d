/// Standard Base64 with padding (RFC 4648 §4), as HTTP's Basic authentication uses it.
enum Base64 {
  private static let values: [UInt8: UInt32] = Dictionary(
    uniqueKeysWithValues: zip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8, 0...))

  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for character in text.utf8 where character != UInt8(ascii: "=") {
      guard let value = values[character] else { return nil }
      buffer = (buffer << 6 | value) & 0xffff
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
      }
    }
    return bytes
  }
}
