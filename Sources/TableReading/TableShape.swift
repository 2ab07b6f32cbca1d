/// The separator and the place of the header of a table, judged together by its beginning.
package struct TableShape: Sendable, Equatable {
  package enum Header: Sendable, Equatable {
    /// The line with the names of the columns, counting from 1.
    case line(Int)
    /// The first row is data.
    case none
  }

  package let separator: Character
  package let header: Header
  /// The names of the columns; with `none`, as many texts as the rows have cells, `Column 1`, `Column 2`.
  package let names: [String]
  /// The lines above the header, or above the first row, with their texts.
  package let above: [SampleRow]
  /// Why the header is there, in words.
  package let reason: String
  /// False if nothing shows whether that line has names or values.
  package let isSure: Bool
  /// The rows below the header.
  package let rows: [SampleRow]

  package static let separators: [Character] = [",", ";", "\t", "|"]

  /// The most lines above a header.
  private static let mostAbove = 30

  /// Nil for a text without a row.
  /// - Parameters:
  ///   - isWhole: true if the sample is all of the text.
  ///   - separator: nil to find it.
  ///   - isName: true for the name of a field of tasks.
  package init?(
    _ sample: UnsafeRawBufferPointer, isWhole: Bool, separator: Character? = nil, isName: (String) -> Bool
  ) {
    var text = sample
    var first = 1
    var given = separator
    // The line that tells the separator to Excel.
    let marks = text.prefix(7)
    if marks.count >= 5, String(decoding: marks.prefix(4), as: UTF8.self).lowercased() == "sep=",
      let end = marks.dropFirst(5).firstIndex(where: { $0 == 0x0A })
    {
      given = given ?? Character(Unicode.Scalar(marks[marks.startIndex + 4]))
      text = UnsafeRawBufferPointer(rebasing: text[(end + 1)...])
      first = 2
    }
    let candidates = given.map { [$0] } ?? Self.separators
    let cuts = candidates.compactMap { candidate in
      candidate.asciiValue.map { Cut(candidate, SampleRow.rows(text, separator: $0, isWhole: isWhole)) }
    }
    // The first of equal candidates is the usual one.
    guard let best = cuts.reduce(cuts.first, { $1.score > ($0?.score ?? 0) ? $1 : $0 }), !best.rows.isEmpty else {
      return nil
    }
    self.init(best, offset: first - 1, isName: isName)
  }

  private init(_ cut: Cut, offset: Int, isName: (String) -> Bool) {
    separator = cut.separator
    let choice = HeaderChoice(cut, mostAbove: Self.mostAbove, isName: isName)
    let lines = cut.rows.map { SampleRow(line: $0.line + offset, cells: $0.cells, isBroken: $0.isBroken) }
    above = Array(lines[..<choice.row])
    reason = choice.reason
    isSure = choice.isSure
    if choice.isHeader {
      header = .line(lines[choice.row].line)
      names = lines[choice.row].cells
      rows = Array(lines[(choice.row + 1)...])
    } else {
      header = .none
      names = (0..<max(cut.width, 1)).map { "Column \($0 + 1)" }
      rows = Array(lines[choice.row...])
    }
  }
}

/// A table as one separator cuts it.
struct Cut {
  let separator: Character
  let rows: [SampleRow]
  /// The number of cells that most rows have.
  let width: Int
  let score: Double

  init(_ separator: Character, _ rows: [SampleRow]) {
    self.separator = separator
    self.rows = rows
    var counts: [Int: Int] = [:]
    for row in rows { counts[row.cells.count, default: 0] += 1 }
    // A preamble has narrow rows, so the wider of equally frequent widths is that of the table.
    let width = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? 0
    self.width = width
    guard width > 1 else {
      score = 0
      return
    }
    let table = rows.filter { $0.cells.count == width }
    let agreement = Double(table.count) / Double(rows.count)
    let cells = table.flatMap(\.cells).filter { !$0.isEmpty }
    // A wrong separator leaves pieces of numbers, dates and quotes, which are texts.
    let weights = cells.map { cell in
      CellKind(cell) != .text
        ? 1.0 : cell.contains(where: TableShape.separators.contains) || cell.hasPrefix("\"") ? 0.4 : 0.7
    }
    let clarity = weights.isEmpty ? 0.5 : weights.reduce(0, +) / Double(weights.count)
    score = agreement * clarity * (1 - 1 / Double(width + 1))
  }

  /// The kind that most of the cells of a column have, from the row `start` on; nil if the column is empty.
  func kind(_ column: Int, from start: Int) -> CellKind? {
    var counts: [CellKind: Int] = [:]
    for row in rows[start...].prefix(100) where row.cells.count == width && !row.cells[column].isEmpty {
      counts[CellKind(row.cells[column]), default: 0] += 1
    }
    let total = counts.values.reduce(0, +)
    return counts.first { 2 * $0.value > total }?.key ?? (total == 0 ? nil : .text)
  }
}
