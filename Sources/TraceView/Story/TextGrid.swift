import Core

/// Lines of cells for the terminal, in columns as wide as their contents.
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
  /// The column that is narrowed first if there is not enough room. The widest of the others follow.
  var flexible: Int
  /// The flexible column is narrowed down to this width before the others are.
  private static let enough = 24
  /// No column with text is narrower, unless all of its text is.
  private static let narrowest = 8

  /// - Parameter width: nil without a terminal: nothing is cut off.
  func text(width: Int?, _ paint: (String, String) -> String) -> String {
    var widths = self.widths
    if let width { fit(&widths, to: width) }
    let clipped = header.indices.map { column in
      DistinctTexts.clipped(rows.map { $0.cells[column].displayable }, to: widths[column])
    }
    func line(_ cells: [String]) -> String {
      let fitted = cells.enumerated().map { column, cell in
        cell.displayable.fitted(to: widths[column], alignedRight: numeric.contains(column))
      }
      let text = fitted.joined(separator: String(repeating: " ", count: Self.gap))
      return String(text.reversed().drop { $0 == " " }.reversed())
    }
    var lines = [paint(line(header), "2")]
    for (index, row) in rows.enumerated() {
      let text = line(clipped.map { $0[index] })
      lines.append(row.style.isEmpty ? text : paint(text, row.style))
      lines += row.notes.map { paint("    \($0.displayable)", row.style) }
    }
    return lines.map { "\($0)\n" }.joined()
  }

  /// Returns true if nothing is cut off on a terminal of that width.
  func fits(_ width: Int?) -> Bool {
    width.map { widths.reduce(0, +) + Self.gap * (widths.count - 1) <= $0 } ?? true
  }

  private var widths: [Int] {
    header.indices.map { column in
      ([header[column]] + rows.map { $0.cells[column].displayable }).map(\.displayWidth).max() ?? 0
    }
  }

  /// Narrows the flexible column first, then the widest column with text, so that no column is narrow while another is wide.
  private func fit(_ widths: inout [Int], to width: Int) {
    var tooMuch = widths.reduce(0, +) + Self.gap * (widths.count - 1) - width
    guard tooMuch > 0 else { return }
    let given = min(tooMuch, max(0, widths[flexible] - Self.enough))
    widths[flexible] -= given
    tooMuch -= given
    while tooMuch > 0 {
      let columns = widths.indices.filter { !numeric.contains($0) && widths[$0] > Self.narrowest }
      guard let widest = columns.max(by: { widths[$0] < widths[$1] }) else { return }
      widths[widest] -= 1
      tooMuch -= 1
    }
  }
}
