package import HostLoop

/// A journal on its way to the numbers of a changed source. What has not come to `finish` leaves the journal as it was;
/// nothing else is to be written meanwhile.
@HostActor
package final class JournalMatch {
  /// Rows handed over at a time: so many wait in memory.
  private static let batch = 4096

  private let journal: ImportJournal
  private var rows: [(fingerprint: UInt64, line: Int?)] = []
  private var handedOver = 0

  init(_ journal: ImportJournal) async throws(ImportError) {
    self.journal = journal
    let id = journal.id
    let keys = journal.carriedKeys
    journal.thread.queue.add(
      .work { store in store.renumbering = try JournalRenumbering(store, id: id, keys: keys) })
    try await journal.flush(isDurable: false)
  }

  /// The next row of the changed source, from its first on.
  package func add(fingerprint: UInt64, line: Int?) async throws(ImportError) {
    rows.append((fingerprint, line))
    if rows.count == Self.batch { try await handOver() }
  }

  /// All of the source's rows have been added: from now on the journal is about these. Those that it knew are in the state
  /// they were in, the others are pending. `ImportJournal.id` is another one, so that a row does not get the idempotency
  /// key of the one that had its number.
  /// - Returns: how many of the rows were known.
  package func finish() async throws(ImportError) -> Int {
    try await handOver()
    let id = JournalRecord.randomID()
    let result = Locked<(record: JournalRecord, keys: [Int: String], matched: Int)?>(nil)
    journal.thread.queue.add(
      .work { store in
        guard let renumbering = store.renumbering else { return }
        try renumbering.finish(store, newID: id)
        store.renumbering = nil
        let found = (store.record, renumbering.keys, renumbering.matched)
        result.withLock { $0 = found }
      })
    try await journal.flush()
    guard let found = result.withLock({ $0 }) else { return 0 }
    journal.record = found.record
    journal.carriedKeys = found.keys
    return found.matched
  }

  /// How many of the rows added by now the journal knew, of how many that were sent, skipped or have failed.
  package func found() async throws(ImportError) -> (matched: Int, known: Int) {
    try await handOver()
    let result = Locked((matched: 0, known: 0))
    journal.thread.queue.add(
      .work { store in
        guard let renumbering = store.renumbering else { return }
        let found = (renumbering.matched, renumbering.known)
        result.withLock { $0 = found }
      })
    try await journal.flush(isDurable: false)
    return result.withLock { $0 }
  }

  private func handOver() async throws(ImportError) {
    let rows = rows
    let first = handedOver + 1
    handedOver += rows.count
    self.rows.removeAll(keepingCapacity: true)
    journal.thread.queue.add(
      .work { store in
        for (index, row) in rows.enumerated() {
          try store.renumbering?.add(first + index, fingerprint: row.fingerprint, line: row.line, to: store)
        }
      })
    try await journal.flush(isDurable: false)
  }
}
