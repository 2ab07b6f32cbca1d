import Glibc

/// An entry that the host hands to the journal's thread.
enum JournalEntry: Sendable {
  case send([JournalRow])
  case settle(JournalRow, RowOutcome)
  /// Something done with the store; on disk with the next commit.
  case work(@Sendable (JournalStore) throws -> Void)
}

/// Entries on their way to a journal's thread.
final class JournalQueue: @unchecked Sendable {
  // Unchecked: everything mutable is used with the mutex held only.

  /// The entries that the thread writes together.
  struct Batch {
    var entries: [JournalEntry] = []
    /// Called once the entries are on disk, or with the error that prevented it.
    var waiters: [@Sendable (ImportError?) -> Void] = []
    /// True if it is to outlive the machine, not the process alone.
    var isDurable = false
    var isLast = false
  }

  /// How long outcomes may be gathered before they are committed.
  private static let gathering = 50 * 1_000_000
  /// Beyond that many entries, or bytes of rows that failed, the host waits for the disk: rows that are not sent pass no
  /// `willSend` that would slow it down.
  private static let mostEntries = 1 << 16
  private static let mostBytes = 16 << 20

  private var batch = Batch()
  private var bytes = 0
  private var isUrgent = false
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  /// Signaled when there is something to take, and when everything was taken.
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

  // MARK: The host's side

  /// Hands over an entry of about that many bytes.
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

  /// Has everything added by now written at once; `waiter` is called from the journal's thread.
  func flush(isDurable: Bool, _ waiter: @escaping @Sendable (ImportError?) -> Void) {
    pthread_mutex_lock(mutex)
    batch.waiters.append(waiter)
    if isDurable { batch.isDurable = true }
    hurry()
    pthread_mutex_unlock(mutex)
  }

  /// The thread writes what there is, and ends; nothing is to be added afterwards.
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

  // MARK: The thread's side

  /// Waits for the next batch: until somebody waits for it, or the oldest of its entries has waited long enough.
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
