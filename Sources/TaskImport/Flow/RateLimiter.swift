/// Lets so many rows a second go out (a token bucket, kept as one time: the generic cell rate algorithm, ITU-T I.371).
package struct RateLimiter: Sendable {
  /// Rows that could not go out for this long, in seconds, are made up for at once: as long as a timer may be late.
  private static let burst = 0.05

  /// Seconds between two rows; 0 for no limit.
  private let interval: Double
  /// When the next row is due.
  private var next = -Double.infinity

  /// - Parameter rowsPerSecond: nil for as many as will; greater than 0.
  package init(rowsPerSecond: Double?) { interval = rowsPerSecond.map { 1 / $0 } ?? 0 }

  /// Takes the next slot. Returns the seconds until it comes, 0 for now; to be called once a row.
  package mutating func delay(at time: Double) -> Double {
    guard interval > 0 else { return 0 }
    let slot = max(next, next.isFinite ? time - Self.burst : time)
    next = slot + interval
    return max(0, slot - time)
  }
}
