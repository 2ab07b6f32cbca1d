package import ImportEngine
package import ImportFormats

extension ImportJournal: RowJournal {
  /// A row that was sent and has no outcome is of unknown fate already.
  package func leaveUnknown(_ row: JournalRow) {}
}

extension ImportJournal: ImportHistory {
  package var earlier: (any EarlierRuns)? { self }
  package var names: (any NamedRows)? { self }
}

extension ImportJournal: EarlierRuns {
  package var source: String { record.identity.source }
}

extension ImportJournal: NamedRows {
  package func nameReader() -> any RowNameReader { RowNames(thread) }

  package func fates(of rows: [Int]) async throws(ImportError) -> [Int: NamedRowFate] {
    try await ask { store in
      var fates: [Int: NamedRowFate] = [:]
      for row in rows.sorted() {
        let chunk = try store.chunk(of: row)
        if let state = chunk.state(row) { fates[row] = NamedRowFate(state, chunk.task(row)) }
      }
      return fates
    }
  }
}
