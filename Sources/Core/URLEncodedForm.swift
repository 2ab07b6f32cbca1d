/// `application/x-www-form-urlencoded` (the URL standard, section 5) and percent-encoding (RFC 3986, 2.1).
package enum URLEncodedForm {
  /// `name=value&…` with a space as `+`.
  package static func encode(_ fields: [(String, String)]) -> String {
    String(decoding: bytes(fields), as: UTF8.self)
  }

  /// The same as the bytes of a body.
  package static func bytes(_ fields: [(String, String)]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (name, value) in fields { append(name, value, to: &bytes) }
    return bytes
  }

  package static func append(_ name: String, _ value: String, to bytes: inout [UInt8]) {
    // Most text needs no escape.
    bytes.reserveCapacity(bytes.count + name.utf8.count + value.utf8.count + 16)
    if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
    append(escaped: name, space: plus, to: &bytes)
    bytes.append(UInt8(ascii: "="))
    append(escaped: value, space: plus, to: &bytes)
  }

  /// Encodes all but the unreserved characters as `%XX`, for one part of a path or a query.
  package static func percentEncode(_ text: String) -> String {
    var bytes: [UInt8] = []
    append(escaped: text, space: nil, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The fields of a query (without its `?`) or of a body, in order. As in browsers, a `%` without two hexadecimal digits
  /// stays, and bytes that are no UTF-8 are replaced.
  package static func decode(_ text: some StringProtocol) -> [(String, String)] {
    text.utf8.split(separator: UInt8(ascii: "&")).map { field in
      let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      return (unescape(parts[0]), parts.count > 1 ? unescape(parts[1]) : "")
    }
  }

  private static let plus = UInt8(ascii: "+")
  private static let hexDigits = Array("0123456789ABCDEF".utf8)

  private static func append(escaped text: String, space: UInt8?, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
      if byte.isWordPart || byte == UInt8(ascii: "~") {
        bytes.append(byte)
      } else if byte == UInt8(ascii: " "), let space {
        bytes.append(space)
      } else {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(hexDigits[Int(byte >> 4)])
        bytes.append(hexDigits[Int(byte & 15)])
      }
    }
  }

  /// Decodes one name, one value, or a path.
  package static func unescape(_ text: some Sequence<UInt8>, plusIsSpace: Bool = true) -> String {
    let text = Array(text)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      let byte = text[index]
      index += 1
      if byte == UInt8(ascii: "+"), plusIsSpace {
        bytes.append(UInt8(ascii: " "))
      } else if byte == UInt8(ascii: "%"), index + 1 < text.count, let high = hexValue(text[index]),
        let low = hexValue(text[index + 1])
      {
        bytes.append(high << 4 | low)
        index += 2
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func hexValue(_ digit: UInt8) -> UInt8? {
    Character(Unicode.Scalar(digit)).hexDigitValue.map { UInt8($0) }
  }
}
