import HostLoop
import ImportEngine
import ImportFormats

/// The rows that a journal knows, in order of their number, read chunk by chunk. Rows behind the present one must not
/// be written meanwhile. Reading waits while the journal's thread writes.
final class KnownRows: KnownRowReader {
  /// Nil for no rows.
  private let thread: JournalThread?
  private let expected: JournalCounts
  private var found = JournalCounts()
  private var rows: ArraySlice<KnownRow> = []
  private var nextChunk = 0
  private var isAtEnd = false

  /// - Parameter thread: nil for no rows.
  init(_ thread: JournalThread?) {
    self.thread = thread
    expected = thread?.counts.withLock { $0 } ?? JournalCounts()
  }

  /// The next row; nil at the end. Throws `journal_damaged` if the journal cannot be read, or has lost rows.
  func next() throws(ImportError) -> KnownRow? {
    guard let thread else { return nil }
    while !isAtEnd {
      if let row = rows.popFirst() {
        found.move(from: nil, to: row.state)
        return row
      }
      let chunk =
        try thread.read { [nextChunk] in
          try JournalChunk.first(from: nextChunk, in: $0.database, version: $0.record.version)
        } ?? nil
      guard let chunk else { break }
      rows = Array(chunk.knownRows)[...]
      nextChunk = chunk.number + 1
    }
    guard !isAtEnd else { return nil }
    isAtEnd = true
    let isUnchanged = thread.counts.withLock { $0 } == expected
    guard isUnchanged ? found == expected : found.rows >= expected.rows else {
      throw .journalDamaged(thread.path, "its rows are not those it counts")
    }
    return nil
  }
}
