/// The beginning of a table as one separator cuts it.
struct Cut {
  let separator: Character
  let rows: [SampleRow]
  /// The number of cells that most rows have.
  let width: Int
  let score: Double
  /// The kinds of the cells of the first rows.
  private let kinds: [[CellKind]]

  /// So many rows tell the kinds of the columns.
  private static let mostRows = 90

  /// The values of a column in some rows.
  struct Column {
    /// The kind that most of them have.
    var kind: CellKind
    var texts: Set<String>
    var count: Int

    /// True for a few words that repeat.
    var isSet: Bool { count >= 4 && 2 * texts.count <= count }
  }

  /// - Parameters:
  ///   - mostAbove: so many rows may be above the header.
  ///   - isName: true for the name of a field of tasks.
  init(_ separator: Character, _ rows: [SampleRow], mostAbove: Int, isName: (String) -> Bool) {
    self.separator = separator
    self.rows = rows
    kinds = rows.prefix(Self.mostRows).map { $0.cells.map { CellKind($0) } }
    var counts: [Int: Int] = [:]
    for row in rows { counts[row.cells.count, default: 0] += 1 }
    // A preamble has narrow rows, so the wider of equally frequent widths is that of the table.
    let width = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? 0
    self.width = width
    let names = rows.prefix(mostAbove).map { $0.cells.count == width ? $0.cells.count(where: isName) : 0 }.max() ?? 0
    let sureness = 0.3 * Double(min(names, 3))
    guard width > 1 else {
      score = sureness
      return
    }
    let agreement = Double(counts[width] ?? 0) / Double(rows.count)
    // A wrong separator leaves pieces of numbers, dates and quotes, which are texts.
    var weights = (sum: 0.0, count: 0)
    for (row, kinds) in zip(rows, kinds) where kinds.count == width {
      for (cell, kind) in zip(row.cells, kinds) where kind != .empty {
        let isPiece = kind == .text && (cell.contains(where: TableShape.separators.contains) || cell.hasPrefix("\""))
        weights.sum += kind != .text ? 1 : isPiece ? 0.4 : 0.7
        weights.count += 1
      }
    }
    let clarity = weights.count == 0 ? 0.5 : weights.sum / Double(weights.count)
    score = sureness + agreement * clarity * (1 - 1 / Double(width + 1))
  }

  /// The values of a column from the row `start` on; nil if it has none there.
  func column(_ column: Int, from start: Int) -> Column? {
    var counts: [CellKind: Int] = [:]
    var texts: Set<String> = []
    var count = 0
    for row in kinds.indices.dropFirst(start) where kinds[row].count == width && kinds[row][column] != .empty {
      counts[kinds[row][column], default: 0] += 1
      texts.insert(rows[row].cells[column])
      count += 1
    }
    guard count > 0 else { return nil }
    return Column(kind: counts.first { 2 * $0.value > count }?.key ?? .text, texts: texts, count: count)
  }
}
