import Glibc
import TableReading

/// The lines on which a row stands, each looked at on its own: a quote too many makes one row of several.
struct RowLines {
  private let lines: [UnsafeRawBufferPointer]
  private let width: Int
  private let dialect: CSVDialect
  private let habits: RowHabits?

  /// - Parameter most: so many lines are looked at.
  init(_ text: UnsafeRawBufferPointer, width: Int, _ dialect: CSVDialect, _ habits: RowHabits?, most: Int = .max) {
    var lines: [UnsafeRawBufferPointer] = []
    var start = 0
    while start < text.count, lines.count < most {
      let end = Self.end(of: UnsafeRawBufferPointer(rebasing: text[start...])) + start
      if end > start { lines.append(UnsafeRawBufferPointer(rebasing: text[start..<end])) }
      start = end + 1
    }
    (self.lines, self.width, self.dialect, self.habits) = (lines, width, dialect, habits)
  }

  /// The place of the first line break, or the end.
  private static func end(of text: UnsafeRawBufferPointer) -> Int {
    guard let base = text.baseAddress else { return 0 }
    let lineFeed = memchr(base, Int32(UInt8(ascii: "\n")), text.count).map { UnsafeRawPointer($0) - base } ?? text.count
    return memchr(base, Int32(UInt8(ascii: "\r")), lineFeed).map { UnsafeRawPointer($0) - base } ?? lineFeed
  }

  /// True if each of the lines looks like a row of the table, so that no text with line breaks is meant.
  var isSwallowing: Bool {
    // Most texts fail this without a closer look.
    guard width > 1, lines.count > 1, lines.dropFirst().allSatisfy(hasWidth) else { return false }
    let looks = lines.map(look)
    return looks.allSatisfy { $0 == .alike } || lines.count > 2 && !looks.contains(.unlike)
  }

  /// True if a line behind the first looks like a row of the table.
  var hasRow: Bool { width > 1 && lines.dropFirst().contains { hasWidth($0) && look($0) != .unlike } }

  /// True if a quote is open at the end of the first line, and this line is not a row without it. Then a later line is its end, and may
  /// look like a row.
  var hasTail: Bool {
    guard width > 1, let first = lines.first else { return false }
    return StrayQuotes.count(dialect.quote, in: first) % 2 == 1 && look(first) == .unlike
  }

  private func hasWidth(_ line: UnsafeRawBufferPointer) -> Bool {
    StrayQuotes.count(dialect.separator, in: line) == (width - 1) * dialect.repeats
  }

  private func look(_ line: UnsafeRawBufferPointer) -> ColumnHabits.Look {
    habits?.look(line, hasBlanks: dialect.hasBlanks) ?? .unknown
  }
}
