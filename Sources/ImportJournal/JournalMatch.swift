package import HostLoop
package import ImportFormats

/// A journal while it is compared with a changed source. It changes at `finish`; nothing else may be written meanwhile.
@HostActor
package final class JournalMatch {
  private static let batch = 4096

  private let journal: ImportJournal
  private var rows: [(fingerprint: UInt64, line: Int?)] = []
  private var handedOver = 0

  init(_ journal: ImportJournal) async throws(ImportError) {
    self.journal = journal
    let (id, keys) = (journal.id, journal.carriedKeys)
    try await journal.ask { store in store.renumbering = try JournalRenumbering(store, id: id, keys: keys) }
  }

  /// Takes the next row of the changed source.
  package func add(fingerprint: UInt64, line: Int?) async throws(ImportError) {
    rows.append((fingerprint, line))
    if rows.count == Self.batch { try await handOver() }
  }

  /// Gives the journal the numbers of the changed source, whose rows have all been added. Known rows keep their state,
  /// other rows are pending. Returns the number of known rows. `ImportJournal.id` changes, so that no row gets the
  /// idempotency key of the row that had its number.
  package func finish() async throws(ImportError) -> Int {
    try await handOver()
    let id = ImportID.random()
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

  /// The number of added rows that the journal knew, and the number of its rows that were sent, skipped or have failed.
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
