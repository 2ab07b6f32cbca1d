import HostLoop
import SQLite

/// The texts of tasks, by their hashes.
extension ImportJournal {
  /// The number of rows that are known as added, as written by now.
  package var addedCount: Int { thread.counts.withLock { $0[.added] } }

  /// The number of rows with each of these texts that are known as added; texts without a row are left out.
  package func addedCounts(of hashes: Set<UInt64>) async throws(ImportError) -> [UInt64: Int] {
    try await ask { try $0.addedCounts(of: hashes) }
  }

  /// The number of tasks before the import; nil while they have not been counted.
  package var baselineTotal: Int? { record.baselineTotal }

  /// The number of tasks with each of these texts before the import; texts without a task are left out.
  package func baselineCounts(of hashes: Set<UInt64>) async throws(ImportError) -> [UInt64: Int] {
    try await ask { try $0.baselineCounts(of: hashes) }
  }

  /// The number of tasks with each of these texts that there may be, because a changed source no longer has rows whose fate
  /// was unknown; texts without one are left out. The list then settles a text only if it shows none of these tasks, or
  /// all of them.
  package func lostCounts(of hashes: Set<UInt64>) async throws(ImportError) -> [UInt64: Int] {
    try await ask { try $0.lostCounts(of: hashes) }
  }

  /// Writes the tasks that there are before the import: their number, and the number of each text.
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

  /// Drops what an earlier count began.
  package func beginBaseline() {
    change { $0.baselineTotal = nil }
    thread.queue.add(
      .work { store in
        store.record.digests.baseline = 0
        store.gather { try $0.execute("DELETE FROM baseline") }
      })
  }

  /// Adds some of the texts. Returns when they are written, so that a list of any length takes little memory.
  package func addToBaseline(_ hashes: [UInt64]) async throws(ImportError) {
    try await ask { $0.addToBaseline(hashes) }
  }

  /// All tasks have been added to the baseline.
  package func completeBaseline(total: Int) async throws(ImportError) {
    change { $0.baselineTotal = total }
    try await flush()
  }
}
