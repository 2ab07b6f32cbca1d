import Glibc
import ImportEngine
import ImportFormats

enum JournalEntry: Sendable {
  case send([JournalRow])
  case settle(JournalRow, RowOutcome)
  /// Work with the store; on disk with the next commit.
  case work(@Sendable (JournalStore) throws -> Void)
}

final class JournalQueue: @unchecked Sendable {
  // Unchecked: everything mutable is used with the mutex held only.

  struct Batch {
    var entries: [JournalEntry] = []
    /// Called once the entries are on disk, or with the error that prevented it.
    var waiters: [@Sendable (ImportError?) -> Void] = []
    /// True if the data have to survive a power cut, not only the end of the process.
    var isDurable = false
    var isLast = false
  }

  /// The longest time, in nanoseconds, before outcomes are committed.
  private static let gathering = 50 * 1_000_000
  /// With more entries, or more bytes of failed rows, the host waits for the disk: rows that are not sent pass no
  /// `willSend` that would slow it down.
  private static let mostEntries = 1 << 16
  private static let mostBytes = 16 << 20

  private var batch = Batch()
  private var bytes = 0
  private var isUrgent = false
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  /// Signaled for new entries, and when all were taken.
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    changed.initialize(to: pthread_cond_t())
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  func add(_ entry: JournalEntry, bytes size: Int = 0) {
    pthread_mutex_lock(mutex)
    while batch.entries.count >= Self.mostEntries || bytes >= Self.mostBytes {
      hurry()
      pthread_cond_wait(changed, mutex)
    }
    batch.entries.append(entry)
    bytes += size
    if batch.entries.count == 1 { pthread_cond_broadcast(changed) }
    pthread_mutex_unlock(mutex)
  }

  /// Requests that everything added before is written at once; `waiter` is called from the journal's thread.
  func flush(isDurable: Bool, _ waiter: @escaping @Sendable (ImportError?) -> Void) {
    pthread_mutex_lock(mutex)
    batch.waiters.append(waiter)
    if isDurable { batch.isDurable = true }
    hurry()
    pthread_mutex_unlock(mutex)
  }

  /// The thread writes all entries and ends; nothing may be added afterwards.
  func end() {
    pthread_mutex_lock(mutex)
    batch.isLast = true
    batch.isDurable = true
    hurry()
    pthread_mutex_unlock(mutex)
  }

  private func hurry() {
    isUrgent = true
    pthread_cond_broadcast(changed)
  }

  /// Waits for the next batch: until somebody waits for its end, or its oldest entry has waited long enough.
  func take() -> Batch {
    pthread_mutex_lock(mutex)
    while batch.entries.isEmpty, !isUrgent { pthread_cond_wait(changed, mutex) }
    var deadline = timespec()
    clock_gettime(CLOCK_MONOTONIC, &deadline)
    deadline.tv_nsec += Self.gathering
    if deadline.tv_nsec >= 1_000_000_000 {
      deadline.tv_nsec -= 1_000_000_000
      deadline.tv_sec += 1
    }
    while !isUrgent, pthread_cond_timedwait(changed, mutex, &deadline) != ETIMEDOUT {}
    let taken = batch
    batch = Batch()
    batch.entries.reserveCapacity(min(taken.entries.count, 4096))
    bytes = 0
    isUrgent = false
    pthread_cond_broadcast(changed)
    pthread_mutex_unlock(mutex)
    return taken
  }
}
