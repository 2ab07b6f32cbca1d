import Core
import HostLoop

extension ImportEngine {
  private static let progressInterval = 0.1

  func tellProgress(_ source: any RowSource) async throws {
    while true {
      try await HostLoop.shared.sleep(seconds: Self.progressInterval)
      sample()
      onProgress?(snapshot(source, isFinished: false))
    }
  }

  func sample() {
    statistics.sample(
      settled: settledNow, failed: report.failed, inFlight: inFlight, limit: window.limit, at: now)
  }

  /// Rows that this run is done with.
  private var settledNow: Int { report.settled + report.unsettled - report.resumed }

  func snapshot(_ source: any RowSource, isFinished: Bool) -> ProgressSnapshot {
    var snapshot = ProgressSnapshot()
    let time = now
    snapshot.phase = phase
    noteLastRows(at: time)
    if let wait, wait.until > time, phase != .draining {
      snapshot.phase = .waiting(until: wait.until, reason: wait.reason)
    }
    snapshot.rowsRead = report.total
    snapshot.added = report.added
    snapshot.skipped = report.skipped
    snapshot.failed = report.failed
    snapshot.unsettled = report.unsettled + unknown.count
    snapshot.resumedRows = report.resumed
    snapshot.retried = report.retried
    snapshot.inFlight = inFlight
    snapshot.limit = window.limit
    snapshot.bytesRead = source.bytesRead
    snapshot.totalBytes = source.totalBytes
    if sourceHasEnded { snapshot.totalRows = report.total }
    snapshot.seconds = time
    let recent = meter.rate(settled: settledNow, at: time)
    snapshot.rate = isFinished ? Double(settledNow) / max(time, 0.001) : recent
    snapshot.isFinished = isFinished
    return snapshot
  }

  /// Where all rows that are left wait for a second or longer, nothing is sent, either.
  private func noteLastRows(at time: Double) {
    guard phase == .sending, inFlight == 0, queue.count == 0, sourceHasEnded, wait?.until ?? 0 <= time,
      let next = queue.nextReturn, next.seconds >= 1
    else { return }
    noteWait(until: time + next.seconds, waitReason(next.row.lastError))
  }

  /// Why a row waits that met this error.
  func waitReason(_ error: (any Error)?) -> WaitReason {
    guard let error = error as? any Failure, let status = error.status else { return .unreachable }
    return error.details["retry_after"] == nil ? .failing : .asked(status: status)
  }

  /// Nothing is sent for a while, unless that is over: `Retry-After` may be 0.
  func noteWait(until: Double, _ reason: WaitReason) {
    let seconds = until - max(now, wait?.until ?? 0)
    guard seconds > 0 else { return }
    statistics.waited(seconds: seconds, reason: reason)
    wait = (until, reason)
  }
}
