import Core

/// Reads the columns of one row of a table, and checks that each holds what this program writes there. A database may be
/// damaged, or somebody else may write to it: a value of another kind or size is an error, and never the end of the
/// program.
///
///     let read = row.reader(of: "run", in: database.place, key: ["id"])
///     let job = try read.text("job")
///     let attempt = try read.integer("attempt", in: 0...1000)
///     let ended = try read.optionalTime("ended_at")
///
/// Rules for code that reads rows:
/// - Calculate only with numbers that were read with a range, so that no sum overflows. `Int(clamped:)` makes an integer of
///   a number with a fraction; `Int(_:)` traps for NaN and for numbers that are too large.
/// - Check the form of a text, where it is read, before it becomes a part of a path or of a statement.
/// - Text for a person is `displayable`.
package struct RowReader: Sendable {
  package let row: Row
  package let table: String
  /// The file or the address of the database.
  package let place: String
  /// The columns whose values name the row in messages.
  let key: [String]

  /// Unix seconds up to the end of the year 9999. Sums of a few of them do not overflow.
  package static let times: ClosedRange<Int64> = 0...253_402_300_799
  /// Counters that only grow by one. The sum of two of them does not overflow.
  package static let counts: ClosedRange<Int64> = 0...(1 << 61)
  /// Numbers that are only compared.
  package static let any: ClosedRange<Int64> = .min ... .max

  package func text(_ column: String) throws(DamagedRow) -> String {
    guard let text = try value(column).text else { throw damaged(column, "text") }
    return text
  }

  /// Nil for a null.
  package func optionalText(_ column: String) throws(DamagedRow) -> String? {
    try isNull(column) ? nil : text(column)
  }

  package func blob(_ column: String) throws(DamagedRow) -> [UInt8] {
    guard let bytes = try value(column).blob else { throw damaged(column, "bytes") }
    return bytes
  }

  package func integer(_ column: String, in range: ClosedRange<Int64>) throws(DamagedRow) -> Int64 {
    try number(value(column).integer, column, "an integer", in: range)
  }

  /// Nil for a null.
  package func optionalInteger(_ column: String, in range: ClosedRange<Int64>) throws(DamagedRow) -> Int64? {
    try isNull(column) ? nil : integer(column, in: range)
  }

  /// A number, with a fraction or without. NaN and infinity are in no range.
  package func real(_ column: String, in range: ClosedRange<Double>) throws(DamagedRow) -> Double {
    try number(value(column).real, column, "a number", in: range)
  }

  /// Nil for a null.
  package func optionalReal(_ column: String, in range: ClosedRange<Double>) throws(DamagedRow) -> Double? {
    try isNull(column) ? nil : real(column, in: range)
  }

  /// A time in whole Unix seconds.
  package func time(_ column: String) throws(DamagedRow) -> Int64 { try integer(column, in: Self.times) }

  /// Nil for a null.
  package func optionalTime(_ column: String) throws(DamagedRow) -> Int64? {
    try optionalInteger(column, in: Self.times)
  }

  /// A time in Unix seconds with a fraction.
  package func preciseTime(_ column: String) throws(DamagedRow) -> Double {
    try real(column, in: Double(Self.times.lowerBound)...Double(Self.times.upperBound))
  }

  /// The truth that is stored as 1, or as 0 for false.
  package func flag(_ column: String) throws(DamagedRow) -> Bool { try integer(column, in: 0...1) == 1 }

  /// An error for a column whose value has another form than `expected`, such as "JSON".
  package func damaged(_ column: String, _ expected: String) -> DamagedRow {
    DamagedRow(table: table, row: name, column: column, place: place, expected: expected)
  }

  package func isNull(_ column: String) throws(DamagedRow) -> Bool { try value(column).isNull }

  private func number<Number: Comparable>(
    _ found: Number?, _ column: String, _ kind: String, in range: ClosedRange<Number>
  ) throws(DamagedRow) -> Number {
    guard let found, range.contains(found) else {
      throw damaged(column, "\(kind) from \(range.lowerBound) to \(range.upperBound)")
    }
    return found
  }

  private func value(_ column: String) throws(DamagedRow) -> SQLValue {
    guard let index = row.columns.firstIndex(of: column) else {
      throw DamagedRow(table: table, row: name, column: column, place: place, expected: nil)
    }
    return row[index]
  }

  private var name: String? {
    guard !key.isEmpty else { return nil }
    let values = key.map { row[$0].text ?? row[$0].integer.map { "\($0)" } ?? "?" }
    return values.joined(separator: ", ").displayable.clipped(to: 100)
  }
}

extension Row {
  /// A reader for the row.
  /// - Parameters:
  ///   - table: the table that the row is of, for messages.
  ///   - place: the file or the address of the database, for messages.
  ///   - key: the columns whose values name the row in messages.
  package func reader(of table: String, in place: String, key: [String] = []) -> RowReader {
    RowReader(row: self, table: table, place: place, key: key)
  }
}

/// A value of a database that this program does not write: the database is damaged, or somebody else has changed it.
package struct DamagedRow: Failure {
  package let table: String
  /// The values that name the row; nil if nothing does.
  package let row: String?
  package let column: String
  package let place: String
  /// The kind of value that the column should hold; nil if there is no such column.
  package let expected: String?

  package var code: String { "store_damaged" }
  package var message: String {
    (row.map { "the row \($0) of the table \(table)" } ?? "the table \(table)") + " in \(place) is damaged: "
      + (expected.map { "its column \(column) does not hold \($0)" } ?? "it has no column \(column)")
  }
  package var hint: String? { "put back a copy of the database, or mend or remove that row" }
  package var details: [String: String] {
    var details = ["place": place, "table": table, "column": column]
    details["row"] = row
    return details
  }
}
