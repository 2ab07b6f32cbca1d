import Core

/// Rows of text in aligned columns, below a header.
struct Columns {
  private var rows: [[String]]

  init(_ header: String...) { self.init(header) }
  init(_ header: [String]) { rows = [header] }

  mutating func add(_ cells: String...) { add(cells) }
  mutating func add(_ cells: [String]) { rows.append(cells.map(\.displayable)) }

  var text: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].displayWidth }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (cell, width) in zip(row, widths) {
        line += cell + String(repeating: " ", count: width - cell.displayWidth + 2)
      }
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}
