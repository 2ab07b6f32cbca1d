import Databases
package import Files
package import ImportEngine
package import ImportFormats

/// A journal with the rows that failed in it.
package struct FailedJournal {
  package let file: OutputPlace
  package let identity: ImportIdentity
  /// The IDs that the journal has or had before a match with a changed source.
  package let ids: Set<String>
  /// The present numbers of the failed rows.
  package let failed: [RowOrigin: Int]
  /// The failed rows by their present numbers, and why they failed.
  package let reasons: [Int: (origin: RowOrigin, reason: String)]
}

extension JournalShelf {
  /// The journals of that account and API. Journals that cannot be read are passed over.
  package func failedJournals(like identity: ImportIdentity) throws(ImportError) -> [FailedJournal] {
    try names().compactMap { try? failedJournal(OutputPlace("\(folder)/\($0)"), identity) }
  }

  /// Nil for a journal of another account or API, and for one that cannot be read.
  package func failedJournal(_ file: OutputPlace, _ identity: ImportIdentity) throws -> FailedJournal? {
    let found = summary(file: file)
    guard found.trouble == nil, let own = found.identity, own.account == identity.account, own.api == identity.api
    else { return nil }
    let database = try SQLiteConnection(distrusting: try JournalFiles.place(file), isReadOnly: true)
    var ids = Set(try database.query("SELECT id FROM journal").compactMap(\.[0].text))
    for key in try database.query("SELECT key FROM carried").compactMap(\.[0].text) {
      if let id = RowOrigin(key)?.journal { ids.insert(id) }
    }
    var failed: [RowOrigin: Int] = [:]
    var reasons: [Int: (origin: RowOrigin, reason: String)] = [:]
    let rows = try failures(of: found)
    while let row = try rows.next() {
      guard !row.failure.isUnsettled, let origin = row.origin else { continue }
      failed[origin] = row.failure.row
      reasons[row.failure.row] = (origin, row.failure.reason)
    }
    return FailedJournal(file: file, identity: own, ids: ids, failed: failed, reasons: reasons)
  }
}

extension ImportJournal {
  /// Counts failed rows as added, because another import has added them. Returns their number.
  package func settleFailed(_ rows: [Int]) async throws(ImportError) -> Int {
    try await ask(isDurable: true) { store in
      var count = 0
      for row in rows where try store.chunk(of: row).state(row) == .failed {
        // A known row keeps its fingerprint.
        try store.settle(JournalRow(row: row, fingerprint: 0), .addedAs(nil))
        count += 1
      }
      return count
    }
  }
}
