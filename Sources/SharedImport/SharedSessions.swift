import HostLoop
import ImportEngine
import ImportFormats
import TaskAPI

/// The sessions of a worker, one after the other: each is an engine that sends the rows of blocks, with its journal.
@HostActor
final class SharedSessions {
  private let service: any TaskService
  private let options: ImportOptions
  private let events: Events
  private let imports: PatientImports
  /// Writes outcomes, by a separate connection.
  private let outcomes: PatientImports
  private let worker: SharedWorker
  private let planning: SharedPlanning
  private let figures: SharedFigures
  private let signals: SharedSignals
  private var engine: ImportEngine?
  private var source: BlockSource?

  init(
    _ service: any TaskService, _ options: ImportOptions, _ events: Events, _ imports: PatientImports,
    _ worker: SharedWorker, _ planning: SharedPlanning, _ figures: SharedFigures, _ signals: SharedSignals
  ) {
    self.service = service
    self.options = options
    self.events = events
    self.imports = imports
    self.worker = worker
    self.planning = planning
    self.figures = figures
    self.signals = signals
    outcomes = imports.another()
  }

  /// True between two sessions.
  var isIdle: Bool { engine == nil }
  /// The rows of the present session that failed.
  var failed: Int { engine?.report.failed ?? 0 }

  func stop(_ error: any Error) { engine?.stop(error) }

  /// There are blocks to be claimed.
  func ring() { source?.ring() }

  /// Follows the rate and the pauses of all machines.
  func follow(_ status: SharedStatus) { engine?.follow(status) }

  func close() async { await outcomes.close() }

  /// Counts the tasks before the first row is sent. Returns hashes of the values of `dedupe`.
  func census(_ record: SharedImport, isFirst: Bool, _ status: SharedStatus) async throws -> Set<UInt64> {
    let journal = BlockJournal(imports, record, worker: worker.id, outcomes: outcomes)
    let engine = makeEngine(journal, isFirst ? .alone : .settling, status)
    self.engine = engine
    return try await engine.census()
  }

  /// Sends the rows of free blocks.
  func send(_ record: SharedImport, _ status: SharedStatus) async throws {
    let journal = BlockJournal(imports, record, worker: worker.id, outcomes: outcomes, signals)
    try await run(journal, BlockSource(FreeBlocks(imports, journal, planning)), .sending, status)
  }

  /// Finds out the fate of rows without an answer.
  func settle(_ blocks: [HeldBlock], _ record: SharedImport, _ status: SharedStatus) async throws {
    let hashes = Set(blocks.flatMap { $0.openRows.compactMap { $0.draft.map { StableHash.of($0.text) } } })
    let known = try await imports.knownTasks(of: hashes, baseline: record.server.baselineTotal)
    let journal = BlockJournal(imports, record, worker: worker.id, outcomes: outcomes, known: known, signals)
    journal.hold(blocks)
    try await run(journal, BlockSource(ClaimedSupply(blocks)), .settling, status)
  }

  /// Sends rows until the source ends, and writes their outcomes. Throws `fenced` if others have taken the worker for dead.
  private func run(
    _ journal: BlockJournal, _ source: BlockSource, _ sharing: ImportOptions.Sharing, _ status: SharedStatus
  ) async throws {
    let engine = makeEngine(journal, sharing, status)
    (self.engine, self.source) = (engine, source)
    journal.begin()
    let result: Result<ImportReport, any Error>
    do { result = .success(try await engine.run(source)) } catch { result = .failure(error) }
    figures.end(engine)
    // A separate task: the end of a canceled import is written, too.
    let closing = HostActor.task {
      await source.end()
      try await journal.close()
    }
    let limit = Task.isCancelled ? HostLoop.shared.schedule(after: 10) { closing.cancel() } : nil
    let closed = await closing.result
    if let limit { HostLoop.shared.cancel(limit) }
    (self.engine, self.source) = (nil, nil)
    if case .failure(let error as ImportError) = closed, error.kind == .fenced { throw error }
    _ = try result.get()
    try closed.get()
  }

  private func makeEngine(
    _ journal: BlockJournal, _ sharing: ImportOptions.Sharing, _ status: SharedStatus
  ) -> ImportEngine {
    let session = Events()
    session.watch(ImportEvent.self) { [weak self] event, _ in self?.pass(event) }
    var options = options
    options.sharing = sharing
    let engine = ImportEngine(service: service, journal: journal, options: options, events: session)
    engine.isPermitted = { [pulse = worker.pulse] in pulse.maySend }
    // Nothing is sent by a worker that others have taken for dead between two engines.
    if worker.isFenced { engine.stop(ImportError.fenced(imports.place)) }
    engine.follow(status)
    if figures.serverTakesRows { engine.noteServerTakesRows() }
    engine.onPause = { [signals] in signals.yield(.pause(seconds: $0)) }
    return engine
  }

  private func pass(_ event: ImportEvent) {
    guard case .progress(let snapshot) = event else { return events.emit(event) }
    worker.load.rate = snapshot.rate
    figures.note(snapshot, planning.planner)
    if let report = engine?.report { worker.pulse.figures = figures.told(report, snapshot.rate) }
    if !snapshot.isFinished { events.emit(ImportEvent.progress(figures.snapshot())) }
  }
}

extension ImportEngine {
  /// Follows the rate and the pauses of all machines.
  fileprivate func follow(_ status: SharedStatus) {
    limit(rowsPerSecond: status.rate.map { $0 / Double(status.workers) })
    if status.pause > 0 { pause(seconds: status.pause) }
  }
}
