/// Reads a CSV file (RFC 4180) row by row; the first row is the header. Memory is bounded by the longest row. Beyond
/// the RFC it takes a byte order mark, LF, CR and CRLF as line breaks, any ASCII separator, blanks around a quoted field, and a
/// quote inside a field that does not begin with one. Empty lines are passed over. A row that is broken, too long, or has more or
/// fewer fields fails alone: `next` returns it as malformed, and the rows behind it can be read.
package final class CSVReader: BufferedReader {
  package let header: CSVHeader
  package let format: SourceFormat
  package var separator: Character { start.separator }
  /// The place of the table in the file, and its doubt.
  let start: TableStart
  let buffer: FileBuffer
  private let scanner: CSVScanner
  private let habits: RowHabits
  private var number = 0

  /// Reads the header of the file. For a nil separator, see `TableShape`.
  package convenience init(_ source: SourceFile, separator: Character? = ",") throws(ImportError) {
    // A separator that cannot be used is refused before the file is read.
    if let separator { _ = try Self.byte(of: separator) }
    try self.init(FileBuffer(source), source, separator: separator)
  }

  init(_ buffer: FileBuffer, _ source: SourceFile, separator given: Character?) throws(ImportError) {
    if let given { _ = try Self.byte(of: given) }
    start = try TableStart(buffer, source, separator: given)
    self.buffer = buffer
    format = start.separator == "\t" ? .tsv : .csv
    buffer.consume(start.offset)
    let dialect = try CSVDialect(buffer, separator: Self.byte(of: start.separator))
    scanner = CSVScanner(buffer, dialect: dialect, line: start.line)
    header = try Self.header(start, scanner, buffer)
    scanner.header = header
    let habits = RowHabits(width: header.names.count, separator: dialect.separator)
    habits.learn(buffer)
    scanner.habits = habits
    self.habits = habits
  }

  private static func header(
    _ start: TableStart, _ scanner: CSVScanner, _ buffer: FileBuffer
  ) throws(ImportError) -> CSVHeader {
    if let names = start.names { return CSVHeader(names: names, path: buffer.name) }
    let found: CSVRow?
    do throws(ImportError) { found = try scanner.nextHeader() } catch {
      guard scanner.isSkipping, let names = try scanner.skip(isHeader: true).names(scanner.dialect) else { throw error }
      return CSVHeader(names: names, path: buffer.name)
    }
    guard let names = found else {
      throw ImportError(
        kind: .emptyFile, message: "\(buffer.name) is empty, expected a first line with the names of the columns")
    }
    if let fault = buffer.takeFault(names.lines) {
      throw ImportError(
        kind: .unreadableRow, message: "\(buffer.name):\(names.line): \(fault)", line: names.line)
    }
    return CSVHeader(names: names.fault == nil ? names.fields : names.fields.map(unquoted), path: buffer.name)
  }

  static func byte(of separator: Character) throws(ImportError) -> UInt8 {
    let quote: Character = "\""
    if let byte = separator.asciiValue, separator != quote, !separator.isNewline { return byte }
    throw ImportError(
      kind: .invalidSeparator, message: "the separator \"\(separator)\" cannot separate fields",
      hint: "give one ASCII character, usually \",\", \";\" or \"\\t\"")
  }

  package var summary: String {
    buffer.summary(
      buffer.isSheet ? nil : separator == "\t" ? "CSV separated by tabs" : "CSV separated by '\(separator)'")
      + (start.note.map { ", \($0)" } ?? "")
  }
  package var columns: [String]? { header.names }
  var table: SourceTable? { separator.asciiValue.map { SourceTable(header, separator: $0) } }
  package var bytesRead: Int { scanner.bytesRead }

  /// The next row as a record, malformed if it does not fit the header; nil at the end.
  package func next() throws(ImportError) -> SourceRecord? {
    if scanner.isSkipping { return try skipped() }
    let found: CSVRow?
    do throws(ImportError) { found = try scanner.next() } catch {
      guard scanner.isSkipping else { throw error }
      return try skipped()
    }
    guard let row = found else { return nil }
    number += 1
    let column = header.failureColumn
    let origins = column.flatMap { $0 < row.count ? RowOrigin.of(cell: row[$0]) : nil } ?? []
    return SourceRecord(
      number: number, line: row.line, content: content(of: row), fingerprint: row.fingerprint, origins: origins)
  }

  private func content(of row: CSVRow) -> SourceRecord.Content {
    var fields: [String] { row.fields.enumerated().filter { $0.offset != header.failureColumn }.map(\.element) }
    if row.mayHaveFaults, let fault = buffer.takeFault(row.lines) { return .unreadable(fault, fields) }
    guard row.count == header.names.count else {
      return .malformed(code: ImportError.Kind.raggedRow.rawValue, reason: raggedness(row), fields: fields)
    }
    switch row.fault {
    case .quote(let field)?:
      return .malformed(code: ImportError.Kind.misplacedQuote.rawValue, reason: Self.stray(field), fields: fields)
    case .null(let field)?:
      return .unreadable("field \(field) has a null byte, which no text has", fields)
    case .mark(let field)? where habits.holdsValues(field - 1):
      return .malformed(code: ImportError.Kind.misplacedQuote.rawValue, reason: Self.stray(field), fields: fields)
    case .mark?, nil: break
    }
    if let oddity = habits.oddity(row) {
      return .malformed(code: ImportError.Kind.shiftedRow.rawValue, reason: oddity, fields: fields)
    }
    return .row(row)
  }

  /// The name of a column without a stray quote.
  static func unquoted(_ name: String) -> String { name.filter { $0 != "\"" } }

  private static func stray(_ field: Int) -> String {
    "field \(field) has a single quote mark in it, so that a separator or a quote may be missing: put the field in quotes, "
      + "and write a quote inside it twice"
  }

  /// The next row; nil at the end. Throws for a row that does not fit the header.
  package func nextRow() throws(ImportError) -> CSVRow? {
    guard let row = try scanner.next() else { return nil }
    if row.mayHaveFaults, let fault = buffer.takeFault(row.lines) {
      throw ImportError(kind: .unreadableRow, message: "\(name):\(row.line): \(fault)", line: row.line)
    }
    guard row.count == header.names.count else {
      throw ImportError(
        kind: .raggedRow, message: "\(name):\(row.line): \(raggedness(row))",
        hint: row.count > header.names.count ? "a field with the separator in it needs quotes around it" : nil,
        line: row.line)
    }
    if case .quote(let field)? = row.fault {
      throw ImportError(
        kind: .misplacedQuote, message: "\(name):\(row.line): \(Self.stray(field))", line: row.line)
    }
    return row
  }

  private func skipped() throws(ImportError) -> SourceRecord {
    let row = try scanner.skip()
    if buffer.hasFaults { _ = buffer.takeFault(row.line...row.line + row.lineBreaks) }
    number += 1
    return row.record(number: number)
  }

  private func raggedness(_ row: CSVRow) -> String {
    "this row has \(counted(row.count, "field")), expected \(header.names.count) as in the header"
  }
}

/// "1 row", "12 rows"
package func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
