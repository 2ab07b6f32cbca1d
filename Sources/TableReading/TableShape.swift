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
  /// The names of the columns; see `names(_:)`.
  package let names: [String]
  /// The number of cells that most rows have.
  package let width: Int
  /// The lines above the header, or above the first row, with their texts.
  package let above: [SampleRow]
  /// Why the header is there, in words.
  package let reason: String
  /// False if nothing shows whether that line has names or values.
  package let isSure: Bool
  /// The first rows below the header.
  package let rows: [SampleRow]
  /// The offset of the header in the sample, or of the first row of data.
  package let offset: Int

  package static let separators: [Character] = [",", ";", "\t", "|"]

  /// So many rows tell the width of a table.
  private static let mostRows = 500
  /// The most lines above a header.
  private static let mostAbove = 30

  /// Nil for a text without a row.
  /// - Parameters:
  ///   - isWhole: true if the sample is all of the text.
  ///   - separator: nil to find it.
  ///   - isSheet: true for rows of a sheet, which lack the empty cells at their ends.
  ///   - isName: true for the name of a field of tasks.
  package init?(
    _ sample: UnsafeRawBufferPointer, isWhole: Bool, separator: Character? = nil, isSheet: Bool = false,
    isName: (String) -> Bool
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
      candidate.asciiValue.map { byte in
        let rows = SampleRow.rows(text, separator: byte, isWhole: isWhole, most: Self.mostRows)
        return Cut(candidate, isSheet ? Self.padded(rows) : rows, mostAbove: Self.mostAbove, isName: isName)
      }
    }
    // The first of equal candidates is the usual one.
    guard let best = cuts.reduce(cuts.first, { $1.score > ($0?.score ?? 0) ? $1 : $0 }), !best.rows.isEmpty else {
      return nil
    }
    self.init(best, line: first - 1, offset: sample.count - text.count, isName: isName)
  }

  /// The names of the columns of a table without a header: `Column 1`, `Column 2`.
  package static func names(_ count: Int) -> [String] { (0..<max(count, 1)).map { "Column \($0 + 1)" } }

  private static func padded(_ rows: [SampleRow]) -> [SampleRow] {
    let width = rows.map(\.cells.count).max() ?? 0
    return rows.map { row in
      var row = row
      row.cells += repeatElement("", count: width - row.cells.count)
      return row
    }
  }

  private init(_ cut: Cut, line: Int, offset: Int, isName: (String) -> Bool) {
    separator = cut.separator
    width = cut.width
    let choice = HeaderChoice(cut, mostAbove: Self.mostAbove, isName: isName)
    let lines = cut.rows.map {
      SampleRow(line: $0.line + line, offset: $0.offset + offset, cells: $0.cells, isBroken: $0.isBroken)
    }
    above = Array(lines[..<choice.row])
    self.offset = lines[choice.row].offset
    reason = choice.reason
    isSure = choice.isSure
    if choice.isHeader {
      header = .line(lines[choice.row].line)
      names = lines[choice.row].cells
      rows = Array(lines[(choice.row + 1)...])
    } else {
      header = .none
      names = Self.names(cut.width)
      rows = Array(lines[choice.row...])
    }
  }
}
