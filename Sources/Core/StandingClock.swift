import Synchronization

/// The clock of a replay. It stands still while the script computes, and goes from one moment of the recorded run to the next
/// one. Without a replay, the system's clocks count.
package enum StandingClock {
  private static let isStanding = Atomic(false)
  private static let now = Atomic<UInt64>(0)
  /// The seconds from the clock for durations to that of the day.
  private static let distance = Atomic<UInt64>(0)

  /// Seconds of the clock for durations; nil without a replay.
  package static var uptime: Double? {
    isStanding.load(ordering: .acquiring) ? Double(bitPattern: now.load(ordering: .relaxed)) : nil
  }

  /// Seconds since 1970; nil without a replay.
  package static var time: Double? { uptime.map { $0 + Double(bitPattern: distance.load(ordering: .relaxed)) } }

  /// Makes the clocks stand.
  /// - Parameters:
  ///   - uptime: seconds of the clock for durations.
  ///   - time: the same moment in seconds since 1970.
  package static func stand(at uptime: Double, time: Double) {
    now.store(uptime.bitPattern, ordering: .relaxed)
    distance.store((time - uptime).bitPattern, ordering: .relaxed)
    isStanding.store(true, ordering: .releasing)
  }

  /// Moves the clocks forward to a moment, in seconds of the clock for durations. An earlier moment changes nothing.
  package static func go(to moment: Double) {
    guard let uptime, moment > uptime else { return }
    now.store(moment.bitPattern, ordering: .relaxed)
  }

  /// Lets the system's clocks count again.
  package static func end() { isStanding.store(false, ordering: .releasing) }
}
