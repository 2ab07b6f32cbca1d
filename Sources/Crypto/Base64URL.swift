/// Base64 with the URL-safe alphabet and without padding (RFC 4648, 5; RFC 7515, 2).
package enum Base64URL {
  /// The one spelling of these bytes. Foundation's encoder, with its other alphabet and padding,
  /// takes several times as long, and a proof needs three.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let bytes = Array(bytes)
    return String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
      var count = 0
      var held: UInt32 = 0
      var bits: UInt32 = 0
      for byte in bytes {
        held = held << 8 | UInt32(byte)
        bits += 8
        while bits >= 6 {
          bits -= 6
          text[count] = character(held >> bits & 63)
          count += 1
        }
      }
      guard bits > 0 else { return count }
      text[count] = character(held << (6 - bits) & 63)
      return count + 1
    }
  }

  /// The character of a number below 64.
  @inline(__always)
  private static func character(_ number: UInt32) -> UInt8 {
    let number = UInt8(number)
    return switch number {
    case 0..<26: number + UInt8(ascii: "A")
    case 26..<52: number - 26 + UInt8(ascii: "a")
    case 52..<62: number - 52 + UInt8(ascii: "0")
    case 62: UInt8(ascii: "-")
    default: UInt8(ascii: "_")
    }
  }

  /// Accepts only the spelling that `encode` writes. Nil for padding, white space, a character of another alphabet, an
  /// impossible length, or unused bits that are set.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var text = String(text)
    return text.withUTF8 { text in
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.count * 3 / 4)
      var held: UInt32 = 0
      var bits: UInt32 = 0
      for character in text {
        guard let number = number(character) else { return nil }
        held = held << 6 | number
        bits += 6
        guard bits >= 8 else { continue }
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: held >> bits))
      }
      return bits < 6 && held & (1 << bits - 1) == 0 ? bytes : nil
    }
  }

  @inline(__always)
  private static func number(_ character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
