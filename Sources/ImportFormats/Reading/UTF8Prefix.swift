/// Finds out how much of a text is UTF-8 (RFC 3629). Almost all text is ASCII, of which eight bytes cost one look.
enum UTF8Prefix {
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// The number of bytes at the beginning that are whole characters of UTF-8.
  static func length(_ text: UnsafeRawBufferPointer) -> Int {
    var index = 0
    while index < text.count {
      if index + 8 <= text.count {
        let word = text.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian & highBits
        index += word.trailingZeroBitCount / 8
        if word == 0 { continue }
      }
      let count = character(text, index)
      if count == 0 { return index }
      index += count
    }
    return index
  }

  /// The number of bytes of the character at a place; 0 if there is none, or if it is cut off.
  @inline(__always)
  private static func character(_ text: UnsafeRawBufferPointer, _ index: Int) -> Int {
    let first = UInt32(text[index])
    let count = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    if count == 1 { return 1 }
    guard first >= 0xC2, index + count <= text.count else { return 0 }
    var scalar = first & (0x7F >> UInt32(count))
    for place in index + 1..<index + count {
      let byte = UInt32(text[place])
      guard byte & 0xC0 == 0x80 else { return 0 }
      scalar = scalar << 6 | byte & 0x3F
    }
    switch count {
    case 2: return 2
    case 3: return scalar >= 0x800 && !(0xD800...0xDFFF).contains(scalar) ? 3 : 0
    default: return first <= 0xF4 && (0x10000...0x10FFFF).contains(scalar) ? 4 : 0
    }
  }
}
