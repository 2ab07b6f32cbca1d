import Testing

@testable import Terminal

@Suite("What is drawn") struct FrameTests {
  private func frame(
    _ lines: [[StyledText]], columns: Int = 10, height: Int = 3, usesColor: Bool = true
  ) -> Frame { Frame(lines, columns: columns, height: height, usesColor: usesColor) }

  @Test("rows are cut to the width and the height of the screen")
  func clips() {
    let frame = frame([[StyledText("0123456789abc")], [StyledText("日本語日本語")], [], [StyledText("beyond")]])
    #expect(frame.rows == ["0123456789", "日本語日本", ""])
    #expect(self.frame([[StyledText("abc"), StyledText("日本語日本語")]], columns: 6).rows == ["abc日"])
    #expect(self.frame([[StyledText("0123456789"), StyledText("x")]]).rows == ["0123456789"])
    #expect(self.frame([[StyledText("日")]], columns: 1).rows == [""])
  }

  @Test("nothing in a text is a command to the terminal")
  func isHarmless() {
    let text = "\u{1B}[2J\u{9B}31m\u{1B}]0;x\u{7}\r\n\t\u{202E}\u{2066}\u{7F}\u{0}"
    let row = frame([[StyledText(text)]], columns: 80).rows[0]
    #expect(row == "␛[2J�31m␛]0;x␇⏎ \\u{202E}\\u{2066}␡␀")
  }

  @Test("styles are closed, and colors left out where they are not wanted")
  func styles() throws {
    let line = [StyledText("a", try TextStyle("bold red")), StyledText("b", try TextStyle("on_blue")), StyledText("c")]
    #expect(frame([line]).rows == ["\u{1B}[1;31ma\u{1B}[0m\u{1B}[44mb\u{1B}[0mc"])
    #expect(frame([line], usesColor: false).rows == ["\u{1B}[1ma\u{1B}[0mbc"])
    #expect(throws: UnknownStyle.self) { try TextStyle("bald") }
    do { _ = try TextStyle("bald") } catch { #expect(error.hint == "did you mean 'bold'?") }
  }

  @Test("behind a character of several, the cursor is told where it belongs")
  func places() {
    #expect(frame([[StyledText("👍🏽 x")]]).rows == ["👍🏽\u{1B}[3G x"])
    #expect(frame([[StyledText("日本 x")]]).rows == ["日本 x"])
    #expect(frame([[StyledText("ab"), StyledText("❤️")]]).rows == ["ab❤️\u{1B}[5G"])
  }

  @Test("what is the same is not drawn again")
  func difference() {
    let first = frame([[StyledText("one")], [StyledText("two")], [StyledText("three")]])
    let begin = "\u{1B}[?2026h\u{1B}[?25l"
    let end = "\u{1B}[?2026l"
    #expect(
      first.update(from: nil)
        == begin + "\u{1B}[1;1H\u{1B}[Kone\u{1B}[2;1H\u{1B}[Ktwo\u{1B}[3;1H\u{1B}[Kthree" + end)
    #expect(first.update(from: first) == "")
    var second = frame([[StyledText("one")], [StyledText("2")]])
    #expect(second.update(from: first) == begin + "\u{1B}[2;1H\u{1B}[K2\u{1B}[3;1H\u{1B}[K" + end)
    let before = second
    second.cursor = Frame.Place(row: 2, column: 1)
    #expect(second.update(from: before) == begin + "\u{1B}[2;1H\u{1B}[?25h" + end)
    #expect(frame([], columns: 9).update(from: first).contains("\u{1B}[3;1H"))
  }
}
