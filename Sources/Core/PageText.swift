/// Text for a terminal, wrapped to its width.
package struct PageText {
  private let width: Int
  private var lines: [String] = []

  package init(width: Int) { self.width = max(40, width) }

  package var text: String { lines.map { $0 + "\n" }.joined() }

  package mutating func add(_ paragraph: String, indent: Int = 0) {
    for line in wrapped(paragraph, width - indent) { lines.append(spaces(indent) + line) }
  }

  /// A paragraph behind an empty line.
  package mutating func addApart(_ paragraph: String, indent: Int = 0) {
    addBreak()
    add(paragraph, indent: indent)
  }

  /// A term, and behind it, at `column`, what it is; on the next line where the term reaches as far.
  package mutating func add(_ term: String, _ text: String, indent: Int = 2, column: Int) {
    let start = spaces(indent) + term
    var rows = wrapped(text, width - column)[...]
    let first = start.displayWidth + 2 <= column ? rows.popFirst() : nil
    lines.append(first.map { start + spaces(column - start.displayWidth) + $0 } ?? start)
    for row in rows { lines.append(spaces(column) + row) }
  }

  /// Lines that stay as they are.
  package mutating func add(code: String, indent: Int = 2) {
    for line in code.split(separator: "\n", omittingEmptySubsequences: false) {
      lines.append(line.isEmpty ? "" : spaces(indent) + line)
    }
  }

  /// An empty line, but for the first and behind another.
  package mutating func addBreak() {
    if lines.last?.isEmpty == false { lines.append("") }
  }

  private func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

  private func wrapped(_ text: String, _ width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(whereSeparator: \.isWhitespace) {
      if !line.isEmpty, line.displayWidth + 1 + String(word).displayWidth > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? word : " " + word
    }
    return line.isEmpty ? lines : lines + [line]
  }
}
