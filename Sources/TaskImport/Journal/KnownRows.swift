import HostLoop

/// The rows a journal knows, in order of their number, read chunk by chunk.
///
/// Rows may be written meanwhile once they have been passed. Reading then waits while the journal's thread is writing.
package final class KnownRows {
  private let thread: JournalThread
  private let expected: JournalCounts
  private var found = JournalCounts()
  private var chunk: JournalChunk?
  private var slot = 0
  private var nextChunk = 0
  /// Rows that are written from then on were not known.
  private var isAtEnd = false

  init(_ thread: JournalThread) {
    self.thread = thread
    expected = thread.counts.withLock { $0 }
  }

  /// The next row; nil at the end. Throws `journal_damaged` when the journal cannot be read, or has lost rows.
  package func next() throws(ImportError) -> KnownRow? {
    while !isAtEnd {
      while let chunk, slot < JournalChunk.size {
        slot += 1
        if let row = chunk.knownRow(slot: slot - 1) {
          found.move(from: nil, to: row.state)
          return row
        }
      }
      let blobs = try thread.read { [nextChunk] in try JournalChunkBlobs.read(from: nextChunk, $0.database) } ?? nil
      guard let blobs else { break }
      chunk = try JournalChunk(blobs, path: thread.path)
      slot = 0
      nextChunk = blobs.number + 1
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
