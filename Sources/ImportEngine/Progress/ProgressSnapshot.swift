/// The state of an import at a moment. It includes the rows of earlier runs.
package struct ProgressSnapshot: Sendable, Equatable {
  package enum Phase: Sendable, Equatable {
    case readingKnownRows
    case sending
    /// Finding out the fate of requests without an answer.
    case settling
    /// Waiting for the last answers.
    case draining
    /// Nothing is sent until then, in seconds since the start.
    case waiting(until: Double, reason: WaitReason)
  }

  package var phase = Phase.sending
  package var source = Source()
  /// The rows by their outcomes. Those of unknown fate count as unsettled.
  package var counts = RowCounts()
  /// The number of the rows above that earlier runs settled.
  package var resumedRows = 0
  package var retried = 0
  package var inFlight = 0
  /// The limit of requests under way.
  package var limit = 0
  /// The rows settled a second, over the last seconds; without those of earlier runs.
  package var rate = 0.0
  /// Seconds since the start of this run.
  package var seconds = 0.0
  package var isFinished = false

  /// The reading of the source.
  package struct Source: Sendable, Equatable {
    package var rows = 0
    package var bytes = 0
    /// Nil if the length of the source is not known.
    package var totalBytes: Int?
    /// The number of the source's rows; nil while it is not known.
    package var totalRows: Int?
  }

  package init() {}

  package var settled: Int { counts.settled }

  /// The number of rows, estimated from the length of those read; nil without an estimate.
  private var expectedRows: Double? {
    if let rows = source.totalRows { return Double(rows) }
    guard let totalBytes = source.totalBytes, totalBytes > 0, source.bytes > 0, source.rows > 0 else { return nil }
    return max(Double(source.rows), Double(source.rows) * Double(totalBytes) / Double(source.bytes))
  }

  /// The settled part of the source, 0…1; nil if its length is not known.
  package var fraction: Double? {
    if isFinished, source.totalRows ?? source.rows <= settled { return 1 }
    if let expectedRows { return expectedRows > 0 ? min(1, Double(settled) / expectedRows) : 1 }
    return source.totalBytes.map { _ in 0 }
  }

  /// The seconds left at the recent pace; nil without a pace, and while nothing is sent.
  package var secondsLeft: Double? {
    guard !isFinished, let expectedRows, rate > 0, seconds > 0.5 else { return nil }
    if case .waiting = phase { return nil }
    return max(0, expectedRows - Double(settled)) / rate
  }
}
