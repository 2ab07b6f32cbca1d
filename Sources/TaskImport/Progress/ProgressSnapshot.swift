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
  package var rowsRead = 0
  package var added = 0
  package var skipped = 0
  package var failed = 0
  /// Sent, with an unknown fate.
  package var unsettled = 0
  /// The number of the rows above that earlier runs settled.
  package var resumedRows = 0
  package var retried = 0
  package var inFlight = 0
  /// The limit of requests under way.
  package var limit = 0
  package var bytesRead = 0
  /// Nil if the length of the source is not known.
  package var totalBytes: Int?
  /// The number of the source's rows; nil while it is not known.
  package var totalRows: Int?
  /// The rows settled a second, over the last seconds; without those of earlier runs.
  package var rate = 0.0
  /// Seconds since the start of this run.
  package var seconds = 0.0
  package var isFinished = false

  package init() {}

  package var settled: Int { added + skipped + failed + unsettled }

  /// The number of rows, estimated from the length of those read; nil without an estimate.
  private var expectedRows: Double? {
    if let totalRows { return Double(totalRows) }
    guard let totalBytes, totalBytes > 0, bytesRead > 0, rowsRead > 0 else { return nil }
    return max(Double(rowsRead), Double(rowsRead) * Double(totalBytes) / Double(bytesRead))
  }

  /// The settled part of the source, 0…1; nil if its length is not known.
  package var fraction: Double? {
    if isFinished, totalRows ?? rowsRead <= settled { return 1 }
    if let expectedRows { return expectedRows > 0 ? min(1, Double(settled) / expectedRows) : 1 }
    return totalBytes.map { _ in 0 }
  }

  /// The seconds left at the recent pace; nil without a pace, and while nothing is sent.
  package var secondsLeft: Double? {
    guard !isFinished, let expectedRows, rate > 0, seconds > 0.5 else { return nil }
    if case .waiting = phase { return nil }
    return max(0, expectedRows - Double(settled)) / rate
  }
}
