/// The choice of the row with the names of the columns.
struct HeaderChoice {
  /// The index of the header, or of the first row of data.
  private(set) var row = 0
  private(set) var isHeader = true
  /// False if nothing shows whether the row has names or values.
  private(set) var isSure = true
  /// In words.
  private(set) var reason: String

  /// - Parameter isName: true for the name of a field of tasks.
  init(_ cut: Cut, mostAbove: Int, isName: (String) -> Bool) {
    var scored = cut.rows.indices.prefix(mostAbove).map { (row: $0, score: Score(cut, $0, isName)) }
      .filter { cut.rows[$0.row].cells.count == cut.width || $0.score.names > 0 }
    if scored.allSatisfy({ $0.score.names == 0 }) {
      for index in scored.indices { scored[index].score.compare(cut, scored[index].row) }
    }
    let first = scored.first { cut.rows[$0.row].filled > 1 || cut.width == 1 } ?? scored.first
    guard let first,
      let best = scored.dropFirst().reduce(scored.first, { $1.score.value > ($0?.score.value ?? 0) ? $1 : $0 })
    else {
      reason = "no row looks like the names of columns"
      isSure = false
      return
    }
    // The names of a second table below may be more.
    let names = scored.first { $0.score.names > 0 && 2 * $0.score.value >= best.score.value } ?? best
    let chosen = best.score.names > 0 ? names : best
    let score = chosen.score
    // Values above the names are rows of data.
    let belowData = scored.contains {
      $0.row < chosen.row && $0.score.values > 0 && $0.score.blanks == 0 && cut.width > 1
    }
    if score.names > 0 {
      row = chosen.row
      // One name among values may be a value.
      isSure = (score.names > 1 || score.values == 0) && !belowData
      reason = score.names > 1 ? "\(score.names) usual names of columns" : "a usual name of a column"
    } else if score.values == 0, score.alike == 0, score.contrasts > 0, !belowData {
      row = chosen.row
      isSure = score.contrasts > 1 || score.blanks == 0
      reason = "texts above \(score.contrasts == 1 ? "a column" : "columns") of values"
    } else {
      row = first.row
      let own = first.score
      isHeader = own.values == 0 && own.blanks == 0 && own.alike == 0
      // Lines above it may be a header of another width.
      isSure = !isHeader && own.alike > 0 && row == 0
      reason = isHeader ? "nothing tells names from values" : "the first row has values like the others"
    }
  }

  /// The look of a row as a header.
  private struct Score {
    private(set) var names = 0
    /// Cells with numbers, dates, addresses or IDs.
    private(set) var values = 0
    private(set) var blanks = 0
    /// Texts above columns of values, or of few words that repeat.
    private(set) var contrasts = 0
    /// Values above values of the same kind, and texts that are in other rows, too.
    private(set) var alike = 0
    private var repeated = 0
    private var isOfWidth = true

    var value: Double {
      Double(6 * names + 2 * min(contrasts, 3) - 4 * values - repeated) - 1.5 * Double(blanks) - (isOfWidth ? 0 : 3)
    }

    init(_ cut: Cut, _ row: Int, _ isName: (String) -> Bool) {
      let cells = cut.rows[row].cells
      repeated = cells.count - Set(cells).count
      isOfWidth = cells.count == cut.width
      // `Done` is a name and a value; it tells nothing alone.
      var uncertain = 0
      for cell in cells {
        let kind = CellKind(cell)
        if kind == .empty { blanks += 1 }
        if kind.isValue { values += 1 }
        if isName(cell) { if kind == .word { uncertain += 1 } else { names += 1 } }
      }
      if names > 0 { names += uncertain }
    }

    /// Compares the cells with those below.
    mutating func compare(_ cut: Cut, _ row: Int) {
      for (column, cell) in cut.rows[row].cells.enumerated() {
        let kind = CellKind(cell)
        guard kind != .empty, let below = cut.column(column, from: row + 1) else { continue }
        if kind == .text, below.kind != .text || below.isSet && !below.texts.contains(cell) { contrasts += 1 }
        let isAlike = kind == below.kind && (kind.isValue || kind == .word && below.count > 1)
        if isAlike || below.texts.contains(cell) { alike += 1 }
      }
    }
  }
}
