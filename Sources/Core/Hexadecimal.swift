extension Sequence<UInt8> {
  /// The bytes as pairs of digits in lower case.
  package var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// The first 16 bytes as a UUID (RFC 9562). `version` is 4 for random bytes, 8 for bytes of their own meaning.
  package func uuid(version: UInt8) -> String {
    var bytes = Array(prefix(16))
    bytes[6] = bytes[6] & 0x0f | version << 4
    bytes[8] = bytes[8] & 0x3f | 0x80
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { bytes[$0].hexadecimal }.joined(separator: "-")
  }
}
