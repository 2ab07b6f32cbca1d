import Diagnostics

/// Lines of cells, for the terminal, in columns that are as wide as what is in them.
struct TextGrid {
  private static let gap = 2

  struct Row {
    var cells: [String]
    /// Parameters of SGR for the whole line.
    var style = ""
    /// Lines below it, whole.
    var notes: [String] = []
  }

  var header: [String]
  var rows: [Row] = []
  /// Columns with numbers, set to the right.
  var numeric: Set<Int> = []
  /// The column that gives way where there is not enough room.
  var flexible: Int

  /// - Parameters:
  ///   - width: of the terminal; nil where there is none, and nothing is cut off.
  ///   - paint: makes text look like an SGR style.
  func text(width: Int?, _ paint: (String, String) -> String) -> String {
    var widths = header.indices.map { column in
      ([header[column]] + rows.map { $0.cells[column].displayable }).map(\.displayWidth).max() ?? 0
    }
    if let width {
      let tooMuch = widths.reduce(0, +) + Self.gap * (widths.count - 1) - width
      if tooMuch > 0 { widths[flexible] = max(12, widths[flexible] - tooMuch) }
    }
    func line(_ cells: [String]) -> String {
      let fitted = cells.enumerated().map { column, cell in
        cell.displayable.fitted(to: widths[column], alignedRight: numeric.contains(column))
      }
      let text = fitted.joined(separator: String(repeating: " ", count: Self.gap))
      return String(text.reversed().drop { $0 == " " }.reversed())
    }
    var lines = [paint(line(header), "2")]
    for row in rows {
      lines.append(row.style.isEmpty ? line(row.cells) : paint(line(row.cells), row.style))
      lines += row.notes.map { paint("    \($0.displayable)", row.style) }
    }
    return lines.map { "\($0)\n" }.joined()
  }
}
