import Diagnostics
package import HostLoop
package import TaskAPI

/// Adds the rows of a source as tasks, several at a time. Used once.
///
/// A row that the API refuses is reported and does not stop the rest. What stops the import is what would befall every
/// row: no token, a server that cannot be reached or takes nothing, a source that cannot be read on.
/// Memory is bounded by `concurrency` rows and `ImportReport.maximumFailures`.
@HostActor
package final class ImportEngine {
  private static let progressInterval = 0.1

  let client: TaskAPIClient
  let options: ImportOptions
  /// Told of each failed row, in the order of their failing, one at a time. What it throws ends the import.
  package var onRowFailed: (@HostActor (RowFailure) async throws -> Void)?
  /// Called ten times a second, and once at the end.
  package var onProgress: (@HostActor (ProgressSnapshot) -> Void)?

  /// What has been done so far; `seconds` is set at the end.
  package internal(set) var report = ImportReport()
  var inFlight = 0
  /// Sets this import's idempotency keys apart from those of others.
  let runID = String(UInt64.random(in: 0...UInt64.max), radix: 36)
  /// Failures that are the server's rather than the row's, with no success since.
  var failuresInARow = 0
  /// Until when the server asked everyone to wait, in seconds since the start.
  var heldUntil = 0.0
  /// Why no further row is sent; `CancellationError` when the import was canceled.
  private(set) var stopReason: (any Error)?
  private var workers: [Task<Void, any Error>] = []
  private var pauses: [ObjectIdentifier: CancellableWait<Void>] = [:]
  private var meter = ProgressMeter()
  private let reading = Turnstile()
  private let reporting = Turnstile()
  private let clock = ContinuousClock()
  private var start = ContinuousClock.now

  package init(client: TaskAPIClient, options: ImportOptions = ImportOptions()) {
    self.client = client
    self.options = options
  }

  /// Seconds since the import began.
  var now: Double { (clock.now - start) / .seconds(1) }

  /// Runs the import to its end and says what it did.
  ///
  /// Throws an `ImportError` with the code `stopped` when it ended early, an error of the source or of a callback as it
  /// is, and `CancellationError` when the task is canceled. Each time the requests under way have been answered, and
  /// `report` says what was done.
  package func run(_ source: any RowSource) async throws -> ImportReport {
    start = clock.now
    let ticker = HostActor.task { try await self.tellProgress(source) }
    // Tasks of their own, not children: a cancellation shall stop the reading, not the requests whose answers are due.
    workers = (0..<options.concurrency).map { _ in HostActor.task { await self.work(source) } }
    await withTaskCancellationHandler {
      for worker in workers { _ = await worker.result }
    } onCancel: {
      HostActor.task { self.cancel() }
    }
    ticker.cancel()
    // It may be about to tell once more; what is told last shall be the end.
    _ = await ticker.result
    report.seconds = now
    report.unsent = report.total - report.added - report.skipped - report.failed
    onProgress?(snapshot(source, isFinished: true))
    switch stopReason {
    case nil: return report
    case let error as ImportError: throw error.with(report)
    case let error?: throw error
    }
  }

  // MARK: Stopping

  /// Reads and sends no further row. The first reason counts.
  func stop(_ reason: any Error) {
    if stopReason == nil { stopReason = reason }
    for pause in pauses.values { pause.finish(.success(())) }
  }

  private func cancel() {
    stop(CancellationError())
    let workers = workers
    _ = HostLoop.shared.schedule(after: options.drain) {
      for worker in workers { worker.cancel() }
    }
  }

  /// Waits, unless the import is stopping.
  func pause(seconds: Double) async {
    guard stopReason == nil, seconds > 0 else { return }
    let wait = CancellableWait<Void>()
    let timer = HostLoop.shared.schedule(after: seconds) { wait.finish(.success(())) }
    pauses[ObjectIdentifier(wait)] = wait
    // It ends early when the import stops; the caller looks at that next.
    _ = try? await wait.value()
    pauses[ObjectIdentifier(wait)] = nil
    HostLoop.shared.cancel(timer)
  }

  // MARK: Rows

  /// The next row to send, the others on the way settled; nil at the end.
  func claim(_ source: any RowSource) async throws -> (row: SourceRecord, draft: TaskDraft)? {
    while stopReason == nil {
      // A row that was being made when the import stopped is not counted: it was not read as far as anyone can tell.
      guard let (row, draft) = try await reading.pass({ try await readNext(source) }), stopReason == nil else {
        return nil
      }
      report.total += 1
      switch draft {
      case .task(let draft): return (row, draft)
      case .skipped: report.skipped += 1
      case .unusable(let code, let reason, let text):
        try await record(RowFailure(row: row.number, line: row.line, reason: reason, code: code, text: text))
      }
    }
    return nil
  }

  private func readNext(_ source: any RowSource) async throws -> (SourceRecord, RowDraft)? {
    // Others may have seen the end, or trouble, while this one waited for its turn.
    guard stopReason == nil, let record = try await source.next() else { return nil }
    return (record, try await source.draft(of: record))
  }

  func record(_ failure: RowFailure) async throws {
    report.failed += 1
    if report.failures.count < ImportReport.maximumFailures { report.failures.append(failure) }
    if let onRowFailed { try await reporting.pass { try await onRowFailed(failure) } }
  }

  // MARK: Progress

  private func tellProgress(_ source: any RowSource) async throws {
    while true {
      try await HostLoop.shared.sleep(seconds: Self.progressInterval)
      onProgress?(snapshot(source, isFinished: false))
    }
  }

  private func snapshot(_ source: any RowSource, isFinished: Bool) -> ProgressSnapshot {
    var snapshot = ProgressSnapshot()
    snapshot.rowsRead = report.total
    snapshot.added = report.added
    snapshot.skipped = report.skipped
    snapshot.failed = report.failed
    snapshot.inFlight = inFlight
    snapshot.bytesRead = source.bytesRead
    snapshot.totalBytes = source.totalBytes
    snapshot.seconds = now
    let recent = meter.rate(settled: snapshot.settled, at: snapshot.seconds)
    snapshot.rate = isFinished ? Double(snapshot.settled) / max(snapshot.seconds, 0.001) : recent
    snapshot.isFinished = isFinished
    return snapshot
  }
}
