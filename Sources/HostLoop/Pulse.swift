import Synchronization

/// A count of the things that the loop's thread began. Other threads see by it that the loop makes progress.
final class Pulse: Sendable {
  /// Odd while the thread waits for events.
  private let count = Atomic<UInt64>(1)

  /// Reports that something new begins.
  @inline(__always) func beat() { count.store((count.load(ordering: .relaxed) | 1) &+ 1, ordering: .relaxed) }
  /// Reports that the thread waits from now on.
  @inline(__always) func rest() { count.store(count.load(ordering: .relaxed) | 1, ordering: .relaxed) }

  var value: UInt64 { count.load(ordering: .relaxed) }
  static func isResting(_ value: UInt64) -> Bool { value & 1 == 1 }
}
