/// The text in front of the cursor: its place in the code, and the name that it ends with.
struct TypedText {
  /// The names up to the last separator: `b2c`, `tasks` of `b2c.tasks.im`.
  private(set) var path: [String] = []
  /// `.` or `:`; nil where there is no path.
  private(set) var separator: Character?
  /// The beginning of the last name.
  private(set) var part = ""
  /// The function whose table of options the cursor is in, at a place where a key may stand.
  private(set) var optionsOf: [String] = []
  /// The option of that function whose value is begun between quotes, and the quote; `part` is what there is of it.
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
      // name = "value
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

  /// The function in whose table of options the name that ends there is a key; empty where it is none.
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

/// Reads code from its beginning to find out what is open at its end.
private struct CodeScan {
  /// The open brackets, the innermost last.
  private(set) var brackets: [(character: Character, offset: Int)] = []
  private(set) var isCode = true
  /// The start of the string that the text ends in.
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
