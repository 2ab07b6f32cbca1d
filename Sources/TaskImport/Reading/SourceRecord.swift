package import JSON

/// One unchanged record of a source.
package struct SourceRecord: Sendable {
  package enum Content: Sendable {
    /// A row of a table.
    case row(CSVRow)
    /// A value of a list: an object, or a text.
    case value(JSON)
    /// A row that does not fit its table, or a line or an element that is no task; `code` is one of `ImportError.Kind`.
    case malformed(code: String, reason: String, fields: [String])
    /// A record of a block, as JSON that is read when it is asked for.
    case encoded(String)
    /// A record that only the source knows how to read.
    case opaque
  }

  /// Counting from 1, without header and empty lines.
  package var number: Int
  /// Its line in the file, counting from 1; nil for a source without lines.
  package var line: Int?
  package var content: Content
  /// Tells this record from others: the same in each run for the same content.
  package var fingerprint: UInt64

  package init(number: Int, line: Int? = nil, content: Content, fingerprint: UInt64) {
    self.number = number
    self.line = line
    self.content = content
    self.fingerprint = fingerprint
  }

  /// The record as JSON, for the file of failed rows; nil if only the source knows it.
  package var original: JSON? {
    switch content {
    case .row(let row):
      .object(
        Dictionary(
          row.header.names.enumerated().map { ($0.element, JSON.string(row[$0.offset])) },
          uniquingKeysWith: { first, _ in first }))
    case .value(let value): value.object == nil ? ["text": value] : value
    // The file of failed rows has the reason there, too.
    case .malformed(_, _, let fields): [JSONRecord.failureName: ["fields": .array(fields.map { .string($0) })]]
    case .encoded(let text): try? JSON(parsing: text)
    case .opaque: nil
    }
  }

  var place: String { "row \(number)\(line.map { " (line \($0))" } ?? "")" }

  var journalRow: JournalRow { JournalRow(row: number, fingerprint: fingerprint) }
}
