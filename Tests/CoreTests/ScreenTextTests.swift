import Core
import Testing

@Suite struct ScreenTextTests {
  @Test("foreign text is no command to the terminal, and may be in any place")
  func foreign() {
    for hostile in ["\u{1B}]0;title\u{7}", "\u{1B}[2J", "\u{9B}31m", "\u{1B}[31m", "\u{8}\u{8}", "a\rb", "\u{202E}x"] {
      for text in [hostile, ScreenText.painted(hostile, "1"), "x\(ScreenText.painted("y", "1"))\(hostile)"] {
        let shown = ScreenText.shown(text).replacing("\u{1B}[1m", with: "").replacing("\u{1B}[0m", with: "")
        #expect(
          !shown.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || (0x7F..<0xA0).contains($0.value) },
          "\(text)")
        #expect(!shown.unicodeScalars.contains("\u{202E}"))
      }
    }
  }

  @Test("styles of the program become control sequences, and lines stay lines")
  func own() {
    #expect(ScreenText.shown("a\n\tb") == "a\n\tb")
    #expect(ScreenText.shown("x \(ScreenText.painted("é", "1;31")) y\n") == "x \u{1B}[1;31mé\u{1B}[0m y\n")
    #expect(ScreenText.painted("", "1") == "")
  }
}
