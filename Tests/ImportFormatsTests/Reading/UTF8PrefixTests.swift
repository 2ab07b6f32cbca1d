import Testing

@testable import ImportFormats

/// The fast look at UTF-8 agrees with Swift's.
struct UTF8PrefixTests {
  private func length(_ bytes: [UInt8]) -> Int { bytes.withUnsafeBytes { UTF8Prefix.length($0) } }

  private func expected(_ bytes: [UInt8]) -> Int {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
      return bytes.count
    } catch { return error.byteOffsets.lowerBound }
  }

  @Test(arguments: [
    "", "plain text of more than eight bytes", "Größe", "牛乳を買う", "😀 and 👩‍👩‍👧", "a\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}",
  ])
  func aTextIsWhole(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(length(bytes) == bytes.count)
    // Cut off anywhere, it ends behind its last whole character.
    for count in 0..<bytes.count { #expect(length(Array(bytes[..<count])) == expected(Array(bytes[..<count]))) }
  }

  /// Overlong forms, surrogates, bytes beyond U+10FFFF and continuations without a beginning, at each place of a word.
  @Test(arguments: [
    [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x9F, 0xBF], [0xE2, 0x82], [0xE2, 0x28, 0xA1],
    [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
    [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFF], [0xFE],
  ] as [[UInt8]])
  func otherBytesAreFound(_ wrong: [UInt8]) {
    for place in 0..<20 {
      let bytes = Array(repeating: 0x61, count: place) + wrong + Array("more text".utf8)
      #expect(length(bytes) == place)
      #expect(expected(bytes) == place)
    }
  }
}
