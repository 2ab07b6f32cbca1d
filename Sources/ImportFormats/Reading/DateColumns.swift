package import TableReading

/// The dates of columns of a table, in the order of day and month that their values show together.
package struct DateColumns: Sendable {
  private let columns: Set<Int>
  private let order: DateOrder?

  /// As many rows are read before the first request if no earlier one decides.
  private static let mostRows = 20_000

  /// - Parameters:
  ///   - names: of the columns; the table may lack some of them.
  ///   - order: nil to find it by the first rows.
  /// - Throws: `ImportError.doubtful` if nothing decides.
  package init(
    _ names: [String], of header: CSVHeader, in reader: PreviewedReader, order given: DateOrder?
  ) throws(ImportError) {
    let columns = names.compactMap { header.index(of: $0) }
    self.columns = Set(columns)
    guard given == nil, !columns.isEmpty else {
      order = given
      return
    }
    var values = DateColumn()
    for case .row(let row) in reader.readAhead(Self.mostRows).map(\.content) {
      for column in columns { values.add(row[column]) }
    }
    switch values.judgment {
    case .needless: order = nil
    case .decided(let found): order = found
    case .undecided(let example):
      throw Self.doubt(reader.name, "its dates, such as \(example), may have the day or the month first")
    case .mixed(let dayFirst, let monthFirst):
      throw Self.doubt(reader.name, "its dates have two orders: \(dayFirst) and \(monthFirst)")
    }
  }

  private static func doubt(_ name: String, _ finding: String) -> ImportError {
    ImportError(
      kind: .doubtful, message: "\(name): \(finding)",
      hint: "nothing was sent: --date-format day-first or month-first decides (date_format in a script)")
  }

  package var isEmpty: Bool { columns.isEmpty }

  /// The value of a column in the form `2026-10-01` or `2026-10-01T15:30:00Z`; nil for another column, and for a text that is no
  /// date.
  package func text(in column: Int, of row: CSVRow) -> String? {
    guard columns.contains(column) else { return nil }
    return DateText(row[column])?.text(order ?? .dayFirst)
  }
}
