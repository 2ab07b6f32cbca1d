package import HostLoop

/// The records of a file as tasks, by the names of their columns or members.
@HostActor
package final class FileRowSource: RowSource {
  /// The mapping in words: `text from column "Title", completed from "Done"; left out: "Due"`.
  package let summary: String
  /// The doubts about the file, by its beginning.
  package let doubts: [ReadingDoubt]
  package let beginning: [SourceRecord]
  package let leftOut: LeftOut?
  private let reader: PreviewedReader
  private let cursor: RecordCursor
  private let mapper: RowMapper

  /// - Parameter mapping: nil uses the usual names.
  package convenience init(_ reader: any RecordReader, mapping: RowMapping? = nil) throws(ImportError) {
    try self.init(FileReading(reader: PreviewedReader(reader), kindDoubt: nil), mapping: mapping)
  }

  package init(_ reading: FileReading, mapping: RowMapping?) throws(ImportError) {
    reader = reading.reader
    cursor = RecordCursor(reader)
    beginning = reader.beginning
    let shape = SourceShape(reader, beginning: beginning)
    let recognition = Recognition(reader, shape)
    do {
      mapper = if let mapping { try RowMapper(mapping, for: shape) } else { try RowMapper(guessingFor: shape) }
    } catch {
      // The names of its columns are not the problem of a page of HTML.
      throw reading.kindDoubt.map { .doubtful(reading.reader.name, [$0]) } ?? recognition.explained(error)
    }
    summary = mapper.summary
    leftOut = mapper.leftOut.isEmpty ? nil : LeftOut(columns: mapper.leftOut, advice: mapper.exampleWithLeftOut)
    let ofMap = mapping?.doubt.map { [$0] } ?? []
    doubts = reading.kindDoubt.map { [$0] } ?? ofMap + recognition.doubts(mapping == nil ? mapper : nil)
  }

  package func next() async throws -> SourceRecord? { try await cursor.next() }

  package var fields: [String]? { mapper.fieldNames }
  package var table: SourceTable? { reader.table }

  package func draft(of record: SourceRecord) async throws -> RowDraft { mapper.draft(of: record) }

  package var bytesRead: Int { reader.bytesRead }
  package var totalBytes: Int? { reader.totalBytes }
}
