import Core
import Glibc
import Testing

@Suite struct FilePathTests {
  /// A name, a Latin-1 name, cut off and overlong UTF-8, a surrogate, and the scalars that stand for bytes.
  static let names: [[UInt8]] = [
    Array("téléphones.csv".utf8), [0x74, 0xE9, 0x6C], [0xE2, 0x82], [0xC0, 0xAF], [0xED, 0xA0, 0x80],
    [0xFF, 0x41, 0xC3],
    Array("\u{10FF80}a\u{10FFFF}".utf8), Array("\u{10FF7F}\u{FFFD}".utf8), [],
  ]

  @Test("a path as text stands for the same bytes", arguments: names) func roundTrip(bytes: [UInt8]) {
    let text = String(pathBytes: bytes)
    #expect(text.pathBytes == bytes)
    #expect(FilePath(text) == FilePath(bytes: bytes))
    #expect(text.withPath { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } == bytes)
    // A path is put together from parts.
    #expect("\(text)/\(text)".pathBytes == bytes + [0x2F] + bytes)
  }

  @Test("only bytes that are not UTF-8 are kept by other scalars") func plain() {
    #expect(String(pathBytes: Array("téléphones".utf8)) == "téléphones")
    #expect(!"téléphones".hasForeignBytes)
    #expect(String(pathBytes: [0xE9]).displayable == "\u{FFFD}")
  }

  @Test("two spellings of one letter are two files") func spellings() {
    #expect(FilePath("e\u{301}") != FilePath("\u{E9}"))
    #expect(Set([FilePath("e\u{301}"), FilePath("\u{E9}")]).count == 2)
  }

  @Test("a mark behind a slash does not hide the slash") func marks() {
    #expect("a/b/\u{301}c".parentFolder == "a/b")
    #expect("a/b/\u{301}c".lastName == "\u{301}c")
    #expect("c".lastName == "c")
    #expect("a/\u{301}b.CSV".fileEnding == "csv")
  }
}
