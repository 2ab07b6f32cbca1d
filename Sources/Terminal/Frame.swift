import Core

/// The contents of a screen: rows that fit it, and the place of the cursor.
struct Frame: Equatable {
  /// The rows as they are sent to the terminal.
  private(set) var rows: [String] = []
  let columns: Int
  let height: Int
  var cursor: Place?

  /// A place, counted from 1.
  struct Place: Equatable {
    var row: Int
    var column: Int
  }

  /// Text beyond the height and the width is left out.
  init(_ lines: [[StyledText]], columns: Int, height: Int, usesColor: Bool) {
    self.columns = columns
    self.height = height
    for line in lines.prefix(height) {
      var room = columns
      var row = ""
      for piece in line where room > 0 {
        let text = Self.prefix(of: piece.text.displayable, columns: room)
        row += piece.style.applied(to: Self.placed(text, behind: columns - room), usesColor: usesColor)
        room -= text.displayWidth
      }
      rows.append(row)
    }
  }

  private static func prefix(of text: String, columns: Int) -> String {
    if text.displayWidth <= columns { return text }
    var width = 0
    let end = text.indices.first { index in
      width += text[index...index].displayWidth
      return width > columns
    }
    return String(text[..<(end ?? text.endIndex)])
  }

  /// Terminals differ in the width of composed characters, such as emoji: the cursor is set behind them.
  private static func placed(_ text: String, behind columns: Int) -> String {
    guard text.unicodeScalars.contains(where: { $0.value >= 0x300 }) else { return text }
    var placed = ""
    var column = columns
    var isUncertain = false
    for character in text {
      if isUncertain, character.isASCII { placed += "\u{1B}[\(column + 1)G" }
      if character.isASCII { isUncertain = false } else if character.unicodeScalars.count > 1 { isUncertain = true }
      if let scalar = character.unicodeScalars.first, scalar.properties.isEmojiPresentation { isUncertain = true }
      placed.append(character)
      column += String(character).displayWidth
    }
    return isUncertain ? placed + "\u{1B}[\(column + 1)G" : placed
  }

  /// The bytes that change a terminal from `last` to this frame; nil stands for unknown contents. Terminals with mode 2026 draw
  /// them at once.
  func update(from last: Frame?) -> String {
    let last = last.flatMap { $0.columns == columns && $0.height == height ? $0 : nil }
    var text = ""
    for row in 0..<height {
      let new = row < rows.count ? rows[row] : ""
      if let last, new == (row < last.rows.count ? last.rows[row] : "") { continue }
      // The row is erased before it is written: behind a full row, some terminals would erase its last character.
      text += "\u{1B}[\(row + 1);1H\u{1B}[K\(new)"
    }
    if text.isEmpty, let last, last.cursor == cursor { return "" }
    let end = cursor.map { "\u{1B}[\($0.row);\($0.column)H\u{1B}[?25h" } ?? ""
    return "\u{1B}[?2026h\u{1B}[?25l\(text)\(end)\u{1B}[?2026l"
  }
}
