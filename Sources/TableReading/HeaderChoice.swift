/// The choice of the row with the names of the columns.
struct HeaderChoice {
  /// The index of the header, or of the first row of data.
  var row = 0
  var isHeader = true
  var isSure = true
  var reason = ""

  /// - Parameter isName: true for the name of a field of tasks.
  init(_ cut: Cut, mostAbove: Int, isName: (String) -> Bool) {
    let table = cut.rows.indices.prefix(mostAbove).filter { cut.rows[$0].cells.count == cut.width }
    let scored = table.map { ($0, Score(cut, $0, isName)) }
    guard let best = scored.reduce(scored.first, { $1.1.value > ($0?.1.value ?? 0) ? $1 : $0 }) else {
      reason = "no row looks like the names of columns"
      isSure = false
      return
    }
    let first = table.first { cut.rows[$0].filled > 1 || cut.width == 1 } ?? best.0
    let score = best.1
    if score.names > 0 {
      row = best.0
      // One name among values may be a value.
      isSure = score.names > 1 || score.values == 0
      reason = score.names > 1 ? "\(score.names) usual names of columns" : "a usual name of a column"
    } else if score.values == 0, score.contrasts > 0 {
      row = best.0
      isSure = score.contrasts > 1 || score.blanks == 0
      reason = "texts above \(score.contrasts == 1 ? "a column" : "columns") of numbers or dates"
    } else {
      row = first
      let own = Score(cut, first, isName)
      isHeader = own.values == 0 && own.blanks == 0
      isSure = !isHeader && own.alike > 0
      reason = isHeader ? "nothing tells names from values" : "its first row has values like the others"
    }
  }

  /// The look of a row as a header.
  private struct Score {
    var names = 0
    /// Cells with numbers, dates, addresses or IDs.
    var values = 0
    var blanks = 0
    /// Texts above columns of values.
    var contrasts = 0
    /// Values above values of the same kind.
    var alike = 0
    private var repeated = 0

    var value: Double {
      Double(6 * names + 2 * min(contrasts, 3) - 4 * values - repeated) - 1.5 * Double(blanks)
    }

    init(_ cut: Cut, _ row: Int, _ isName: (String) -> Bool) {
      let cells = cut.rows[row].cells
      repeated = cells.count - Set(cells).count
      for (column, cell) in cells.enumerated() {
        let kind = CellKind(cell)
        if kind == .empty { blanks += 1 }
        if isName(cell) { names += 1 }
        if kind.isValue { values += 1 }
        guard row + 1 < cut.rows.count, let below = cut.kind(column, from: row + 1) else { continue }
        if kind == .text, below != .text, below != .empty { contrasts += 1 }
        if kind == below, kind.isValue || kind == .word { alike += 1 }
      }
    }
  }
}
