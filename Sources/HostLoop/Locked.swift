import Glibc

/// A value shared by threads, used by one at a time. Like the standard library's `Mutex`, but made of the system's
/// mutex: ThreadSanitizer, under which the loop is tested, does not know `Mutex`.
package final class Locked<Value>: @unchecked Sendable {
  // Unchecked: `value` is used with the mutex held only.
  private var value: Value
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  package init(_ value: sending Value) {
    self.value = value
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` while no other thread uses the value. Not reentrant.
  @inline(__always)
  package func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
