import Synchronization

/// Counts what the loop's thread begins, for other threads to see whether it goes on. Only that thread writes it.
final class Pulse: Sendable {
  /// Odd while the thread waits for events.
  private let count = Atomic<UInt64>(1)

  /// Something new begins.
  @inline(__always) func beat() { count.store((count.load(ordering: .relaxed) | 1) &+ 1, ordering: .relaxed) }
  /// The thread waits from now on.
  @inline(__always) func rest() { count.store(count.load(ordering: .relaxed) | 1, ordering: .relaxed) }

  var value: UInt64 { count.load(ordering: .relaxed) }
  static func isResting(_ value: UInt64) -> Bool { value & 1 == 1 }
}
