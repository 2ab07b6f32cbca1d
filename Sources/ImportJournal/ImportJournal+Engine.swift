package import ImportEngine
package import ImportFormats

extension ImportJournal: RowJournal {
  /// A row that was sent and has no outcome is of unknown fate already.
  package func leaveUnknown(_ row: JournalRow) {}
}

extension ImportJournal: ImportHistory {
  package var earlier: (any EarlierRuns)? { self }
}

extension ImportJournal: EarlierRuns {
  package var source: String { record.identity.source }
}
