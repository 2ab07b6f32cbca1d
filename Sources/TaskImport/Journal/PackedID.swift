/// A task's ID in few bytes: a byte with the content's length and, in its upper two bits, the kind; then the content.
enum PackedID {
  private static let text: UInt8 = 0 << 6
  /// An even number of lower-case hexadecimal digits, two a byte.
  private static let hexadecimal: UInt8 = 1 << 6
  /// A UUID in lower case (RFC 9562), 16 bytes.
  private static let uuid: UInt8 = 2 << 6
  /// Text of more bytes than fit: the first byte's length is that of the length, least byte first.
  private static let longText: UInt8 = 3 << 6
  private static let longest = 63

  static func append(_ id: String, to bytes: inout [UInt8]) {
    var id = id
    id.withUTF8 { text in
      let start = bytes.count
      bytes.append(0)
      if text.count == 36, appendDigits(text, isUUID: true, to: &bytes) {
        bytes[start] = uuid | 16
      } else if text.count % 2 == 0, text.count <= 2 * longest, appendDigits(text, isUUID: false, to: &bytes) {
        bytes[start] = hexadecimal | UInt8(text.count / 2)
      } else if text.count <= longest {
        bytes[start] = Self.text | UInt8(text.count)
        bytes += text
      } else {
        bytes[start] = longText | 8
        withUnsafeBytes(of: UInt64(text.count).littleEndian) { bytes += $0 }
        bytes += text
      }
    }
  }

  /// How many bytes the ID at the beginning takes; nil when they end before it does.
  static func count(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard let first = bytes.first else { return nil }
    var count = 1 + Int(first & 63)
    guard bytes.count >= count else { return nil }
    if first & 0xc0 == longText { count += length(bytes) }
    return bytes.count >= count ? count : nil
  }

  /// The ID that `bytes` are; nil when they are none.
  static func unpack(_ bytes: ArraySlice<UInt8>) -> String? {
    guard let first = bytes.first, count(bytes) == bytes.count else { return nil }
    let content = bytes.dropFirst()
    switch first & 0xc0 {
    case text: return String(decoding: content, as: UTF8.self)
    case longText: return String(decoding: content.dropFirst(8), as: UTF8.self)
    default:
      var digits: [UInt8] = []
      for (place, byte) in content.enumerated() {
        if first & 0xc0 == uuid, [4, 6, 8, 10].contains(place) { digits.append(UInt8(ascii: "-")) }
        digits += [digit(byte >> 4), digit(byte & 15)]
      }
      return String(decoding: digits, as: UTF8.self)
    }
  }

  private static func length(_ bytes: ArraySlice<UInt8>) -> Int {
    Int(bytes.dropFirst().prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & 0xffff_ffff)
  }

  /// Appends the bytes that the digits stand for; nothing, and false, when there is anything else.
  private static func appendDigits(_ text: UnsafeBufferPointer<UInt8>, isUUID: Bool, to bytes: inout [UInt8]) -> Bool {
    let start = bytes.count
    var place = 0
    while place < text.count {
      if isUUID, place == 8 || place == 13 || place == 18 || place == 23 {
        guard text[place] == UInt8(ascii: "-") else { break }
        place += 1
      }
      guard let high = value(text[place]), let low = value(text[place + 1]) else { break }
      bytes.append(high << 4 | low)
      place += 2
    }
    if place == text.count { return true }
    bytes.removeLast(bytes.count - start)
    return false
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
