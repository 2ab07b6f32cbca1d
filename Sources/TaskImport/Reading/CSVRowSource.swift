package import HostLoop
package import TaskAPI

/// The rows of a CSV file as tasks.
@HostActor
package final class CSVRowSource: RowSource {
  /// Makes a task of a row and its number; nil skips it.
  package typealias Map = @HostActor (_ row: CSVRow, _ number: Int) async throws -> TaskDraft?

  private enum Making {
    case textColumn(Int)
    case map(Map)
  }

  private let reader: CSVReader
  private let making: Making
  private var number = 0

  /// Without a `map`, the text is that of the column that looks like it, and other columns are left out.
  package init(_ reader: CSVReader, map: Map? = nil) throws(ImportError) {
    self.reader = reader
    if let map { making = .map(map) } else { making = .textColumn(try reader.header.textColumn()) }
  }

  package func next() async throws -> SourceRecord? {
    guard let row = try reader.nextRow() else { return nil }
    number += 1
    return SourceRecord(number: number, line: row.line, content: .row(row), fingerprint: row.fingerprint)
  }

  package func draft(of record: SourceRecord) async throws -> RowDraft {
    guard case .row(let row) = record.content else { return .skipped }
    switch making {
    case .textColumn(let column): return RowDraft(TaskDraft(text: row[column]))
    case .map(let map): return try await map(row, record.number).map(RowDraft.init) ?? .skipped
    }
  }

  package var bytesRead: Int { reader.bytesRead }
  package var totalBytes: Int? { reader.totalBytes }
}
