import TableReading

/// Finds the rows of a table that are not tasks: sums, and the names of columns of another table with its rows.
struct ForeignRows {
  private let text: Int
  /// The name of the column with the texts, in lower case.
  private let name: String
  private let first: Int
  /// The line with the names of another table.
  private var other: Int?
  /// The words that are looked for by their lengths and first bytes: almost every text has others.
  private let shapes: Set<Int>

  /// - Parameter text: the position of the column with the texts.
  init(names: [String], text: Int, header: Int) {
    (self.text, first) = (text, header + 1)
    name = names[text].lowercased()
    shapes = Self.shapes.union(Self.shapes(of: name))
  }

  private static let shapes = sums.union(ColumnNames.plainTexts).reduce(into: Set<Int>()) {
    $0.formUnion(shapes(of: $1))
  }

  private static func shapes(of word: String) -> [Int] {
    [word, word.uppercased(), word.prefix(1).uppercased() + word.dropFirst()].flatMap { form in
      [shape(form.utf8.count, form.utf8.first), shape(form.utf8.count + 1, form.utf8.first)]
    }
  }

  private static func shape(_ length: Int, _ first: UInt8?) -> Int { length << 8 | Int(first ?? 0) }

  /// The reason why a row is not a task; nil for a task. Each row is judged once, in order.
  mutating func reason(_ row: CSVRow) -> String? {
    if let other { return "it stands below line \(other), which has the names of columns of another table" }
    guard row.withBytes(of: text, { shapes.contains(Self.shape($0.count, $0.first)) }) else { return nil }
    var word = row[text].lowercased()
    if word.hasSuffix(":") { word.removeLast() }
    if Self.sums.contains(word) {
      guard Self.hasOnlyValues(row, besides: text) else { return nil }
      return "it looks like a sum: \(row.fields.filter { !$0.isEmpty }.quotedList)"
    }
    guard word == name || ColumnNames.plainTexts.contains(word) else { return nil }
    let cells = row.fields
    if cells.map(ColumnNames.visible) == row.header.written { return "it repeats the names of the columns" }
    // `Done` may be a value, too.
    let filled = cells.filter { !$0.isEmpty }
    guard filled.allSatisfy(ColumnNames.isUsual), filled.count(where: { CellKind($0) != .word }) > 1 else { return nil }
    // The second of two lines of names is directly below the first.
    if row.line > first { other = row.line }
    return "it has names of columns: \(filled.quotedList)"
  }

  private static func hasOnlyValues(_ row: CSVRow, besides text: Int) -> Bool {
    let others = (0..<row.count).filter { $0 != text && !row.isEmpty($0) }
    return !others.isEmpty && others.allSatisfy { CellKind(row[$0]) == .number }
  }

  private static let sums: Set<String> = [
    "total", "totals", "sum", "subtotal", "grand total", "count", "summe", "gesamt", "gesamtsumme", "zwischensumme",
    "anzahl", "totale", "somme", "total général", "suma", "soma", "somma", "totaal", "som", "summa", "i alt",
    "sum totalt",
    "yhteensä", "razem", "celkem", "součet", "toplam", "итого", "всего", "合計", "总计", "합계",
  ]
}
