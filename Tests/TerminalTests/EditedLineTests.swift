import Testing

@testable import Terminal

@Suite("A line that is typed") struct EditedLineTests {
  /// `|` is the cursor.
  @Test(arguments: [
    ("ab|", "left", "a|b"), ("a|b", "left left", "|ab"), ("a|b", "right", "ab|"), ("ab|", "right", "ab|"),
    ("a|b", "home", "|ab"), ("a|b", "ctrl-e", "ab|"), ("ab|", "backspace", "a|"), ("|ab", "backspace", "|ab"),
    ("a|b", "delete", "a|"), ("a|b", "ctrl-d", "a|"), ("one two|", "ctrl-w", "one |"),
    ("one two  |", "ctrl-w", "one |"),
    ("one| two", "alt-d", "one|"), ("one t|wo", "ctrl-u", "|wo"), ("one t|wo", "ctrl-k", "one t|"),
    ("one two|", "ctrl-left", "one |two"), ("|one two", "ctrl-right", "one| two"),
    ("|one two", "alt-f alt-f", "one two|"),
    ("日本|", "left backspace", "|本"), ("👩‍👩‍👧|", "backspace", "|"), ("é|", "backspace", "|"),
    ("a|c", "b", "ab|c"),
  ])
  func edits(before: String, keys: String, after: String) {
    var line = EditedLine(before.replacing("|", with: ""))
    let cursor = before.prefix { $0 != "|" }.count
    for _ in cursor..<before.count - 1 { line.expect(KeyPress("left")) }
    for key in keys.split(separator: " ").map(String.init) {
      line.expect(KeyPress(key, text: key.count == 1 ? key : nil))
    }
    #expect(line.marked == after)
  }

  @Test("keys that mean nothing in a line")
  func others() {
    var line = EditedLine("a")
    for key in ["enter", "escape", "up", "f1", "resize", "tab"] {
      let isTaken = line.press(KeyPress(key))
      #expect(!isTaken, "\(key)")
    }
    #expect(line.marked == "a|")
  }

  @Test("a paste becomes one line without control characters")
  func paste() {
    var line = EditedLine()
    line.expect(KeyPress("paste", text: "one\r\ntwo\tthree\u{1B}[2J\u{9B}x"))
    #expect(line.text == "one two three[2Jx")
  }

  @Test("what joins the character before it is part of that")
  func joins() {
    var line = EditedLine("👍")
    line.expect(KeyPress("🏽", text: "🏽"))
    line.expect(KeyPress("backspace"))
    #expect(line.text == "")
  }

  @Test("the part in sight is as wide as it may be, with the cursor in it")
  func view() {
    var line = EditedLine("abcdefghij")
    #expect(line.view(columns: 20) == ("abcdefghij", 11))
    #expect(line.view(columns: 5) == ("ghij", 5))
    _ = line.press(KeyPress("home"))
    #expect(line.view(columns: 5) == ("abcde", 1))
    #expect(EditedLine("日本語").view(columns: 5) == ("本語", 5))
    #expect(EditedLine("日本語").view(columns: 1) == ("", 1))
    #expect(EditedLine("ab").view(columns: -3) == EditedLine("ab").view(columns: 1))
  }
}

extension EditedLine {
  /// Presses a key that means something in a line.
  fileprivate mutating func expect(_ key: KeyPress) {
    let isTaken = press(key)
    #expect(isTaken, "\(key.name)")
  }

  fileprivate var marked: String {
    var copy = self
    _ = copy.press(KeyPress("paste", text: "|"))
    return copy.text
  }
}
