import Glibc
import HostLoop

/// The thread that writes a journal, so that the host never waits for a disk.
final class JournalThread: Sendable {
  let queue = JournalQueue()
  /// Nil once it is closed.
  private let store: Locked<JournalStore?>
  /// The counts of the rows that are written, for the host to read.
  let counts: Locked<JournalCounts>
  /// Why nothing is written any more.
  private let failure = Locked<ImportError?>(nil)
  let path: String
  /// True if what becomes of rows is still written after a failure.
  private let isSalvaging = Locked(false)
  /// Makes room on a disk that is full; false when there is none to be made.
  private let freeReserve: @Sendable () -> Bool
  private let onEnd: @Sendable () -> Void

  /// - Parameters:
  ///   - freeReserve: makes room on a disk that is full; false when there is none to be made.
  ///   - onEnd: called on the thread when it has written all it was given and the database is closed.
  init(
    _ store: sending JournalStore, freeReserve: @escaping @Sendable () -> Bool, onEnd: @escaping @Sendable () -> Void
  ) {
    self.freeReserve = freeReserve
    path = store.path
    counts = Locked(store.counts)
    self.store = Locked<JournalStore?>(store)
    self.onEnd = onEnd
  }

  /// Starts the thread; false when the system has none left.
  func start() -> Bool { SystemThread.start { self.run() } != nil }

  /// Reads on the caller's thread, which waits while the journal's own is writing.
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
        // The last connection takes over what is in the write-ahead log, and removes that.
        store.withLock { $0 = nil }
        return onEnd()
      }
    }
  }

  /// After a failure no row may be sent any more, and the host is told as soon as it waits. What is on disk stays true.
  private func write(_ batch: JournalQueue.Batch) -> ImportError? {
    if let error = failure.withLock({ $0 }) {
      if isSalvaging.withLock({ $0 }) { salvage(batch) }
      return error
    }
    do {
      try change { store in
        for entry in batch.entries { try store.make(entry) }
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

  /// On a disk that is full there is room kept back for what became of the rows that were on their way.
  private func salvage(_ batch: JournalQueue.Batch) {
    do {
      try change { store in
        for entry in batch.entries { try store.makeOutcome(entry) }
        try store.commit(isDurable: true)
      }
    } catch {
      // The fate of those rows is unknown to the journal. The next run finds it out. The error is known already.
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

extension JournalStore {
  fileprivate func make(_ entry: JournalEntry) throws {
    switch entry {
    case .send(let rows): try send(rows)
    case .settle(let row, let outcome): try settle(row, outcome)
    case .work(let work): try work(self)
    }
  }

  /// Makes of an entry what is true although rows cannot be written down before they are sent, and so are not sent.
  fileprivate func makeOutcome(_ entry: JournalEntry) throws {
    switch entry {
    case .send(let rows): for row in rows { try settle(row, .notSent) }
    case .settle(let row, let outcome): try settle(row, outcome)
    case .work: break
    }
  }
}
