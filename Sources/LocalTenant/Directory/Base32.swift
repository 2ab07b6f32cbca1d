/// Base32 (RFC 4648 §6), as authenticator apps accept it: uppercase or lowercase, with or without spaces and padding.
enum Base32 {
  private static let values: [Character: UInt32] = Dictionary(
    uniqueKeysWithValues: zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 0...))

  /// Returns nil if the text is empty or not Base32.
  static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for character in text.uppercased() where !character.isWhitespace && character != "=" && character != "-" {
      guard let value = values[character] else { return nil }
      buffer = (buffer << 5 | value) & 0xffff
      bits += 5
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
      }
    }
    return bytes.isEmpty ? nil : bytes
  }
}
