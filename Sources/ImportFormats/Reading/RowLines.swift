import Glibc
import TableReading

/// The lines on which a row stands, each looked at on its own: a quote too many makes one row of several. Most rows of several lines
/// cost a count of separators, and no more.
struct RowLines {
  private let lines: PrefixSequence<Lines>
  private let width: Int
  private let dialect: CSVDialect
  private let habits: RowHabits?

  /// - Parameter most: so many lines are looked at.
  init(_ text: UnsafeRawBufferPointer, width: Int, _ dialect: CSVDialect, _ habits: RowHabits?, most: Int = .max) {
    lines = Lines(rest: text).prefix(most)
    (self.width, self.dialect, self.habits) = (width, dialect, habits)
  }

  /// The lines of a text that are not empty.
  private struct Lines: Sequence, IteratorProtocol {
    var rest: UnsafeRawBufferPointer

    mutating func next() -> UnsafeRawBufferPointer? {
      while let base = rest.baseAddress, rest.count > 0 {
        let lineFeed = memchr(base, Int32(UInt8(ascii: "\n")), rest.count).map { UnsafeRawPointer($0) - base } ?? rest.count
        let end = memchr(base, Int32(UInt8(ascii: "\r")), lineFeed).map { UnsafeRawPointer($0) - base } ?? lineFeed
        let line = UnsafeRawBufferPointer(start: base, count: end)
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(end + 1))
        if end > 0 { return line }
      }
      return nil
    }
  }

  private var first: UnsafeRawBufferPointer? { lines.first { _ in true } }

  /// True if each of the lines looks like a row of the table, so that no text with line breaks is meant.
  var isSwallowing: Bool {
    guard width > 1, let first, mayBeRow(first),
      lines.dropFirst().allSatisfy(hasWidth)
    else { return false }
    var (count, areAlike) = (0, true)
    for line in lines {
      let look = look(line)
      if look == .unlike { return false }
      count += 1
      areAlike = areAlike && look == .alike
    }
    return areAlike ? count > 1 : count > 2
  }

  /// True if a line behind the first looks like a row of the table.
  var hasRow: Bool { width > 1 && lines.dropFirst().contains { hasWidth($0) && look($0) != .unlike } }

  /// True if a quote is open at the end of the first line, and this line is not a row without it. Then a later line is its end, and may
  /// look like a row.
  var hasTail: Bool {
    guard width > 1, let first else { return false }
    return StrayQuotes.count(dialect.quote, in: first) % 2 == 1 && look(first) == .unlike
  }

  private func hasWidth(_ line: UnsafeRawBufferPointer) -> Bool {
    StrayQuotes.count(dialect.separator, in: line) == (width - 1) * dialect.repeats
  }

  /// False for a line without enough separators.
  private func mayBeRow(_ line: UnsafeRawBufferPointer) -> Bool {
    StrayQuotes.count(dialect.separator, in: line) >= width - 1
  }

  private func look(_ line: UnsafeRawBufferPointer) -> ColumnHabits.Look {
    habits?.look(line, hasBlanks: dialect.hasBlanks) ?? .unknown
  }
}
