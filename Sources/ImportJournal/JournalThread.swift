import Glibc
import HostLoop
import ImportEngine
import ImportFormats

/// The thread that writes a journal, so that the host never waits for a disk.
final class JournalThread: Sendable {
  let queue = JournalQueue()
  /// Nil once it is closed.
  private let store: Locked<JournalStore?>
  let counts: Locked<JournalCounts>
  /// The error after which nothing is written any more.
  private let failure = Locked<ImportError?>(nil)
  let path: String
  /// True if outcomes of rows are still written after a failure.
  private let isSalvaging = Locked(false)
  private let freeReserve: @Sendable () -> Bool
  private let onEnd: @Sendable () -> Void

  /// `freeReserve` makes room on a full disk; false if there is none to be made. `onEnd` is called on the thread after
  /// everything is written and the database is closed.
  init(
    _ store: sending JournalStore, freeReserve: @escaping @Sendable () -> Bool, onEnd: @escaping @Sendable () -> Void
  ) {
    self.freeReserve = freeReserve
    path = store.path
    counts = Locked(store.counts)
    self.store = Locked<JournalStore?>(store)
    self.onEnd = onEnd
  }

  /// Starts the thread; false if the system has no thread left.
  func start() -> Bool { SystemThread.start { self.run() } != nil }

  /// Reads on the caller's thread, which waits while the journal's thread writes.
  func read<Result>(_ body: (JournalStore) throws -> sending Result) throws(ImportError) -> Result? {
    do {
      return try store.withLock { store in
        guard let store else { return nil }
        return try body(store)
      }
    } catch { throw .journal(error, path) }
  }

  private func run() {
    while true {
      let batch = queue.take()
      let error = write(batch)
      for waiter in batch.waiters { waiter(error) }
      if batch.isLast {
        // The last connection takes the contents of the write-ahead log over, and removes it.
        store.withLock { $0 = nil }
        return onEnd()
      }
    }
  }

  /// After a failure no row may be sent, and the host is told as soon as it waits. The data on disk stay true.
  private func write(_ batch: JournalQueue.Batch) -> ImportError? {
    if let error = failure.withLock({ $0 }) {
      if isSalvaging.withLock({ $0 }) { salvage(batch) }
      return error
    }
    do {
      try change { store in
        for entry in batch.entries {
          switch entry {
          case .send(let rows): try store.send(rows)
          case .settle(let row, let outcome): try store.settle(row, outcome)
          case .work(let work): try work(store)
          }
        }
        try store.commit(isDurable: batch.isDurable)
      }
      return nil
    } catch {
      let error = ImportError.journal(error, path)
      failure.withLock { $0 = error }
      if error.kind == .journalFull, freeReserve() {
        isSalvaging.withLock { $0 = true }
        salvage(batch)
      }
      return error
    }
  }

  /// Writes the outcomes of rows that were under way to the reserved room of a full disk.
  private func salvage(_ batch: JournalQueue.Batch) {
    do {
      try change { store in
        for entry in batch.entries {
          switch entry {
          // Rows that cannot be journaled are not sent.
          case .send(let rows): for row in rows { try store.settle(row, .notSent) }
          case .settle(let row, let outcome): try store.settle(row, outcome)
          case .work: break
          }
        }
        try store.commit(isDurable: true)
      }
    } catch {
      // The next run finds out the fate of those rows. The error is known already.
      isSalvaging.withLock { $0 = false }
    }
  }

  private func change(_ body: (JournalStore) throws -> Void) throws {
    let written = try store.withLock { store in
      guard let store else { return JournalCounts?.none }
      try body(store)
      return store.counts
    }
    if let written { counts.withLock { $0 = written } }
  }
}
