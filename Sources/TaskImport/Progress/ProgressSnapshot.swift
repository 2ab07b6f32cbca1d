/// The state of an import at a moment. Rows of earlier runs count; `resumedRows` is their number.
package struct ProgressSnapshot: Sendable, Equatable {
  /// The present activity.
  package enum Phase: Sendable, Equatable {
    /// Reading the rows that earlier runs have done.
    case readingKnownRows
    case sending
    /// Finding out what became of requests without an answer.
    case settling
    /// No further row is sent; answers that are due are waited for.
    case draining
    /// Nothing is sent until then, in seconds since the start.
    case waiting(until: Double, reason: WaitReason)
  }

  package var phase = Phase.sending
  package var rowsRead = 0
  package var added = 0
  package var skipped = 0
  package var failed = 0
  /// Sent, and nobody can tell yet what became of them.
  package var unsettled = 0
  /// The number of all these that earlier runs have done.
  package var resumedRows = 0
  /// How often a row was sent again.
  package var retried = 0
  /// Requests under way.
  package var inFlight = 0
  /// How many may be.
  package var limit = 0
  package var bytesRead = 0
  /// Nil where the length of the source is not known.
  package var totalBytes: Int?
  /// How many rows the source has; nil where that is not known.
  package var totalRows: Int?
  /// Rows settled a second, over the last seconds; without those of earlier runs.
  package var rate = 0.0
  /// Seconds since the start of this run.
  package var seconds = 0.0
  /// True if this is the last one.
  package var isFinished = false

  package init() {}

  /// Rows that are done with.
  package var settled: Int { added + skipped + failed + unsettled }

  /// How many rows there are, as far as one can tell from how long those read were; nil where there is no telling.
  private var expectedRows: Double? {
    if let totalRows { return Double(totalRows) }
    guard let totalBytes, totalBytes > 0, bytesRead > 0, rowsRead > 0 else { return nil }
    return max(Double(rowsRead), Double(rowsRead) * Double(totalBytes) / Double(bytesRead))
  }

  /// How much of the source is done, 0…1; nil where its length is not known.
  package var fraction: Double? {
    if isFinished, totalRows ?? rowsRead <= settled { return 1 }
    if let expectedRows { return expectedRows > 0 ? min(1, Double(settled) / expectedRows) : 1 }
    return totalBytes.map { _ in 0 }
  }

  /// Seconds left at the pace of late; nil before there is one, and while nothing is sent.
  package var secondsLeft: Double? {
    guard !isFinished, let expectedRows, rate > 0, seconds > 0.5 else { return nil }
    if case .waiting = phase { return nil }
    return max(0, expectedRows - Double(settled)) / rate
  }
}
