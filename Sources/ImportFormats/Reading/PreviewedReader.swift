/// A reader whose first records are read ahead, so that they can be looked at before the import. It hands them out first.
package final class PreviewedReader: RecordReader {
  /// The most records that are read ahead: not every object has all members.
  package static let most = 50

  package let beginning: [SourceRecord]
  let reader: any RecordReader
  private var ahead: ArraySlice<SourceRecord>
  /// The error that the reader threw behind `beginning`.
  private var trouble: ImportError?

  package init(_ reader: any RecordReader) throws(ImportError) {
    self.reader = reader
    let buffer = (reader as? any BufferedReader)?.buffer
    // The writer of a pipe may wait for the outcome of its first rows. The members of objects are not known without them.
    let needsRecords = reader.columns == nil && reader.format != .text
    let waits = buffer?.pipe == nil || needsRecords
    if !waits { buffer?.waits = false }
    defer { buffer?.waits = true }
    var records: [SourceRecord] = []
    do {
      while records.count < Self.most, let record = try reader.next() { records.append(record) }
    } catch  where error.kind == .wouldBlock {} catch {
      guard !records.isEmpty || !needsRecords else { throw error }
      trouble = error
    }
    beginning = records
    ahead = records[...]
  }

  /// The buffer, if the reader has one.
  var buffer: FileBuffer? { (reader as? any BufferedReader)?.buffer }

  /// Reads up to `most` records ahead of those that were handed out, and returns all that are ahead. A pipe is not read.
  func readAhead(_ most: Int) -> ArraySlice<SourceRecord> {
    guard buffer?.pipe == nil, trouble == nil else { return ahead }
    do {
      while ahead.count < most, let record = try reader.next() { ahead.append(record) }
    } catch { trouble = error }
    return ahead
  }

  /// Nil for a source without columns.
  package var table: SourceTable? { (reader as? CSVReader)?.table }
  /// The place of a table in its file; nil for another source.
  var start: TableStart? { (reader as? CSVReader)?.start }

  package var format: SourceFormat { reader.format }
  package var name: String { reader.name }
  package var summary: String { reader.summary }
  package var columns: [String]? { reader.columns }
  package var bytesRead: Int { reader.bytesRead }
  package var totalBytes: Int? { reader.totalBytes }

  package func next() throws(ImportError) -> SourceRecord? {
    if let record = ahead.popFirst() { return record }
    if let trouble { throw trouble }
    return try reader.next()
  }
}
