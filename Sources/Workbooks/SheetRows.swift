import Core

/// The rows of a sheet, which become lines of CSV. A row is one record, and the number of the record is that of the row.
final class SheetRows {
  /// As many as a spreadsheet has (ECMA-376: 1,048,576 rows, 16,384 columns).
  static let mostRows = 1 << 20
  static let mostColumns = 1 << 14
  /// So many bytes may come of a piece of the sheet: its cells name texts, and may name the same huge one again and again.
  private static let mostAtOnce = 64 << 20

  private let sheet: String
  /// The bytes that may still come, besides those in `output`.
  private var room: Int
  /// The CSV that was not handed out yet.
  private(set) var output: [UInt8] = []
  /// The rows that are in `output`, or were.
  private(set) var count = 0
  /// Why rows cannot be read, by their numbers.
  private(set) var faults: [(row: Int, reason: String)] = []
  private(set) var error: WorkbookError?
  /// The largest number of cells of the rows so far.
  private(set) var width = 0
  /// The cells of the present row, and the end of the last that is not empty.
  private var line: [UInt8] = []
  private var columns = 0
  private var filledEnd = 0
  private var filledColumns = 0

  /// - Parameter most: so many bytes may come of the sheet.
  init(sheet: String, most: Int) { (self.sheet, room) = (sheet, most) }

  func clear() {
    room -= output.count
    output.removeAll(keepingCapacity: true)
  }

  /// False if so many bytes more are too many.
  private func fits(_ count: Int) -> Bool {
    guard error == nil else { return false }
    guard output.count + line.count + count > min(room, Self.mostAtOnce) else { return true }
    error = WorkbookError(
      .tooLarge, "the sheet \"\(sheet)\" has far more text than the file has bytes: its cells repeat huge texts",
      hint: "if you trust it, save the sheet as CSV and import that")
    return false
  }

  func takeFaults() -> [(row: Int, reason: String)] {
    defer { faults = [] }
    return faults
  }

  /// Adds a cell in the column `column`, counting from 0. Columns between are empty.
  func add(_ text: some Collection<UInt8>, column: Int) {
    guard column < Self.mostColumns, column >= columns else {
      fail(
        column < columns ? "the cells of row \(count + 1) are not in order" : "row \(count + 1) has too many columns")
      return
    }
    guard fits(text.count + column - columns) else { return }
    while columns < column {
      line.append(UInt8(ascii: ","))
      columns += 1
    }
    let needsQuotes = text.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
    if needsQuotes {
      line.append(0x22)
      for byte in text {
        if byte == 0x22 { line.append(0x22) }
        line.append(byte)
      }
      line.append(0x22)
    } else {
      line += text
    }
    if !text.isEmpty { (filledEnd, filledColumns) = (line.count, column + 1) }
    line.append(UInt8(ascii: ","))
    columns += 1
  }

  /// Notes why the present row cannot be read.
  func refuse(_ reason: String) { if faults.last?.row != count + 1 { faults.append((count + 1, reason)) } }

  /// Ends the present row, which stands in the sheet `times` times.
  func endRow(times: Int = 1) {
    for _ in 0..<max(0, times) where count < Self.mostRows {
      guard fits(0) else { break }
      // A row that cannot be read is not an empty one.
      output += filledEnd == 0 && faults.last?.row == count + 1 ? Array("\"\"".utf8)[...] : line[..<filledEnd]
      output.append(0x0A)
      count += 1
    }
    width = max(width, filledColumns)
    line.removeAll(keepingCapacity: true)
    (columns, filledEnd, filledColumns) = (0, 0, 0)
  }

  /// Adds empty rows before the row `row`, counting from 1.
  func move(to row: Int) {
    guard row > count else {
      fail("the row \(row) stands behind the row \(count)")
      return
    }
    guard row <= Self.mostRows else {
      fail("it has more than \(Self.mostRows) rows")
      return
    }
    while count < row - 1 {
      output.append(0x0A)
      count += 1
    }
  }

  private func fail(_ reason: String) { if error == nil { error = .damaged("the sheet \"\(sheet)\": \(reason)") } }
}
