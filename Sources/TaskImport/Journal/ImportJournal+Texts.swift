import HostLoop
import SQLite

extension ImportJournal {
  /// How many rows are known as added, as written by now.
  package var addedCount: Int { thread.counts.withLock { $0[.added] } }

  /// How many rows with each of these hashes of texts are known as added; those of none are left out.
  package func addedCounts(of hashes: Set<UInt64>) async throws(ImportError) -> [UInt64: Int] {
    try await ask { try $0.addedCounts(of: hashes) }
  }

  /// How many tasks there were before the import; nil while they have not been counted.
  package var baselineTotal: Int? { record.baselineTotal }

  /// How many tasks with each of these hashes of texts there were before the import; those of none are left out.
  package func baselineCounts(of hashes: Set<UInt64>) async throws(ImportError) -> [UInt64: Int] {
    try await ask { try $0.baselineCounts(of: hashes) }
  }

  /// How many tasks with each of these hashes of texts there may or may not be, because a changed source no longer has rows
  /// whose fate was unknown; those of none are left out. While there are some, the list settles a text only when it shows
  /// none of what may be there, or all of it.
  package func lostCounts(of hashes: Set<UInt64>) async throws(ImportError) -> [UInt64: Int] {
    try await ask { try $0.lostCounts(of: hashes) }
  }

  /// Writes down the tasks that there are before the import.
  /// - Parameters:
  ///   - total: how many.
  ///   - counts: how many of each hash of a text.
  package func setBaseline(total: Int, counts: [UInt64: Int]) async throws(ImportError) {
    beginBaseline()
    var batch: [UInt64] = []
    for (hash, count) in counts {
      batch += repeatElement(hash, count: count)
      if batch.count >= 4096 {
        try await addToBaseline(batch)
        batch.removeAll()
      }
    }
    try await addToBaseline(batch)
    try await completeBaseline(total: total)
  }

  /// The tasks that there are before the import are going to be counted; what an earlier count began is dropped.
  package func beginBaseline() {
    change { $0.baselineTotal = nil }
    thread.queue.add(
      .work { store in
        store.record.digests.baseline = 0
        store.gather { try $0.execute("DELETE FROM baseline") }
      })
  }

  /// Some of the tasks there are, by the hashes of their texts. Returns when they are written, so that a list of any
  /// length takes little memory.
  package func addToBaseline(_ hashes: [UInt64]) async throws(ImportError) {
    thread.queue.add(.work { $0.addToBaseline(hashes) })
    try await flush(isDurable: false)
  }

  /// All of the tasks that there are have been added to the baseline.
  package func completeBaseline(total: Int) async throws(ImportError) {
    change { $0.baselineTotal = total }
    try await flush()
  }

  /// Has the journal's thread find something out, after everything handed to it by now.
  private func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (JournalStore) throws -> Answer
  ) async throws(ImportError) -> Answer {
    let answer = Locked<Answer?>(nil)
    thread.queue.add(
      .work { store in
        let found = try question(store)
        answer.withLock { $0 = found }
      })
    try await flush(isDurable: false)
    guard let found = answer.withLock({ $0 }) else {
      throw .journalUnusable("the journal is closed", hint: "open it again", path: path ?? "")
    }
    return found
  }
}
