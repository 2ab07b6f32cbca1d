import Core
import Glibc
package import HostLoop
package import ImportFormats
import Schedule
package import TaskAPI

/// Adds the rows of a source as tasks, several at a time, and keeps a journal of it. Used once.
///
/// The `Intake` reads rows ahead and journals them. The `Dispatcher` sends them, when its `Gate` lets it. If nobody
/// knows whether the server added a row, the `Settlement` finds out by the list of tasks between two rounds of sending.
/// The `RowLedger` records what becomes of each row. A row that the API refuses is reported and does not stop the rest.
/// The import stops for a problem that all rows would meet: no token, a server that cannot be reached or takes nothing,
/// a source that cannot be read on. Memory is bounded by two blocks of rows and `ImportReport.maximumFailures`.
@HostActor
package final class ImportEngine {
  private let service: any TaskService
  private let state: RunState
  private let ledger: RowLedger
  private let settlement: Settlement
  private let dispatcher: Dispatcher
  private var tasks: [Task<Void, any Error>] = []

  /// - Parameter journal: the open journal of this source, account and API.
  package init(
    service: any TaskService, journal: any RowJournal & ImportHistory, options: ImportOptions = ImportOptions(),
    events: Events = Events()
  ) {
    self.service = service
    state = RunState(options, events)
    ledger = RowLedger(journal, state)
    settlement = Settlement(service, state, ledger)
    dispatcher = Dispatcher(service, state, ledger, settlement)
  }

  package var options: ImportOptions { state.options }
  package var events: Events { state.events }
  /// The report so far; `seconds` is set at the end.
  package var report: ImportReport { ledger.report }
  package var statistics: ImportStatistics { state.statistics }

  /// Decides about each failed row, one at a time, in the order of the failures. Its error ends the import.
  package var onRowFailed: (@HostActor (RowFailure) async throws -> FailureDecision)? {
    get { ledger.onRowFailed }
    set { ledger.onRowFailed = newValue }
  }

  /// Returns the tasks that earlier requests for the rows have made, in the order of the rows; nil for a task that is not there.
  package typealias FindRows = @HostActor @Sendable ([KeyedDraft]) async throws -> [Result<AddedTask?, any Error>]

  /// Finds the tasks of rows by values of their own, while it is not known that the server honors keys. Nil: the texts in the list
  /// of tasks have to tell.
  package var find: FindRows? {
    get { settlement.findsRows }
    set { settlement.findsRows = newValue }
  }

  /// Called with each row that a dry run reads, and its draft. Its error ends the run.
  package var onChecked: (@HostActor (SourceRecord, RowDraft) throws -> Void)?

  /// Asked before each request: false if none may be sent for a moment.
  package var isPermitted: @HostActor () -> Bool {
    get { state.isPermitted }
    set { state.isPermitted = newValue }
  }

  /// The server has taken rows of this import lately, perhaps from another machine: what it refuses now is about a row.
  package func noteServerTakesRows() { state.serverTakesRows = true }

  /// Called when the server asks all requests to wait, with the seconds.
  package var onPause: @HostActor (Double) -> Void {
    get { dispatcher.gate.onPause }
    set { dispatcher.gate.onPause = newValue }
  }

  /// Sends nothing for so many seconds, because the server asked another machine to wait.
  package func pause(seconds: Double) { dispatcher.gate.hold(until: state.now + seconds, .asked(status: 429)) }

  /// Changes the most rows a second; nil for no limit.
  package func limit(rowsPerSecond: Double?) { dispatcher.gate.limit(rowsPerSecond: rowsPerSecond) }

  /// Ends the import early for that reason.
  package func stop(_ reason: any Error) { state.stop(reason) }

  /// Runs the import to its end and returns its report. Throws an `ImportError` with the code `stopped` if the import
  /// ended early, an error of the source or of a callback as it is, and `CancellationError` if the task is canceled. In
  /// each case the requests under way have been answered, the journal is true, and `report` says what was done.
  package func run(_ source: any RowSource) async throws -> ImportReport {
    state.begin()
    let progress = ProgressWatch(source, state, ledger, settlement, dispatcher.gate)
    let ticker = HostActor.task { [state] in try await progress.watch { state.emit(.progress($0)) } }
    // This is no child task, because a cancellation stops the reading, not the requests under way. The import and its
    // tasks use the hashes that the journal has.
    let main = StableHash.$isOfOldJournal.withValue(
      options.resume != .no && ledger.history.earlier?.hasOldHashes == true
    ) {
      HostActor.task { try await self.importAll(source) }
    }
    await withTaskCancellationHandler {
      if case .failure(let error) = await main.result { state.stop(error) }
    } onCancel: {
      HostActor.task { self.cancel(main) }
    }
    await finish()
    ticker.cancel()
    // The ticker may be about to report once more; the report of the end has to be the last.
    _ = await ticker.result
    ledger.report.seconds = state.now
    state.emit(.progress(progress.finish()))
    switch state.stopReason {
    case nil: return report
    // If the source is another one, nothing was done.
    case let error as ImportError where error.kind == .sourceChanged && report.isUntouched: throw error
    case let error as ImportError: throw error.with(report)
    case let error?: throw error
    }
  }

  /// Counts the tasks before an import, for its journal. Returns the hashes of the values of `dedupe`.
  package func census() async throws -> Set<UInt64> {
    state.begin()
    let values = try await settlement.takeCensus()
    if let reason = state.stopReason { throw reason }
    return values
  }

  private func importAll(_ source: any RowSource) async throws {
    if options.resume == .no, !options.isDryRun, let earlier = ledger.history.earlier, !earlier.isNew {
      try await earlier.startAnew()
    }
    let intake = Intake(source, state, ledger, settlement, dispatcher.gate, service)
    let onStop = state.onStop
    state.onStop = {
      onStop()
      source.interrupt()
    }
    state.phase = .readingKnownRows
    try await intake.resume()
    intake.values = try await settlement.takeCensus()
    intake.dedupeResumed()
    if options.isDryRun { return try await intake.check(onChecked) }
    while !state.isStopping, !(ledger.queue.sourceHasEnded && ledger.queue.isEmpty && settlement.isEmpty) {
      try await sendRound(intake)
      try await dispatcher.settleDoubtful()
      if !state.isStopping, !settlement.isEmpty { try await settlement.settle() }
    }
    dispatcher.stopForParked()
    if let problem = intake.problem { throw problem }
  }

  /// Sends until the source has ended, or until the list of tasks has to tell about rows of unknown fate.
  private func sendRound(_ intake: Intake) async throws {
    state.phase = .sending
    dispatcher.mayGetRows = !ledger.queue.sourceHasEnded
    let reading = HostActor.task { try await intake.read() }
    let workers = (0..<options.concurrency.upperBound).map { _ in HostActor.task { await self.dispatcher.work() } }
    tasks = [reading] + workers
    if case .failure(let error) = await reading.result { state.stop(error) }
    dispatcher.mayGetRows = false
    dispatcher.admit()
    for worker in workers { _ = await worker.result }
    tasks = []
  }

  /// - Parameter main: may be in a function of a script, such as the handler of failed rows.
  private func cancel(_ main: Task<Void, any Error>) {
    state.stop(CancellationError())
    // The intake may be in a script that waits. A dry run has no requests under way.
    if options.isDryRun { main.cancel() }
    tasks.first?.cancel()
    _ = HostLoop.shared.schedule(after: options.delays.drain) {
      for task in self.tasks { task.cancel() }
      main.cancel()
    }
  }

  /// Journals rows that were not sent, counts rows of unknown fate, and closes a journal whose source is done.
  private func finish() async {
    for row in ledger.queue.drain() + dispatcher.drain() {
      if row.isUnknown { settlement.add(row) } else { ledger.abandon(row) }
    }
    ledger.report.unsettled += settlement.drain()
    ledger.report.unsent += ledger.families.postponed
    if options.isDryRun { return }
    do throws(ImportError) {
      try await ledger.journal.flush()
      if !state.isStopping, report.unsettled == 0 {
        try await ledger.history.earlier?.finish(rows: report.total)
      }
    } catch { state.stop(error) }
  }
}

extension Error where Self == ImportError {
  /// The import cannot continue at `row`. Its counts are added after the last requests were answered.
  /// - Parameter renewals: the number of further tokens that were refused; 0 if that is not the reason.
  static func stopped(by cause: any Error, at row: SourceRecord, after renewals: Int = 0) -> ImportError {
    let tokens = renewals > 0 ? ", with \(counted(renewals, "further renewed token")) too" : ""
    var error = stopped("the import stopped at \(row.place): \(cause.sentence)\(tokens)", by: cause, line: row.line)
    if let wait = (cause as? TaskAPIError)?.retryAfter, wait > ImportOptions.usualLongestPause {
      let seconds = Int64(min(wait, 366 * 86400).rounded(.up))
      let end = CivilTime(seconds: Int64(time(nil)) + seconds).text
      let advice = seconds + 60 <= ImportOptions.longestWait ? "; --wait \(seconds + 60) waits for that" : ""
      error.hint = "it takes tasks again at \(end) UTC\(advice)"
    }
    return error
  }

  static func stopped(_ message: String, by cause: any Error, line: Int? = nil) -> ImportError {
    let failure = cause as? any Failure
    return ImportError(
      kind: .stopped, message: message, hint: failure?.hint, line: line, status: failure?.status,
      isRetryable: failure?.isRetryable ?? false,
      details: (failure?.details ?? [:]).merging(["cause": cause.failureCode]) { _, cause in cause })
  }

  static func notKept(_ sentence: String, at record: SourceRecord, isSent: Bool = true) -> ImportError {
    ImportError(
      kind: .stopped, message: "the import stopped: \(sentence)",
      hint: (isSent ? "the row is added without it. " : "")
        + "Leave the column out with --map, or import without --strict",
      line: record.line, details: ["cause": "field_not_kept"])
  }
}

extension Error {
  var failureCode: String { (self as? any Failure)?.code ?? "unknown" }
  var sentence: String { (self as? any Failure)?.message ?? String(describing: self) }
  var status: Int? { (self as? any Failure)?.status }
}
