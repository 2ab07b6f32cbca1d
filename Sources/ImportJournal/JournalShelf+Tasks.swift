import Databases
package import ImportEngine
package import ImportFormats

/// The rows of a journal with their tasks, read chunk by chunk.
package final class JournaledTasks {
  private let read: (Int) throws(ImportError) -> JournalChunk?
  private var rows: ArraySlice<JournaledTask> = []
  private var nextChunk: Int
  private let first: Int
  /// True if the fingerprints are those of a journal without lengths; see `StableHash`.
  package let hasOldHashes: Bool

  /// - Parameter first: the number of the first row to read.
  init(
    from first: Int, hasOldHashes: Bool, _ read: @escaping (_ chunk: Int) throws(ImportError) -> JournalChunk?
  ) {
    self.read = read
    self.first = first
    self.hasOldHashes = hasOldHashes
    nextChunk = (first - 1) / JournalChunk.size
  }

  /// The next row; nil at the end.
  package func next() throws(ImportError) -> JournaledTask? {
    while rows.isEmpty {
      guard let chunk = try read(nextChunk) else { return nil }
      nextChunk = chunk.number + 1
      rows =
        chunk.knownRows.filter { $0.row >= first }.map {
          JournaledTask($0, sourceID: chunk.sourceID($0.row), task: chunk.task($0.row))
        }[...]
    }
    return rows.popFirst()
  }

  /// The next row that was added; nil at the end.
  package func nextAdded() throws(ImportError) -> JournaledTask? {
    while let row = try next() { if row.state == .added { return row } }
    return nil
  }
}

extension JournalShelf {
  /// The rows of a journal, in order of their number.
  package func tasks(of journal: JournalSummary, from first: Int = 1) throws(ImportError) -> JournaledTasks {
    let (database, version) = try opened(journal)
    let hasOldHashes = version <= JournalSchema.lastWithoutLengths
    return JournaledTasks(from: first, hasOldHashes: hasOldHashes) { chunk throws(ImportError) in
      do { return try JournalChunk.first(from: chunk, in: database, version: version) } catch {
        throw .journal(error, database.path)
      }
    }
  }

  /// The number of added rows whose tasks have IDs.
  package func taskCount(of journal: JournalSummary) throws(ImportError) -> Int {
    let rows = try tasks(of: journal)
    var count = 0
    while let row = try rows.nextAdded() { if row.task != nil { count += 1 } }
    return count
  }
}
