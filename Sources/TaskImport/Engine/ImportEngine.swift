import Core
package import HostLoop
package import TaskAPI

/// Adds the rows of a source as tasks, several at a time, and keeps a journal of it. Used once.
///
/// The intake reads rows ahead and journals them before the first of them goes out; workers send them; what nobody knows
/// the fate of is settled when all is quiet. A row that the API refuses is reported and does not stop the rest. What
/// stops the import is what would befall every row: no token, a server that cannot be reached or takes nothing, a source
/// that cannot be read on. Memory is bounded by two blocks of rows and `ImportReport.maximumFailures`.
@HostActor
package final class ImportEngine {
  let client: TaskAPIClient
  package let options: ImportOptions
  /// Told of each failed row, in the order of their failing, one at a time. What it throws ends the import.
  package var onRowFailed: (@HostActor (RowFailure) async throws -> FailureDecision)?
  /// Called ten times a second, and once at the end.
  package var onProgress: (@HostActor (ProgressSnapshot) -> Void)?
  /// Told what a person should know: that the import goes on, that the list cannot be read.
  package var onNotice: (@HostActor (String) -> Void)?

  /// Told of each row that will be sent again: its number, how often it was sent, and why that was in vain.
  package var onRetry: (@HostActor (Int, Int, any Error) -> Void)?
  /// Told of each phase as it begins; not of waiting, which `onProgress` tells.
  package var onPhase: (@HostActor (ProgressSnapshot.Phase) -> Void)?
  /// Told of each row that has failed for good.
  package var onFailure: (@HostActor (RowFailure) -> Void)?

  package let journal: ImportJournal
  /// Whether nothing has been imported by the journal, or everything is to be imported once more.
  var isNew: Bool
  /// What has been done so far; `seconds` is set at the end.
  package internal(set) var report = ImportReport()
  /// Requests under way.
  var inFlight = 0
  /// Rows that workers have taken and not yet done with.
  var busy = 0
  let queue = RowQueue()
  /// What the journal knows of the rows, as they come, where they have been matched.
  var matched: KnownRows?
  var hasNotedFirst = false
  /// Whether the source has no more rows.
  var sourceHasEnded = false
  /// Whether the intake of this round is done.
  var intakeHasEnded = false
  /// What is wrong with the source behind the rows that were read.
  var sourceError: (any Error)?
  /// How many rows were settled, and when, as the last block was begun.
  var lastBlock = (settled: 0, time: 0.0)
  /// Rows whose fate nobody knows, for the list of tasks to tell.
  var unknown: [QueuedRow] = []
  /// When the last request ended without an answer, in seconds since the start.
  var lastUnknown = 0.0
  /// Answers since the last confirmed task that were no confirmations.
  var unclearAnswers = 0
  /// So many of these end the sending until the list has told about their rows.
  var mostUnclear = firstMostUnclear
  /// How many rows that the list does not have are sent again before it has shown that it is not cut off just there.
  var trialSize = 1
  /// How often in a row the server has refused a token that was just renewed, and when it was last waited for.
  var renewals = (count: 0, heldAt: -Double.infinity)
  /// Rows that are to wait for longer than an import waits.
  var parked: [(row: QueuedRow, error: any Error)] = []
  var pauseRequests = RequestedPauses()
  /// Rows that failed for what may be the server's fault, with no success since.
  var doubtful: [(row: QueuedRow, error: any Error)] = []
  /// Fields that tasks have already, for `dedupe`.
  var existing: Set<UInt64> = []
  /// Until when the server asked everyone to wait, in seconds since the start.
  var heldUntil = 0.0
  /// Brings the workers back when a hold or a limit of the rate has passed.
  var admission: TimerQueue.ID?
  var window: ConcurrencyWindow
  var limiter: RateLimiter
  /// Whether the next row has its slot of the rate.
  var hasSlot = false
  var breaker: CircuitBreaker
  let backoff: Backoff
  var generator = SystemRandomNumberGenerator()
  /// Whether the server takes idempotency keys; nil: not known yet.
  var honorsKeys: Bool?
  /// Why no further row is sent; `CancellationError` when the import was canceled.
  private(set) var stopReason: (any Error)?
  var phase = ProgressSnapshot.Phase.sending {
    didSet { if phase != oldValue { onPhase?(phase) } }
  }
  private var tasks: [Task<Void, any Error>] = []
  private var pauses: [ObjectIdentifier: CancellableWait<Void>] = [:]
  var meter = ProgressMeter()
  /// How the server took it.
  package internal(set) var statistics = ImportStatistics()
  /// Until when nothing is sent, and why, where that is longer than a moment.
  var wait: (until: Double, reason: WaitReason)?
  let reporting = Turnstile()
  private let clock = ContinuousClock()
  private var start = ContinuousClock.now

  /// - Parameter journal: of this source, account and API, open.
  package init(client: TaskAPIClient, journal: ImportJournal, options: ImportOptions = ImportOptions()) {
    self.client = client
    self.journal = journal
    isNew = journal.isNew
    self.options = options
    window = ConcurrencyWindow(bounds: options.concurrency)
    limiter = RateLimiter(rowsPerSecond: options.rate)
    backoff = Backoff(first: options.firstDelay, longest: options.longestDelay)
    breaker = CircuitBreaker(
      retries: options.retries, first: 2 * options.firstDelay, longest: options.longestDelay,
      patience: options.patience)
  }

  /// Seconds since the import began.
  var now: Double { (clock.now - start) / .seconds(1) }

  /// Runs the import to its end and says what it did.
  ///
  /// Throws an `ImportError` with the code `stopped` when it ended early, an error of the source or of a callback as it
  /// is, and `CancellationError` when the task is canceled. Each time the requests under way have been answered, the
  /// journal is true, and `report` says what was done.
  package func run(_ source: any RowSource) async throws -> ImportReport {
    start = clock.now
    let ticker = HostActor.task { try await self.tellProgress(source) }
    // A task of its own, not a child: a cancellation shall stop the reading, not the requests whose answers are due.
    let main = HostActor.task { try await self.importAll(source) }
    await withTaskCancellationHandler {
      if case .failure(let error) = await main.result { stop(error) }
    } onCancel: {
      HostActor.task { self.cancel() }
    }
    await leave()
    ticker.cancel()
    // It may be about to tell once more; what is told last shall be the end.
    _ = await ticker.result
    report.seconds = now
    // What was settled since the last look counts, too.
    sample()
    statistics.finish(at: now)
    statistics.concurrency = window.changes
    onProgress?(snapshot(source, isFinished: true))
    switch stopReason {
    case nil: return report
    // Where the source is another one, nothing was done.
    case let error as ImportError where error.kind == .sourceChanged && report.isUntouched: throw error
    case let error as ImportError: throw error.with(report)
    case let error?: throw error
    }
  }

  private func importAll(_ source: any RowSource) async throws {
    try await prepare(source)
    if options.isDryRun { return try await check(source) }
    while stopReason == nil, !(sourceHasEnded && queue.isEmpty && unknown.isEmpty) {
      try await sendRound(source)
      try await settleDoubtful()
      if stopReason == nil, !unknown.isEmpty { try await settleUnknown() }
    }
    if let (row, error) = parked.first { stop(.stopped(by: error, at: row.record)) }
    if let sourceError { throw sourceError }
  }

  /// Sends until the source has ended, or until it is time to look at the list for rows of unknown fate.
  private func sendRound(_ source: any RowSource) async throws {
    phase = .sending
    intakeHasEnded = sourceHasEnded
    let intake = HostActor.task { try await self.takeIn(source) }
    let workers = (0..<options.concurrency.upperBound).map { _ in HostActor.task { await self.work() } }
    tasks = [intake] + workers
    if case .failure(let error) = await intake.result { stop(error) }
    intakeHasEnded = true
    admit()
    for worker in workers { _ = await worker.result }
    tasks = []
  }

  // MARK: Stopping

  /// Reads and sends no further row. The first reason counts.
  func stop(_ reason: any Error) {
    if stopReason == nil { stopReason = reason }
    phase = .draining
    for pause in pauses.values { pause.finish(.success(())) }
    queue.askForMore()
    admit()
  }

  private func cancel() {
    stop(CancellationError())
    // The intake may be in a script that waits for something.
    tasks.first?.cancel()
    _ = HostLoop.shared.schedule(after: options.drain) {
      for task in self.tasks { task.cancel() }
    }
  }

  /// Leaves the journal as things are: rows not sent, rows of unknown fate, or everything done.
  private func leave() async {
    for row in queue.drain() + doubtful.map(\.row) + parked.map(\.row) {
      if row.isUnknown { unknown.append(row) } else { putAside(row) }
    }
    report.unsettled += unknown.count
    unknown = []
    if options.isDryRun { return }
    do throws(ImportError) {
      try await journal.flush()
      if stopReason == nil, report.unsettled == 0 { try await journal.finish(rows: report.total) }
    } catch {
      stop(error)
    }
  }

  /// A row that was not sent, and is to be in the next run.
  private func putAside(_ row: QueuedRow) {
    report.unsent += 1
    settle(row.journalRow, .notSent)
  }

  /// Writes down what became of a row.
  func settle(_ row: JournalRow, _ outcome: RowOutcome) {
    if !options.isDryRun { journal.settle(row, outcome) }
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
}
