import Synchronization

/// Finds out from another thread that the loop's thread spends too long on one thing. Waits for events do not count.
package struct StallWatch: Sendable {
  /// The seconds of processor time for one thing: a busy machine does not count.
  private let mostComputing: Double
  /// The seconds of the clock, for calls that block the thread.
  private let mostWaiting: Double
  private var seen: UInt64
  private var computed: Double
  private var time: Double

  package init(mostComputing: Double, mostWaiting: Double) {
    self.mostComputing = mostComputing
    self.mostWaiting = mostWaiting
    seen = HostLoop.shared.descriptors.pulse.value
    computed = HostLoop.shared.computed
    time = HostLoop.uptime
  }

  /// Looks once. The first look at something new starts its time.
  package mutating func hasStalled() -> Bool {
    let value = HostLoop.shared.descriptors.pulse.value
    let (computed, time) = (HostLoop.shared.computed, HostLoop.uptime)
    if value == seen, !Pulse.isResting(value) {
      return computed - self.computed > mostComputing || time - self.time > mostWaiting
    }
    (seen, self.computed, self.time) = (value, computed, time)
    return false
  }
}

/// A count of the things that the loop's thread began. Other threads see by it that the loop makes progress.
final class Pulse: Sendable {
  /// Odd while the thread waits for events.
  private let count = Atomic<UInt64>(1)

  @inline(__always) func beat() { count.store((count.load(ordering: .relaxed) | 1) &+ 1, ordering: .relaxed) }
  @inline(__always) func rest() { count.store(count.load(ordering: .relaxed) | 1, ordering: .relaxed) }

  var value: UInt64 { count.load(ordering: .relaxed) }
  static func isResting(_ value: UInt64) -> Bool { value & 1 == 1 }
}
