import HostLoop
import ImportEngine

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
    (last.counts.added, last.counts.failed, last.counts.skipped) = (0, 0, 0)
  }

  /// The progress at the end of this machine's run, as the report has it.
  mutating func last(_ report: ImportReport) -> ProgressSnapshot {
    var all = snapshot()
    (all.counts.added, all.counts.failed, all.counts.skipped) = (report.added, report.failed, report.skipped)
    all.source.rows = max(all.source.rows, report.total)
    all.isFinished = true
    all.rate = Double(report.addedNow) / max(all.seconds, 0.001)
    return all
  }

  mutating func snapshot() -> ProgressSnapshot {
    var all = last
    all.counts.added += addedBefore + others.added
    all.counts.failed += failedBefore + others.failed
    all.counts.skipped += skippedBefore
    all.source.rows = max(planned.rows, all.settled)
    (all.source.bytes, all.source.totalBytes) = (planned.bytes, planned.totalBytes)
    all.source.totalRows = totalRows
    all.seconds = HostLoop.uptime - start
    all.rate = meter.rate(settled: all.settled, at: all.seconds)
    return all
  }
}
