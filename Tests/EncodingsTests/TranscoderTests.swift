import Testing

@testable import Encodings

/// Texts of other encodings become UTF-8; what cannot is noted by its line.
struct TranscoderTests {
  private func converted(
    _ bytes: [UInt8], _ encoding: TextEncoding, pieces size: Int = 1 << 20
  ) -> (text: String, faults: [Transcoder.Fault]) {
    var transcoder = Transcoder(encoding)
    var output: [UInt8] = []
    var faults: [Transcoder.Fault] = []
    var position = 0
    repeat {
      let end = min(bytes.count, position + size)
      Array(bytes[position..<end]).withUnsafeBytes {
        transcoder.convert($0, isLast: end == bytes.count, to: &output)
      }
      faults += transcoder.faults
      position = end
    } while position < bytes.count
    return (String(decoding: output, as: UTF8.self), faults)
  }

  @Test(arguments: [1, 2, 3, 7, 1 << 20])
  func pairsOfSurrogatesMayBeCutAnywhere(_ size: Int) {
    let text = "a\r\n😀 für 漢\n"
    let little = text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    #expect(converted(little, .utf16LittleEndian, pieces: size) == (text, []))
    #expect(converted(big, .utf16BigEndian, pieces: size) == (text, []))
  }

  @Test func aByteWithoutACharacterIsNotedByItsLine() {
    let (text, faults) = converted(Array("ok\r\nbad ".utf8) + [0x81, 0x8D] + Array("\nok\n".utf8), .windows1252)
    #expect(text == "ok\r\nbad \u{FFFD}\u{FFFD}\nok\n")
    #expect(faults == [.init(line: 2, reason: "byte 0x81 does not exist in Windows-1252")])
  }

  @Test func halfOfAPairIsNotedByItsLine() {
    let (text, faults) = converted([0x41, 0, 0x0A, 0, 0x3D, 0xD8, 0x42, 0, 0x43], .utf16LittleEndian)
    #expect(text == "A\n\u{FFFD}B\u{FFFD}")
    #expect(faults.map(\.line) == [2])
  }

  @Test func theUsualNamesOfEncodingsAreKnown() {
    #expect(TextEncoding(name: "windows-1252") == .windows1252)
    #expect(TextEncoding(name: "cp1252") == .windows1252)
    #expect(TextEncoding(name: "utf16le") == .utf16LittleEndian)
    #expect(TextEncoding(name: "Macintosh") == .macRoman)
    #expect(TextEncoding(name: "klingon") == nil)
  }
}

private func == (
  left: (text: String, faults: [Transcoder.Fault]), right: (String, [Transcoder.Fault])
) -> Bool { left.text == right.0 && left.faults == right.1 }
