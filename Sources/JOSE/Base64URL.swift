import FoundationEssentials

/// Base64 with the URL-safe alphabet and without padding (RFC 4648, 5; RFC 7515, 2).
package enum Base64URL {
  /// The one spelling of these bytes. Foundation's encoder takes several times as long, and a proof needs three.
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
    var input = text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    input += repeatElement(UInt8(ascii: "="), count: (4 - input.count % 4) % 4)
    guard let data = Data(base64Encoded: Data(input)) else { return nil }
    let output = [UInt8](data)
    return encode(output).utf8.elementsEqual(text.utf8) ? output : nil
  }
}
