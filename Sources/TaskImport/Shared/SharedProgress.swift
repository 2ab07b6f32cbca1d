import HostLoop

/// The progress of all machines, as one snapshot: this machine's sessions and what the others have told.
@HostActor
struct SharedProgress {
  private var last = ProgressSnapshot()
  private var meter = ProgressMeter()
  /// The counts of earlier sessions of this run.
  private(set) var addedBefore = 0
  private(set) var failedBefore = 0
  private var skippedBefore = 0
  private let start = HostLoop.uptime
  var others = (added: 0, failed: 0)
  var totalRows: Int?
  private var planned: (rows: Int, bytes: Int, totalBytes: Int?) = (0, 0, nil)

  /// The rows a second of this machine.
  private(set) var rate = 0.0

  mutating func note(_ snapshot: ProgressSnapshot, _ planner: BlockPlanner?) {
    last = snapshot
    rate = snapshot.rate
    if let planner { planned = (planner.rowsRead, planner.bytesRead, planner.totalBytes) }
  }

  mutating func end(_ report: ImportReport) {
    addedBefore += report.added
    failedBefore += report.failed
    skippedBefore += report.skipped
    (last.added, last.failed, last.skipped) = (0, 0, 0)
  }

  /// The progress at the end of this machine's run, as the report has it.
  mutating func last(_ report: ImportReport) -> ProgressSnapshot {
    var all = snapshot()
    (all.added, all.failed, all.skipped) = (report.added, report.failed, report.skipped)
    all.rowsRead = max(all.rowsRead, report.total)
    all.isFinished = true
    all.rate = Double(report.addedNow) / max(all.seconds, 0.001)
    return all
  }

  mutating func snapshot() -> ProgressSnapshot {
    var all = last
    all.added += addedBefore + others.added
    all.failed += failedBefore + others.failed
    all.skipped += skippedBefore
    all.rowsRead = max(planned.rows, all.settled)
    (all.bytesRead, all.totalBytes) = (planned.bytes, planned.totalBytes)
    all.totalRows = totalRows
    all.seconds = HostLoop.uptime - start
    all.rate = meter.rate(settled: all.settled, at: all.seconds)
    return all
  }
}
