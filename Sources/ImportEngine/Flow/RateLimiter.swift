/// Limits the rows a second (a token bucket, kept as one time: the generic cell rate algorithm, ITU-T I.371).
package struct RateLimiter: Sendable {
  /// Delays of up to so many seconds are made up for at once: timers may be so late.
  private static let burst = 0.05

  /// Seconds between two rows; 0 for no limit.
  private let interval: Double
  private var next = -Double.infinity

  /// - Parameter rowsPerSecond: greater than 0; nil for no limit.
  package init(rowsPerSecond: Double?) { interval = rowsPerSecond.map { 1 / $0 } ?? 0 }

  /// Takes the slot of the next row. Returns the seconds until it comes, 0 for now.
  package mutating func delay(at time: Double) -> Double {
    guard interval > 0 else { return 0 }
    let slot = max(next, next.isFinite ? time - Self.burst : time)
    next = slot + interval
    return max(0, slot - time)
  }
}
