import Glibc
import HostLoop

/// The thread that writes a journal, so that the host never waits for a disk.
final class JournalThread: Sendable {
  let queue = JournalQueue()
  /// Nil once it is closed.
  private let store: Locked<JournalStore?>
  /// What is written, for the host to look at.
  let counts: Locked<JournalCounts>
  /// Why nothing is written any more.
  private let failure = Locked<ImportError?>(nil)
  let path: String
  private let onEnd: @Sendable () -> Void

  /// - Parameter onEnd: called on the thread when it has written all it was given and the database is closed.
  init(_ store: sending JournalStore, onEnd: @escaping @Sendable () -> Void) {
    path = store.path
    counts = Locked(store.counts)
    self.store = Locked<JournalStore?>(store)
    self.onEnd = onEnd
  }

  /// Starts the thread; false when the system has none left.
  func start() -> Bool {
    let context = Unmanaged.passRetained(self)
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<JournalThread>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, context.toOpaque())
    guard result == 0 else {
      context.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  /// Reads on the caller's thread, which waits while the journal's own is writing.
  func read<Result>(_ body: (JournalStore) throws -> sending Result) throws(ImportError) -> Result? {
    do {
      return try store.withLock { store in
        guard let store else { return nil }
        return try body(store)
      }
    } catch {
      throw .journal(error, path)
    }
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

  /// After a failure nothing more is written: what is on disk stays true, and the host is told as soon as it waits.
  private func write(_ batch: JournalQueue.Batch) -> ImportError? {
    if let error = failure.withLock({ $0 }) { return error }
    do {
      let written = try store.withLock { store in
        guard let store else { return JournalCounts() }
        for entry in batch.entries {
          switch entry {
          case .send(let rows): try store.send(rows)
          case .settle(let row, let outcome): try store.settle(row, outcome)
          case .work(let work): try work(store)
          }
        }
        try store.commit(isDurable: batch.isDurable)
        return store.counts
      }
      counts.withLock { $0 = written }
      return nil
    } catch {
      let error = ImportError.journal(error, path)
      failure.withLock { $0 = error }
      return error
    }
  }
}
