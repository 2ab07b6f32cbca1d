/// Where an import stands.
package struct ProgressSnapshot: Sendable, Equatable {
  package var rowsRead = 0
  package var added = 0
  package var skipped = 0
  package var failed = 0
  /// Requests under way.
  package var inFlight = 0
  package var bytesRead = 0
  /// Nil where the length of the source is not known.
  package var totalBytes: Int?
  /// Rows settled a second, over the last seconds.
  package var rate = 0.0
  package var seconds = 0.0
  /// Whether this is the last one.
  package var isFinished = false

  package init() {}

  /// Rows whose fate is known.
  package var settled: Int { added + skipped + failed }

  /// How much of the source is done, 0…1; nil where its length is not known.
  package var fraction: Double? {
    if isFinished { return 1 }
    guard let totalBytes, totalBytes > 0 else { return nil }
    return min(1, Double(bytesRead) / Double(totalBytes))
  }

  /// Seconds left at the pace so far; nil before there is one.
  package var secondsLeft: Double? {
    guard !isFinished, let fraction, fraction > 0.01, seconds > 0.5 else { return nil }
    return seconds / fraction * (1 - fraction)
  }
}
