import Databases
package import ImportEngine
package import ImportFormats

/// The added rows of a journal, read chunk by chunk.
package final class JournaledTasks {
  private let read: (Int) throws(ImportError) -> JournalChunk?
  private var rows: ArraySlice<JournaledTask> = []
  private var nextChunk = 0

  init(_ read: @escaping (_ chunk: Int) throws(ImportError) -> JournalChunk?) { self.read = read }

  /// The next added row; nil at the end.
  package func next() throws(ImportError) -> JournaledTask? {
    while rows.isEmpty {
      guard let chunk = try read(nextChunk) else { return nil }
      nextChunk = chunk.number + 1
      let added = chunk.knownRows.filter { $0.state == .added }
      rows = added.map { JournaledTask(row: $0.row, sourceID: chunk.sourceID($0.row), task: chunk.task($0.row)) }[...]
    }
    return rows.popFirst()
  }
}

extension JournalShelf {
  /// The added rows of a journal, in order of their number.
  package func tasks(of journal: JournalSummary) throws(ImportError) -> JournaledTasks {
    let (database, version) = try opened(journal)
    return JournaledTasks { chunk throws(ImportError) in
      do { return try JournalChunk.first(from: chunk, in: database, version: version) } catch {
        throw .journal(error, database.path)
      }
    }
  }

  /// The number of added rows whose tasks have IDs.
  package func taskCount(of journal: JournalSummary) throws(ImportError) -> Int {
    let rows = try tasks(of: journal)
    var count = 0
    while let row = try rows.next() { if row.task != nil { count += 1 } }
    return count
  }
}
