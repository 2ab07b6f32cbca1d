import Testing

@testable import Terminal

@Suite("Keys") struct KeyDecoderTests {
  @Test(arguments: [
    ("a", ["a"]), ("äß€𝄞", ["ä", "ß", "€", "𝄞"]), (" ", [" "]), ("\r", ["enter"]), ("\n", ["enter"]), ("\t", ["tab"]),
    ("\u{7F}", ["backspace"]), ("\u{8}", ["backspace"]), ("\u{1}", ["ctrl-a"]), ("\u{1A}", ["ctrl-z"]),
    ("\0", ["ctrl-space"]),
    ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", ["up", "down", "right", "left"]), ("\u{1B}OA\u{1B}OF", ["up", "end"]),
    ("\u{1B}[H\u{1B}[1~\u{1B}[4~\u{1B}[5~\u{1B}[6~", ["home", "home", "end", "page-up", "page-down"]),
    ("\u{1B}[3~\u{1B}[2~", ["delete", "insert"]), ("\u{1B}[Z", ["shift-tab"]),
    ("\u{1B}OP\u{1B}[15~\u{1B}[24~", ["f1", "f5", "f12"]),
    ("\u{1B}[1;5C\u{1B}[1;2A\u{1B}[3;5~\u{1B}[1;3D", ["ctrl-right", "shift-up", "ctrl-delete", "alt-left"]),
    ("\u{1B}b\u{1B}\u{7F}", ["alt-b", "alt-backspace"]), ("\u{1B}\u{1B}[A", ["escape", "up"]),
    // An unknown sequence is no key, and the key behind it is read.
    ("\u{1B}[?62;1cx", ["x"]), ("\u{1B}[99~x", ["x"]),
  ])
  func decodes(bytes: String, names: [String]) {
    var decoder = KeyDecoder()
    #expect(decoder.take(Array(bytes.utf8)).map(\.name) == names)
    #expect(!decoder.isWaiting)
  }

  @Test("however the bytes arrive")
  func piecemeal() {
    let bytes = Array("a€\u{1B}[1;5C\u{1B}[200~x\u{1B}[B\r\ny\u{1B}[201~\u{1B}[5~👍".utf8)
    for size in 1...bytes.count {
      var decoder = KeyDecoder()
      var keys: [KeyPress] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        keys += decoder.take(Array(bytes[start..<min(bytes.count, start + size)]))
      }
      #expect(keys.map(\.name) == ["a", "€", "ctrl-right", "paste", "page-up", "👍"], "in pieces of \(size)")
      #expect(keys[3].text == "x\u{1B}[B\ny")
    }
  }

  @Test("Escape is a key when nothing follows; so is what is cut off no key")
  func escape() {
    var decoder = KeyDecoder()
    #expect(decoder.take([0x1B]) == [])
    #expect(decoder.isWaiting)
    #expect(decoder.takeRest() == [KeyPress("escape")])
    #expect(!decoder.isWaiting)
    #expect(decoder.take(Array("\u{1B}[1;".utf8)) == [])
    #expect(decoder.takeRest() == [])
    #expect(decoder.take([0xE2, 0x82]) == [])
    #expect(decoder.takeRest() == [])
    #expect(decoder.take([0xFF, 0x61, 0xC3, 0x28]).map(\.name) == ["a", "("])
  }

  @Test("a paste is not kept beyond a million bytes")
  func longPaste() {
    var decoder = KeyDecoder()
    #expect(decoder.take(Array("\u{1B}[200~".utf8)) == [])
    for _ in 0..<40 { #expect(decoder.take([UInt8](repeating: 0x61, count: 65_536)) == []) }
    let keys = decoder.take(Array("\u{1B}[201~b".utf8))
    #expect(keys.map(\.name) == ["paste", "b"])
    #expect(keys[0].text?.utf8.count == KeyDecoder.longestPaste)
  }
}
