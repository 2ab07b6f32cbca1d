/// The usual kinds of the cells of each column of a table, by its first rows. A column has a habit if it has enough values and
/// almost all of them are of one kind.
package struct ColumnHabits: Sendable {
  package enum Look: Sendable { case alike, unlike, unknown }

  /// A row whose values stand one column beside their own.
  package struct Shift: Sendable, Equatable {
    /// The columns whose values are of another kind, counting from 0.
    package let columns: [Int]
    /// The kinds that these columns have, in words; nil for a column of texts.
    package let kinds: [String?]
    /// True if the values stand to the right of their columns.
    package let isToTheRight: Bool
  }

  /// So many rows are needed for a habit.
  package static let fewestRows = 20

  private let columns: [Column]

  package init(_ rows: [[String]], width: Int) {
    let judged = rows.count < Self.fewestRows ? [] : rows
    columns = (0..<width).map { column in Column(judged.map { $0[column] }) }
  }

  /// True for a column of numbers, dates, addresses or IDs.
  package func holdsValues(_ column: Int) -> Bool { columns[column].isOfValues }

  /// Tells whether these cells look like those of a row of the table.
  package func look(_ cells: [String]) -> Look {
    guard cells.count == columns.count else { return .unlike }
    var hits = 0
    for (column, cell) in zip(columns, cells) where column.isStrict && !CellKind.isBlank(cell) {
      guard column.fits(cell) else { return .unlike }
      hits += 1
    }
    return hits > 0 ? .alike : .unknown
  }

  /// The shift of a row of the right width that breaks two habits, if the columns beside explain its values; nil for other rows.
  /// - Parameter cells: with the blanks around them.
  package func shift(_ cells: [String]) -> Shift? {
    guard cells.count == columns.count else { return nil }
    let broken = columns.indices.filter { !columns[$0].fits(cells[$0]) }
    guard let first = broken.first, let last = broken.last, broken.contains(where: { columns[$0].isOfValues }) else {
      return nil
    }
    // A text that was cut at a separator begins with the blank behind it.
    let signs = broken.count + broken.count { columns[$0].hasNoLeadingBlank && cells[$0].hasPrefix(" ") }
    guard signs > 1 else { return nil }
    for step in [1, -1] {
      let isExplained = (first...last).allSatisfy { column in
        columns.indices.contains(column - step) && columns[column - step].fits(cells[column])
      }
      guard isExplained else { continue }
      return Shift(columns: broken, kinds: broken.map { columns[$0].words }, isToTheRight: step == 1)
    }
    return nil
  }

  private struct Column {
    private var kinds: [CellKind: Int] = [:]
    private var filled = 0
    private let hasEmpty: Bool
    let hasNoLeadingBlank: Bool
    /// The kind of almost all values; nil for texts and for mixed columns.
    private(set) var kind: CellKind?
    /// The values of a column that has few different ones.
    private var choices: Set<String> = []

    init(_ cells: [String]) {
      let values = cells.filter { !CellKind.isBlank($0) }
      filled = values.count
      hasEmpty = filled < cells.count
      hasNoLeadingBlank = !cells.contains { $0.hasPrefix(" ") }
      for value in values { kinds[CellKind(value), default: 0] += 1 }
      // One row of the first may be the broken one.
      let exceptions = max(1, filled / 20)
      guard filled >= 10, let usual = kinds.max(by: { $0.value < $1.value }), usual.value >= filled - exceptions else {
        return
      }
      if usual.key.isValue { kind = usual.key }
      var counts: [String: Int] = [:]
      for value in values { counts[value, default: 0] += 1 }
      let repeated = counts.filter { $0.value > 1 }
      let isSmall = repeated.count <= 12 && repeated.values.reduce(0, +) >= filled - exceptions
      if kind == nil, filled >= ColumnHabits.fewestRows, isSmall { choices = Set(repeated.keys) }
    }

    /// True for a column of numbers, dates, addresses or IDs.
    var isOfValues: Bool { kind != nil }
    /// True for a column that has a habit.
    var isStrict: Bool { kind != nil || !choices.isEmpty }

    var words: String? {
      switch kind {
      case .number: "numbers"
      case .date: "dates"
      case .address: "addresses"
      case .identifier: "IDs"
      default: choices.isEmpty ? nil : "one of \(choices.count) words"
      }
    }

    func fits(_ cell: String) -> Bool {
      if CellKind.isBlank(cell) { return hasEmpty || filled == 0 || !isStrict }
      let own = CellKind(cell)
      if let kind { return own == kind }
      if !choices.isEmpty { return choices.contains(cell) }
      // A column of texts that never holds a date.
      return filled < ColumnHabits.fewestRows || !own.isValue || (kinds[own] ?? 0) > 1
    }
  }
}
