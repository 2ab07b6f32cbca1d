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
    if let wait, wait.until > time, phase == .sending {
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

  /// Nothing is sent for a while, unless that is over: `Retry-After` may be 0.
  func noteWait(until: Double, _ reason: WaitReason) {
    let seconds = until - max(now, wait?.until ?? 0)
    guard seconds > 0 else { return }
    statistics.waited(seconds: seconds, reason: reason)
    wait = (until, reason)
  }
}
