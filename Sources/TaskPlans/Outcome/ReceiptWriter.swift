package import Files
import ImportFormats

/// Writes a receipt: the source as a table in CSV, with the outcome of each row behind its values. The file is there in full
/// after `finish`, or not at all.
package final class ReceiptWriter {
  /// The columns behind those of the source. A source that has columns of these names keeps its own.
  package static let columns = ["_row", "_id", "_outcome", "_reason"]

  private let file: AtomicFile
  private let width: Int
  private let cells = SeparatedCells(separator: UInt8(ascii: ","))

  package init(_ place: OutputPlace, _ header: PlanHeader) throws(FileError) {
    file = try AtomicFile(place)
    width = header.columns.count
    try write(header.columns + Self.columns)
  }

  package func add(_ row: PlannedRow, _ outcome: PlanOutcome) throws(FileError) {
    let own = [outcome.task, outcome.kind.rawValue, outcome.reason].map { Self.harmless($0 ?? "") }
    try write(fitted(row.source) + [String(outcome.row)] + own)
  }

  /// Puts the file in place.
  package func finish() throws(FileError) { try file.commit() }

  private func write(_ fields: [String]) throws(FileError) {
    var line: [UInt8] = []
    cells.append(fields, to: &line)
    try file.write(line)
  }

  /// As many values as there are columns. Values without a column go with the last one: otherwise they would stand in the
  /// columns of the outcome.
  private func fitted(_ source: [String]) -> [String] {
    guard source.count > width else { return source + [String](repeating: "", count: width - source.count) }
    return width == 0 ? [] : source[..<(width - 1)] + [source[(width - 1)...].joined(separator: ",")]
  }

  /// A text of the server that a spreadsheet would run as a formula is shown as a text. An ID such as `-a_1` stays: it is what
  /// other programs look for, and it runs nothing.
  private static func harmless(_ text: String) -> String {
    SpreadsheetGuard.isFormula(text) && text.contains(#/[^A-Za-z0-9_-]/#) ? "'\(text)" : text
  }
}
