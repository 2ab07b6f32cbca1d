package import HostLoop

/// The records of a file as tasks, by the names of their columns or members.
@HostActor
package final class FileRowSource: RowSource {
  /// The number of records that are read before the first is handed out: not every object has all members.
  private static let lookahead = 50

  /// The mapping in words: `text from column "Title", completed from "Done"; left out: "Due"`.
  package let summary: String
  private let reader: any RecordReader
  private let cursor: RecordCursor
  private let mapper: RowMapper
  private var beginning: ArraySlice<SourceRecord>
  /// The error that the reader threw behind `beginning`.
  private var trouble: ImportError?

  /// - Parameter mapping: nil uses the usual names.
  package init(_ reader: any RecordReader, mapping: RowMapping? = nil) throws(ImportError) {
    self.reader = reader
    cursor = RecordCursor(reader)
    var records: [SourceRecord] = []
    if reader.columns == nil, reader.format != .text {
      do {
        while records.count < Self.lookahead, let record = try reader.next() { records.append(record) }
      } catch {
        guard !records.isEmpty else { throw error }
        trouble = error
      }
    }
    beginning = records[...]
    let shape = SourceShape(reader, beginning: records)
    mapper = if let mapping { try RowMapper(mapping, for: shape) } else { try RowMapper(guessingFor: shape) }
    summary = mapper.summary
  }

  package func next() async throws -> SourceRecord? {
    if let record = beginning.popFirst() { return record }
    if let trouble { throw trouble }
    return try await cursor.next()
  }

  package func draft(of record: SourceRecord) async throws -> RowDraft { mapper.draft(of: record) }

  package var fields: [String] { reader.columns == nil ? [] : mapper.fieldNames }

  package var bytesRead: Int { reader.bytesRead }
  package var totalBytes: Int? { reader.totalBytes }
}
