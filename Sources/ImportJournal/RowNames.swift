import ImportEngine
import ImportFormats

/// The rows of a journal that the source has names for, read chunk by chunk. Reading waits while the journal's thread writes.
final class RowNames: RowNameReader {
  private let thread: JournalThread
  private var names: ArraySlice<(row: Int, name: String)> = []
  private var nextChunk = 0

  init(_ thread: JournalThread) { self.thread = thread }

  func next() throws(ImportError) -> (row: Int, name: String)? {
    while names.isEmpty {
      let read = try thread.read { [nextChunk] store -> (next: Int, names: [(row: Int, name: String)])? in
        guard let chunk = try store.namedChunk(from: nextChunk) else { return nil }
        return (chunk.number + 1, chunk.sourceIDsByRow)
      }
      guard let found = read ?? nil else { return nil }
      (nextChunk, names) = (found.next, found.names[...])
    }
    return names.popFirst()
  }
}
