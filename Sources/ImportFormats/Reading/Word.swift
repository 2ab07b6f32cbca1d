enum Word {
  static let lineFeeds = all(UInt8(ascii: "\n"))
  static let carriageReturns = all(UInt8(ascii: "\r"))

  @inline(__always) static func all(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }

  /// The highest bit of the first zero byte; 0 if no byte is zero. Higher bits mean nothing.
  @inline(__always)
  static func zeros(_ word: UInt64) -> UInt64 {
    (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
  }
}

/// The number of line breaks in a text. A CRLF is one.
func lineBreaks(in text: UnsafeRawBufferPointer) -> Int {
  var count = 0
  var last: UInt8 = 0
  var index = 0
  while index < text.count {
    if index + 8 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
      let found = Word.zeros(word ^ Word.lineFeeds) | Word.zeros(word ^ Word.carriageReturns)
      if found == 0 {
        last = 0
        index += 8
        continue
      }
    }
    let byte = text[index]
    if byte == UInt8(ascii: "\r") || (byte == UInt8(ascii: "\n") && last != UInt8(ascii: "\r")) { count += 1 }
    last = byte
    index += 1
  }
  return count
}
