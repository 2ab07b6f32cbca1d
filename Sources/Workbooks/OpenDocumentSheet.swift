import Markup

/// The names of the sheets in the content of an OpenDocument spreadsheet.
final class OpenDocumentNames: XMLStream.Handler {
  private var sheets: [Workbook.Sheet] = []
  private var depth = 0

  static func read(_ feed: (XMLStream) throws(WorkbookError) -> Void) throws(WorkbookError) -> [Workbook.Sheet] {
    let names = OpenDocumentNames()
    try feed(try WorkbookError.wrapping { () throws(MarkupError) in try XMLStream(names) })
    return names.sheets
  }

  func start(_ name: XMLStream.Name, _ attributes: XMLStream.Attributes) {
    guard case "table" = name else { return }
    // A table within a cell is a part of that cell.
    if depth == 0 {
      sheets.append(
        Workbook.Sheet(name: attributes.text("name") ?? "\(sheets.count + 1)", isHidden: false, part: "content.xml"))
    }
    depth += 1
  }

  func end(_ name: XMLStream.Name) { if case "table" = name { depth -= 1 } }
  func text(_ bytes: UnsafeBufferPointer<UInt8>) {}
}

/// The cells of a sheet of OpenDocument (ISO 26300, 9).
final class OpenDocumentSheet: XMLStream.Handler {
  /// The inside of a cell.
  private struct Cell {
    /// The value of a number, a date or a boolean; nil for a text.
    var value: [UInt8]?
    var text: [UInt8] = []
    var paragraphs = 0
    /// The columns in which it stands.
    var times = 1
  }

  private let rows: SheetRows
  private let table: String
  private var isInTable = false
  /// Tables within cells, and comments, whose texts are left out.
  private var others = 0
  private var column = 0
  private var rowTimes = 1
  /// Empty rows, which count only if another row follows.
  private var emptyRows = 0
  private var rowIsEmpty = true
  private var cell = Cell()
  private var isInParagraph = false

  init(_ rows: SheetRows, table: String) { (self.rows, self.table) = (rows, table) }

  func start(_ name: XMLStream.Name, _ attributes: XMLStream.Attributes) {
    switch name {
    case "table":
      if isInTable { others += 1 } else { isInTable = attributes.text("name") == table }
    case "annotation": others += 1
    case "table-row" where isInTable && others == 0:
      rowTimes = max(0, attributes.text("number-rows-repeated").flatMap { Int($0) } ?? 1)
      (column, rowIsEmpty) = (0, true)
    case "table-cell" where isInTable && others == 0, "covered-table-cell" where isInTable && others == 0:
      let times = attributes.text("number-columns-repeated").flatMap { Int($0) } ?? 1
      cell = Cell(value: Self.value(attributes), times: min(max(0, times), SheetRows.mostColumns))
    case "p" where isInTable && others == 0:
      if cell.paragraphs > 0 { cell.text.append(0x0A) }
      cell.paragraphs += 1
      isInParagraph = true
    case "s" where isInParagraph:
      let count = attributes.text("c").flatMap { Int($0) } ?? 1
      cell.text += Array(repeating: 0x20, count: min(max(count, 0), 1000))
    case "tab" where isInParagraph: cell.text.append(0x09)
    case "line-break" where isInParagraph: cell.text.append(0x0A)
    default: break
    }
  }

  func end(_ name: XMLStream.Name) {
    switch name {
    case "table": if others > 0 { others -= 1 } else { isInTable = false }
    case "annotation": others -= 1
    case "p": isInParagraph = false
    case "table-cell" where isInTable && others == 0, "covered-table-cell" where isInTable && others == 0: endCell()
    case "table-row" where isInTable && others == 0:
      if rowIsEmpty {
        emptyRows += min(rowTimes, SheetRows.mostRows)
      } else {
        rows.endRow(times: rowTimes)
      }
    default: break
    }
  }

  func text(_ bytes: UnsafeBufferPointer<UInt8>) { if isInParagraph, others == 0 { cell.text += bytes } }

  private func endCell() {
    let bytes = cell.value ?? cell.text
    defer { column += cell.times }
    guard !bytes.isEmpty else { return }
    if rowIsEmpty, emptyRows > 0 {
      rows.move(to: rows.count + emptyRows + 1)
      emptyRows = 0
    }
    rowIsEmpty = false
    for index in 0..<cell.times { rows.add(bytes, column: column + index) }
  }

  /// The value of a number, a date or a boolean; nil for a text.
  private static func value(_ attributes: XMLStream.Attributes) -> [UInt8]? {
    switch attributes.text("value-type") {
    case "float", "currency", "percentage": attributes["value"].map { Array($0) }
    case "date": attributes["date-value"].map { Array($0) }
    case "boolean": attributes.text("boolean-value").map { Array(($0 == "true" ? "TRUE" : "FALSE").utf8) }
    default: nil
    }
  }
}
