import HostLoop
import ImportEngine
package import ImportFormats

extension ImportJournal {
  /// Makes the journal one of the changed `source`, which is read to its end. Called before the import, which reads it
  /// again. Known rows keep their state at any place; the others are to be imported. Returns the number of known rows.
  /// - Parameter confirm: decides whether to continue if the journal knows none of the rows.
  package func match(
    _ source: any RowSource, confirm: @HostActor (_ known: Int, _ rows: Int) async throws -> Bool = { _, _ in true }
  ) async throws -> Int {
    let match = try await self.match()
    let count = try await StableHash.$isOfOldJournal.withValue(hasOldHashes) {
      var count = 0
      while let record = try await source.next() {
        try await match.add(fingerprint: record.fingerprint, line: record.line)
        count += 1
      }
      return count
    }
    let (matched, known) = try await match.found()
    // If all rows differ, they are more likely the same rows with another column than new rows.
    if matched == 0, known > 0, count > 0, try await !confirm(known, count) {
      throw ImportError.nothingMatches(known: known, rows: count, summary)
    }
    return try await match.finish()
  }
}

extension Error where Self == ImportError {
  fileprivate static func nothingMatches(known: Int, rows: Int, _ journal: JournalSummary) -> ImportError {
    let source = journal.identity?.sourceName ?? "the source"
    return ImportError(
      kind: .sourceChanged,
      message: "none of the \(counted(known, "row")) imported before is in \(source) as it is now, so that "
        + "--resume match (resume = \"match\" in a script) would import all \(counted(rows, "row")) as new",
      hint: "nothing was sent. A row with another column is another row: bring the old columns back; or import with "
        + "--resume no --dedupe text (resume = \"no\" and dedupe = \"text\" in a script), which adds the rows whose text no task of the "
        + "account has, and of rows with the same text only the first; or with --resume no alone, which imports every row as new"
    )
  }
}
