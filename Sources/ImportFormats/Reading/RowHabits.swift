import Core
import TableReading

/// The habits of the columns of a file. A file is judged by its first rows before the first one is handed out; a pipe, whose writer may
/// wait, by as many rows once they were read. Both judge a row alike in each run, however the data come in.
final class RowHabits {
  private static let mostRows = 100
  private static let sampleSize = 64 << 10
  /// The columns that are looked at in each row.
  private static let mostColumns = 6

  private let width: Int
  private let separator: UInt8
  private var rows: [[String]] = []
  private(set) var isComplete = false
  /// The columns whose values begin with a digit: one byte shows that a row may be shifted.
  private var digitColumns: [Int] = []
  private lazy var columns = ColumnHabits(rows, width: width)

  init(width: Int, separator: UInt8) { (self.width, self.separator) = (width, separator) }

  /// Learns from the beginning of a file.
  func learn(_ buffer: FileBuffer) {
    guard buffer.pipe == nil else { return }
    let sample: UnsafeRawBufferPointer
    do { sample = try buffer.sample(Self.sampleSize) } catch {
      // The error comes again when reading gets there.
      sample = buffer.window
    }
    let found = SampleRow.rows(sample, separator: separator, isWhole: buffer.isAtEnd, most: Self.mostRows)
    rows = found.filter { $0.cells.count == width && !$0.isBroken }.map(\.cells)
    complete()
  }

  /// Learns from a row of a pipe.
  func learn(_ row: CSVRow) {
    guard !isComplete, row.count == width else { return }
    rows.append(row.fields)
    if rows.count == Self.mostRows { complete() }
  }

  private func complete() {
    isComplete = true
    guard rows.count >= ColumnHabits.fewestRows else { return }
    let found = (0..<width).filter { column in
      let values = rows.map { $0[column] }.filter { !$0.isEmpty }
      let others = values.count { !($0.utf8.first.map(Self.beginsValue) ?? true) }
      return values.count >= 10 && others <= max(1, values.count / 20)
    }
    digitColumns = Array(found.prefix(Self.mostColumns))
  }

  private static func beginsValue(_ byte: UInt8) -> Bool { (0x2B...0x39).contains(byte) }

  /// Why the values of a row seem to stand in wrong columns; nil for almost every row.
  func oddity(_ row: CSVRow) -> String? {
    let isOdd = digitColumns.contains { column in
      row.withBytes(of: column) { bytes in bytes.first { $0 != 0x20 }.map { !Self.beginsValue($0) } ?? false }
    }
    guard isOdd, let shift = columns.shift(row.fields) else { return nil }
    let names = row.header.names
    let facts = zip(shift.columns, shift.kinds).prefix(3).map { column, kind in
      "\(names[column]) holds \"\(row[column].clipped(to: 40))\"\(kind.map { ", where the other rows hold \($0)" } ?? "")"
    }
    return "\(facts.joined(separator: ", and ")): the values seem to stand one column too far to the "
      + "\(shift.isToTheRight ? "right" : "left")"
  }

  /// True for a column of numbers, dates, addresses or IDs.
  func holdsValues(_ column: Int) -> Bool { isComplete && columns.holdsValues(column) }

  /// Tells whether a line, cut at each separator, looks like a row of the table.
  func look(_ line: UnsafeRawBufferPointer, hasBlanks: Bool) -> ColumnHabits.Look {
    guard let row = SampleRow.rows(line, separator: separator, isWhole: true, most: 1).first,
      row.cells.count == width, width > 1
    else { return .unlike }
    // A blank behind a comma is that of a sentence.
    if row.hasBlanks, !hasBlanks { return .unlike }
    return isComplete ? columns.look(row.cells) : .unknown
  }
}
