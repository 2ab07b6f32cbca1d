package import HostLoop

extension ImportJournal {
  /// Begins to compare the rows with those of a changed source.
  package func match() async throws(ImportError) -> JournalMatch { try await JournalMatch(self) }
}

/// A journal on its way to the numbers of a changed source. Before `finish`, the journal stays as it was. Nothing else may
/// be written meanwhile.
@HostActor
package final class JournalMatch {
  /// The number of rows that are handed over together.
  private static let batch = 4096

  private let journal: ImportJournal
  private var rows: [(fingerprint: UInt64, line: Int?)] = []
  private var handedOver = 0

  init(_ journal: ImportJournal) async throws(ImportError) {
    self.journal = journal
    let (id, keys) = (journal.id, journal.carriedKeys)
    try await journal.ask { store in store.renumbering = try JournalRenumbering(store, id: id, keys: keys) }
  }

  /// Takes the next row of the changed source, from its first on.
  package func add(fingerprint: UInt64, line: Int?) async throws(ImportError) {
    rows.append((fingerprint, line))
    if rows.count == Self.batch { try await handOver() }
  }

  /// Makes the journal one of the changed source, whose rows have all been added. Rows that the journal knew keep their
  /// state, the others are pending. `ImportJournal.id` changes, so that no row gets the idempotency key of the row that
  /// had its number.
  /// - Returns: the number of rows that were known.
  package func finish() async throws(ImportError) -> Int {
    try await handOver()
    let id = JournalRecord.randomID()
    let (record, keys, matched) = try await journal.ask(isDurable: true) { store in
      let renumbering = store.renumbering
      try renumbering?.finish(store, newID: id)
      store.renumbering = nil
      return (store.record, renumbering?.keys ?? [:], renumbering?.matched ?? 0)
    }
    journal.record = record
    journal.carriedKeys = keys
    return matched
  }

  /// How many of the rows added by now the journal knew, of how many that were sent, skipped or have failed.
  package func found() async throws(ImportError) -> (matched: Int, known: Int) {
    try await handOver()
    return try await journal.ask { ($0.renumbering?.matched ?? 0, $0.renumbering?.known ?? 0) }
  }

  private func handOver() async throws(ImportError) {
    let (rows, first) = (rows, handedOver + 1)
    handedOver += rows.count
    self.rows.removeAll(keepingCapacity: true)
    try await journal.ask { store in
      for (index, row) in rows.enumerated() {
        try store.renumbering?.add(first + index, fingerprint: row.fingerprint, line: row.line, to: store)
      }
    }
  }
}
