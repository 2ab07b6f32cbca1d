import HostLoop
import ImportEngine
import ImportFormats

/// The figures of this machine's run, and those of all machines.
@HostActor
final class SharedFigures {
  private(set) var report = ImportReport()
  private(set) var statistics = ImportStatistics()
  private var progress = SharedProgress()
  /// The rows by their outcomes when the run began.
  var before = RowCounts()
  private let start = HostLoop.uptime

  /// True if the server has taken rows of this import.
  var serverTakesRows: Bool { progress.addedBefore + progress.others.added > 0 }

  func note(_ snapshot: ProgressSnapshot, _ planner: BlockPlanner?) { progress.note(snapshot, planner) }

  func note(_ status: SharedStatus) {
    progress.others = status.others
    progress.totalRows = status.rows
  }

  /// The figures of this machine for the other machines.
  func told(_ session: ImportReport, _ rate: Double) -> (added: Int, failed: Int, rate: Double) {
    (progress.addedBefore + session.added, progress.failedBefore + session.failed, rate)
  }

  func snapshot() -> ProgressSnapshot { progress.snapshot() }

  /// A session has ended.
  func end(_ engine: ImportEngine) {
    statistics = engine.statistics
    progress.end(engine.report)
    report.retried += engine.report.retried
    report.losses.add(engine.report.losses)
  }

  /// The report is about all machines, as far as the database can tell.
  func fill(_ imports: SharedImports, _ id: String, rowsRead: Int) async throws {
    guard let now = try await imports.totals(id) else { return }
    let counts = now.counts
    (report.added, report.skipped, report.failed) = (counts.added, counts.skipped, counts.failed)
    report.unsettled = counts.unsettled + counts.unknown
    report.addedBefore = min(before.added, counts.added)
    report.resumed.rows = min(before.settled, counts.settled)
    report.total = now.rows ?? max(rowsRead, counts.settled + report.unsettled)
    report.unsent = max(0, report.total - counts.settled - counts.unknown)
    report.failures = try await imports.failures(of: id, after: 0, limit: ImportReport.maximumFailures).map {
      var row = $0.failure
      row.original = $0.original
      return row
    }
  }

  /// Returns the progress at the end of the run.
  func finish() -> ProgressSnapshot {
    report.seconds = HostLoop.uptime - start
    return progress.last(report)
  }
}
