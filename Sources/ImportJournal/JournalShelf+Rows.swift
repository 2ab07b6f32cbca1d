import Databases
package import ImportEngine
package import ImportFormats
package import TaskAPI

extension JournalShelf {
  /// Gives each known row of a journal to `body`, with the name that the source has for it and its task.
  /// - Returns: true if the fingerprints are those of a journal without lengths; see `StableHash`.
  @discardableResult
  package func eachRow(
    of journal: JournalSummary, _ body: (KnownRow, _ sourceID: String?, TaskReference?) throws -> Void
  ) throws(ImportError) -> Bool {
    let (database, version) = try opened(journal)
    do {
      try JournalChunk.each(in: database, version: version) { chunk in
        for row in chunk.knownRows { try body(row, chunk.sourceID(row.row), chunk.task(row.row)) }
      }
    } catch { throw .journal(error, database.path) }
    return version <= JournalSchema.lastWithoutLengths
  }
}
