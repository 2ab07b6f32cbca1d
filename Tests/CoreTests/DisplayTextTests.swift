import Core
import Testing

@Suite("Texts on a terminal") struct DisplayTextTests {
  @Test(arguments: [
    ("plain", "plain"), ("日本 é 👩‍👩‍👧 🏴󠁧󠁢󠁳󠁣󠁴󠁿", "日本 é 👩‍👩‍👧 🏴󠁧󠁢󠁳󠁣󠁴󠁿"), ("a\r\nb\nc\td", "a⏎b⏎c d"), ("\u{1B}[31mred", "␛[31mred"),
    ("\u{9B}31m\u{85}", "\u{FFFD}31m⏎"), ("\u{202E}gnp.exe", "\\u{202E}gnp.exe"), ("\u{7F}\u{0}\u{7}", "␡␀␇"),
  ])
  func displayable(text: String, shown: String) { #expect(text.displayable == shown) }

  /// A person who decides about a text has to see that there is more than the letters.
  @Test(
    arguments: [
      ("Milk\u{E0062}\u{E0075}\u{E0079}", "Milk\\u{E0062}\\u{E0075}\\u{E0079}"), ("a\u{200B}b", "a\\u{200B}b"),
      ("a\u{200D}b", "a\\u{200D}b"), ("x\u{FE01}\u{E0100}", "x\\u{FE01}\\u{E0100}"),
      ("\u{3164}\u{2800}", "\\u{3164}\\u{2800}"),
      ("🏴\u{E0067}\u{E0062}", "🏴\\u{E0067}\\u{E0062}"), ("\u{2066}1\u{FE0F}", "\\u{2066}1\\u{FE0F}"),
      ("1️⃣ ❤️ ©️", "1️⃣ ❤️ ©️"),
      ("می‌خواهم क्‍ष", "می‌خواهم क्‍ष"),
    ])
  func invisible(text: String, shown: String) {
    #expect(text.displayable == shown)
    #expect(shown.displayable == shown)
  }

  @Test("lines and tabs stay where there may be several lines")
  func lines() { #expect("a\u{1B}[2J\tb\r\n\nc\u{9B}".displayableLines == "a␛[2J\tb\n\nc\u{FFFD}") }

  @Test(arguments: [
    ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""), ("日本語", 6, "日本語"),
    ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("", 0, ""), ("é", 1, "é"),
  ])
  func clipped(text: String, columns: Int, result: String) {
    #expect(text.clipped(to: columns) == result)
    #expect(result.displayWidth <= columns)
    #expect(text.fitted(to: columns).displayWidth == columns)
  }

  @Test func fitted() {
    #expect("日本".fitted(to: 6) == "日本  ")
    #expect("日本".fitted(to: 6, alignedRight: true) == "  日本")
  }

  @Test(arguments: [("abc", 3), ("日本", 4), ("e\u{301}", 1), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤️", 2), ("பால்", 3), ("한국", 4)])
  func width(text: String, columns: Int) { #expect(text.displayWidth == columns) }
}
