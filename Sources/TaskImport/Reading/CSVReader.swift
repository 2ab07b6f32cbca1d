/// Reads a CSV file (RFC 4180) row by row; the first row is the header. Memory is bounded by the longest row.
///
/// Beyond the RFC it takes a byte order mark, LF, CR and CRLF as line breaks, any ASCII separator, and a quote inside
/// a field that does not begin with one. Empty lines are passed over. What it does not take is a reason to stop, since
/// whatever followed would be a guess: `ImportError` names the file and the line.
package final class CSVReader {
  package let header: CSVHeader
  private let path: String
  private let scanner: CSVScanner
  /// The row handed out last: its memory serves again when the caller has let go of it.
  private var row: CSVRow

  /// Opens the file and reads its header.
  package init(path: String, separator: Character = ",") throws(ImportError) {
    let quote: Character = "\""
    guard let byte = separator.asciiValue, separator != quote, !separator.isNewline else {
      throw ImportError(
        kind: .invalidSeparator, message: "the separator \"\(separator)\" cannot separate fields",
        hint: "give one ASCII character, usually \",\", \";\" or \"\\t\"")
    }
    self.path = path
    scanner = try CSVScanner(path: path, separator: byte)
    var record = CSVRecord()
    guard try scanner.next(&record) else {
      throw ImportError(
        kind: .emptyFile, message: "\(path) is empty, expected a first line with the names of the columns")
    }
    header = try CSVHeader(names: record.fields.indices.map(record.text), path: path, line: record.line)
    row = CSVRow(header: header)
  }

  /// The next row; nil at the end.
  package func next() throws(ImportError) -> CSVRow? {
    guard try scanner.next(&row.record) else { return nil }
    guard row.count == header.names.count else {
      throw ImportError(
        kind: .raggedRow,
        message: "\(path):\(row.line): this row has \(counted(row.count, "field")), expected "
          + "\(header.names.count) as in the header",
        hint: row.count > header.names.count ? "a field with the separator in it needs quotes around it" : nil,
        line: row.line)
    }
    return row
  }

  /// How much of the file has been handed out, and how much there is; nil for a pipe.
  package var bytesRead: Int { scanner.bytesRead }
  package var totalBytes: Int? { scanner.totalBytes }
}

/// "1 field", "3 fields".
func counted(_ number: Int, _ noun: String) -> String {
  "\(number) \(noun)\(number == 1 ? "" : "s")"
}
