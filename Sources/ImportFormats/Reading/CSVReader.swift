/// Reads a CSV file (RFC 4180) row by row; the first row is the header. Memory is bounded by the longest row. Beyond
/// the RFC it takes a byte order mark, LF, CR and CRLF as line breaks, any ASCII separator, and a quote inside a field
/// that does not begin with one. Empty lines are passed over. It stops at any other deviation, because the rows behind
/// it would be guesses: `ImportError` names the file and the line. It does not stop at a row with more or fewer fields, or at one
/// that is too long.
package final class CSVReader: BufferedReader {
  package let header: CSVHeader
  package let format: SourceFormat
  package let separator: Character
  let buffer: FileBuffer
  private let scanner: CSVScanner
  private let note: String?
  private var number = 0

  /// Reads the header of the file. For a nil separator, see `SeparatorSniffer`.
  package convenience init(_ source: SourceFile, separator: Character? = ",") throws(ImportError) {
    // A separator that cannot be used is refused before the file is read.
    if let separator { _ = try Self.byte(of: separator) }
    try self.init(FileBuffer(source), source, separator: separator)
  }

  init(_ buffer: FileBuffer, _ source: SourceFile, separator given: Character?) throws(ImportError) {
    if let given { _ = try Self.byte(of: given) }
    let start = try TableStart(buffer, separator: given, header: source.header, skipping: source.skippedLines)
    separator = start.separator
    note = start.note
    self.buffer = buffer
    format = separator == "\t" ? .tsv : .csv
    buffer.consume(start.offset)
    scanner = CSVScanner(buffer, separator: try Self.byte(of: separator), line: start.line)
    if let names = start.names {
      header = try CSVHeader(names: names, path: buffer.name, line: start.line)
      scanner.header = header
      return
    }
    guard let names = try scanner.nextHeader() else {
      throw ImportError(
        kind: .emptyFile, message: "\(buffer.name) is empty, expected a first line with the names of the columns")
    }
    if let fault = buffer.takeFault(names.lines) {
      throw ImportError(
        kind: .unreadableRow, message: "\(buffer.name):\(names.line): \(fault)", line: names.line)
    }
    header = try CSVHeader(
      names: (0..<names.count).map { names[$0] }, path: buffer.name, line: names.line, repeatsNames: source.repeatsNames
    )
    scanner.header = header
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
      + (note.map { ", \($0)" } ?? "")
  }
  package var columns: [String]? { header.names }
  var table: SourceTable? { separator.asciiValue.map { SourceTable(header, separator: $0) } }
  package var bytesRead: Int { scanner.bytesRead }

  /// The next row as a record, malformed if it does not fit the header; nil at the end.
  package func next() throws(ImportError) -> SourceRecord? {
    if scanner.isSkipping { return try overlong() }
    let found: CSVRow?
    do throws(ImportError) { found = try scanner.next() } catch {
      guard error.kind == .rowTooLong else { throw error }
      return try overlong()
    }
    guard let row = found else { return nil }
    number += 1
    let column = header.failureColumn
    let origins = column.flatMap { $0 < row.count ? RowOrigin.of(cell: row[$0]) : nil } ?? []
    var fields: [String] { row.fields.enumerated().filter { $0.offset != column }.map(\.element) }
    let content: SourceRecord.Content =
      if buffer.hasFaults, let fault = buffer.takeFault(row.lines) {
        .unreadable(fault, fields)
      } else if row.count == header.names.count {
        .row(row)
      } else {
        .malformed(code: ImportError.Kind.raggedRow.rawValue, reason: raggedness(row), fields: fields)
      }
    return SourceRecord(
      number: number, line: row.line, content: content, fingerprint: row.fingerprint, origins: origins)
  }

  /// The next row; nil at the end. Throws for a row that does not fit the header.
  package func nextRow() throws(ImportError) -> CSVRow? {
    guard let row = try scanner.next() else { return nil }
    if buffer.hasFaults, let fault = buffer.takeFault(row.lines) {
      throw ImportError(kind: .unreadableRow, message: "\(name):\(row.line): \(fault)", line: row.line)
    }
    guard row.count == header.names.count else {
      throw ImportError(
        kind: .raggedRow, message: "\(name):\(row.line): \(raggedness(row))",
        hint: row.count > header.names.count ? "a field with the separator in it needs quotes around it" : nil,
        line: row.line)
    }
    return row
  }

  private func overlong() throws(ImportError) -> SourceRecord {
    let row = try scanner.skip()
    number += 1
    return row.record(number: number)
  }

  private func raggedness(_ row: CSVRow) -> String {
    "this row has \(counted(row.count, "field")), expected \(header.names.count) as in the header"
  }
}

/// "1 row", "12 rows"
package func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
