import FoundationEssentials

/// Base64 with the URL-safe alphabet and without padding (RFC 4648, 5; RFC 7515, 2).
package enum Base64URL {
  /// The one spelling of these bytes.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    String(
      decoding: Data(bytes).base64EncodedData().lazy.filter { $0 != UInt8(ascii: "=") }.map { byte in
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: byte
        }
      }, as: UTF8.self)
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
