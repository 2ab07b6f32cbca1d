/// The text before the cursor: its place in the code, and the name at its end.
struct TypedText {
  /// The names up to the last separator: `b2c`, `tasks` in `b2c.tasks.im`.
  private(set) var path: [String] = []
  /// `.` or `:`; nil if there is no path.
  private(set) var separator: Character?
  /// The beginning of the last name.
  private(set) var part = ""
  /// The function whose table of options the cursor is in, if a key is possible at the cursor.
  private(set) var optionsOf: [String] = []
  /// The option whose quoted value is incomplete, and the quote. `part` is the beginning of the value.
  private(set) var value: (option: String, quote: Character)?
  /// True if it is code, not a comment or a string.
  let isCode: Bool

  init(_ text: String) {
    let scan = CodeScan(text)
    isCode = scan.isCode
    let characters = Array(text)
    if isCode {
      (path, separator, part) = Self.name(endingAt: characters.count, in: characters)
      if path.isEmpty {
        optionsOf = Self.function(whoseOptionsHave: part, endingAt: characters.count, in: scan, characters)
      }
    } else if let quote = scan.openString {
      // The text is: name = "value
      guard let equals = characters[..<quote].lastIndex(where: { !$0.isWhitespace }), characters[equals] == "=",
        let end = characters[..<equals].lastIndex(where: { !$0.isWhitespace }).map({ $0 + 1 })
      else { return }
      let option = Self.name(endingAt: end, in: characters)
      guard option.path.isEmpty else { return }
      part = String(characters[(quote + 1)...])
      value = (option.part, characters[quote])
      optionsOf = Self.function(whoseOptionsHave: option.part, endingAt: end, in: scan, characters)
    }
  }

  /// The function whose table of options has the name at the end of the text as a key; empty if there is none.
  private static func function(
    whoseOptionsHave name: String, endingAt end: Int, in scan: CodeScan, _ characters: [Character]
  ) -> [String] {
    guard scan.brackets.last?.character == "{", let brace = scan.brackets.last?.offset else { return [] }
    let before = characters[..<(end - name.count)].last { !$0.isWhitespace }
    guard before == "{" || before == "," || before == ";" else { return [] }
    let outer = scan.brackets.dropLast().last
    let start = outer?.character == "(" ? outer?.offset ?? brace : brace
    let calleeEnd = characters[..<start].lastIndex { !$0.isWhitespace }.map { $0 + 1 } ?? 0
    let called = Self.name(endingAt: calleeEnd, in: characters)
    return called.part.isEmpty ? [] : called.path + [called.part]
  }

  private static func name(
    endingAt end: Int, in characters: [Character]
  ) -> (path: [String], separator: Character?, part: String) {
    var start = end
    while start > 0, isOfName(characters[start - 1]) || ".:".contains(characters[start - 1]) { start -= 1 }
    let text = characters[start..<end]
    guard let last = text.lastIndex(where: { !isOfName($0) }) else { return ([], nil, String(text)) }
    let path = text[..<last].split { !isOfName($0) }.map { String($0) }
    return (path, characters[last], String(text[(last + 1)...]))
  }

  private static func isOfName(_ character: Character) -> Bool {
    character == "_" || character.isASCII && (character.isLetter || character.isNumber)
  }
}

/// Scans code from its beginning to find the brackets and strings that are open at its end.
private struct CodeScan {
  /// The open brackets, innermost last.
  private(set) var brackets: [(character: Character, offset: Int)] = []
  private(set) var isCode = true
  /// The start of the string that is open at the end of the text.
  private(set) var openString: Int?

  init(_ text: String) {
    let characters = Array(text)
    var offset = 0
    while offset < characters.count {
      let character = characters[offset]
      switch character {
      case "\"", "'":
        guard let end = Self.endOfString(characters, offset) else {
          isCode = false
          openString = offset
          return
        }
        offset = end
      case "-" where characters.dropFirst(offset + 1).first == "-":
        guard let end = characters[offset...].firstIndex(where: \.isNewline) else {
          isCode = false
          return
        }
        offset = end
      case "(", "{", "[": brackets.append((character, offset))
      case ")", "}", "]": _ = brackets.popLast()
      default: break
      }
      offset += 1
    }
  }

  private static func endOfString(_ characters: [Character], _ start: Int) -> Int? {
    var offset = start + 1
    while offset < characters.count, !characters[offset].isNewline {
      if characters[offset] == "\\" { offset += 1 } else if characters[offset] == characters[start] { return offset }
      offset += 1
    }
    return nil
  }
}
