import Core
import Databases
import Glibc
package import HostLoop
package import TaskAPI

/// The part of this machine in an import that several machines share: it plans the rows of a source in blocks, if it has
/// the source, and sends the rows of blocks. Used once.
@HostActor
package final class SharedRun {
  package let imports: SharedImports
  package let record: SharedImport
  /// Connections for the planner, and for the outcomes of rows.
  private let plans: SharedImports
  private let outcomes: SharedImports
  private let service: any TaskService
  private let options: ImportOptions
  package let events: Events
  private let times: SharedTimes
  private let patience: DatabasePatience
  private var worker: WorkerIdentity
  private var pulse: WorkerPulse
  private var planner: BlockPlanner?
  private var planning: Task<Void, any Error>?
  /// Opens the source; nil for a machine that only helps.
  private var makeSource: (@HostActor () throws -> any RowSource)?
  private var isPlanning = false
  private var engine: ImportEngine?
  private var blockSource: BlockSource?
  private var status = SharedStatus()
  private var before = BlockCounts()
  package private(set) var report = ImportReport()
  private var progress = SharedProgress()
  /// The workers that say nothing, of which the person knows.
  private var silent: Set<String> = []
  private var lastLook = 0.0
  /// The first reason to end.
  private var problem: (any Error)?
  package private(set) var statistics = ImportStatistics()

  package init(
    _ imports: SharedImports, _ record: SharedImport, service: any TaskService, options: ImportOptions, events: Events,
    worker: WorkerIdentity, times: SharedTimes = .usual
  ) {
    self.imports = imports
    plans = imports.another()
    outcomes = imports.another()
    self.record = record
    self.service = service
    self.options = options
    self.events = events
    self.worker = worker
    self.times = times
    patience = DatabasePatience(imports.place)
    pulse = WorkerPulse(imports, times)
  }

  /// Works on the import until it is done, and returns its report. Without a source it returns when nothing is left to
  /// do for this machine. Throws `CancellationError` after a cancellation: blocks that are not done have been given back.
  /// - Parameter source: opens the source, perhaps more than once; nil for a machine that only helps.
  package func run(
    planning source: (@HostActor () throws -> any RowSource)? = nil
  ) async throws -> ImportReport {
    makeSource = source
    patience.onNotice = { [events] in events.emit(ImportEvent.notice($0)) }
    pulse.onNotice = patience.onNotice
    let start = HostLoop.uptime
    before = try await patience.repeating { [self] in try await imports.totals(record.id)?.counts ?? BlockCounts() }
    try await register()
    let watching = HostActor.task { [weak self] in
      do { while let self { try await self.watch() } } catch is CancellationError {} catch { self?.stop(error) }
    }
    do {
      try await plan()
      if makeSource != nil, !isPlanning {
        patience.onNotice("another machine reads \(record.identity.sourceName); this one helps to send its rows")
      }
      try await work()
    } catch { problem = problem ?? error }
    planning?.cancel()
    _ = await planning?.result
    watching.cancel()
    _ = await watching.result
    await leave()
    for connection in [plans, outcomes] where connection !== imports { await connection.close() }
    report.seconds = HostLoop.uptime - start
    events.emit(ImportEvent.progress(progress.last(report)))
    if let problem { throw (problem as? ImportError)?.with(report) ?? problem }
    return report
  }

  // MARK: Beginning and end

  private func register() async throws {
    let ahead = try await patience.repeating { [self] in
      try await imports.register(worker, on: record.id, seconds: times.lease, now: Double(time(nil)))
    }
    if abs(ahead) > 60 {
      patience.onNotice(
        "the clock of this machine is \(Self.seconds(abs(ahead))) s \(ahead > 0 ? "ahead of" : "behind") that of "
          + "\(imports.place): set it right, or servers may refuse its tokens")
    }
    pulse.begin(worker.id, on: record.id)
    pulse.onFailure = { [weak self] in self?.stop($0) }
    pulse.onFenced = { [weak self] in self?.engine?.stop(ImportError.fenced(self?.imports.place ?? "")) }
  }

  /// Whole seconds. A database may say anything.
  private static func seconds(_ seconds: Double) -> Int { Int(exactly: seconds.rounded()) ?? .max }

  /// Gives everything back. A database that is away is not waited for: its leases end by themselves.
  private func leave() async {
    let leaving = HostActor.task { [self] in
      var problem: (any Error)?
      let steps: [@HostActor () async throws -> Void] = [
        { [pulse] in try await pulse.tell() },
        { [pulse] in await pulse.end() },
        { [imports, record] in try await imports.moveLow(record.id) },
        { [imports, worker] in try await imports.unregister(worker.id) },
        { [self] in try await fillReport() },
        { [imports] in try await imports.dropBlocks() },
      ]
      for step in steps {
        // Each of them helps the others, whatever became of the one before.
        do { try await step() } catch { problem = problem ?? error }
      }
      if let problem { throw problem }
    }
    let limit = HostLoop.shared.schedule(after: 10) { leaving.cancel() }
    if case .failure(let error) = await leaving.result { problem = problem ?? error }
    HostLoop.shared.cancel(limit)
  }

  /// The report is about all machines, as far as the database can tell.
  private func fillReport() async throws {
    guard let now = try await imports.totals(record.id) else { return }
    let counts = now.counts
    (report.added, report.skipped, report.failed) = (counts.added, counts.skipped, counts.failed)
    report.unsettled = counts.unsettled + counts.unknown
    report.addedBefore = min(before.added, counts.added)
    report.resumed = min(before.settled, counts.settled)
    report.total = now.rows ?? max(planner?.rowsRead ?? 0, counts.settled + report.unsettled)
    report.unsent = max(0, report.total - counts.settled - counts.unknown)
    report.failures = try await imports.failures(of: record.id, after: 0, limit: ImportReport.maximumFailures).map {
      var row = $0.failure
      row.original = $0.original
      return row
    }
  }

  // MARK: Watching

  /// Looks at the import every second: its rate, pauses of the server, and its end.
  private func watch() async throws {
    try await patience.repeating { [self] in try await pulse.tell() }
    let found = try await patience.repeating { [self] in try await imports.status(record.id, worker: worker.id) }
    guard let found else { return stop(ImportError.sharedGone(record.identity.sourceName, imports.place)) }
    status = found
    if found.state == .stopped {
      stop(ImportError.sharedStopped(record.identity.sourceName, found.trouble))
    }
    engine?.limit(rowsPerSecond: found.rate.map { $0 / Double(found.workers) })
    if found.pause > 0 { engine?.pause(seconds: found.pause) }
    if let most = options.maximumFailures, found.othersFailed + (engine?.report.failed ?? 0) > most {
      let sentence = "more than \(counted(most, "row")) failed, on all machines together"
      try await patience.repeating { [self] in try await imports.stop(record.id, because: sentence) }
      stop(ImportError.sharedStopped(record.identity.sourceName, sentence))
    }
    progress.others = (found.othersAdded, found.othersFailed)
    progress.totalRows = found.rows
    // Between two sessions of this machine, the others go on.
    if engine == nil { events.emit(ImportEvent.progress(progress.snapshot())) }
    try await HostLoop.shared.sleep(seconds: 1)
  }

  private func stop(_ error: any Error) {
    problem = problem ?? error
    engine?.stop(error)
    planning?.cancel()
  }

  // MARK: Planning

  /// Begins to read the source, unless another machine reads it.
  private func plan() async throws {
    do { try await planOnce() } catch let error as ImportError where error.kind == .fenced {
      try await beginAnew()
      try await plan()
    }
  }

  private func planOnce() async throws {
    guard let makeSource else { return }
    let name = SharedImports.plannerLease(record.id)
    let lease = try await patience.repeating { [self] in
      try await Lease.take(name, owner: worker.id, seconds: times.lease, in: imports.database)
    }
    guard let lease else { return }
    pulse.keep(lease)
    let values = try await census()
    guard let current = try await patience.repeating({ [self] in try await imports.load(record.id) }) else { return }
    let planner = BlockPlanner(
      plans, current, try makeSource(), lease, patience, dedupe: options.dedupe, values: values)
    planner.onBlocks = { [weak self] in self?.blockSource?.ring() }
    planner.openBlocks = { [weak self] in self?.status.open ?? 0 }
    planner.pace = { [weak self] in self?.progress.rate ?? 0 }
    self.planner = planner
    isPlanning = true
    planning = HostActor.task { [weak self] in
      do { try await planner.run() } catch {
        // The rows before the error are good, and are sent. After a fence another machine, or this one again, reads on.
        let isFenced = (error as? ImportError)?.kind == .fenced
        if !isFenced, !(error is CancellationError) { self?.problem = self?.problem ?? error }
      }
      self?.isPlanning = false
      await self?.pulse.giveBack(lease)
      self?.blockSource?.ring()
    }
  }

  /// Counts the tasks before the first row is sent. Returns hashes of the values of `dedupe`.
  private func census() async throws -> Set<UInt64> {
    var isFirst = record.state == .open && record.baselineTotal == nil && record.planned == nil
    if isFirst {
      isFirst = try await patience.repeating { [self] in
        try await imports.knownBlocks(record.id, after: -1, limit: 1).isEmpty
      }
    }
    guard isFirst || options.dedupe != nil else { return [] }
    var options = options
    options.sharing = isFirst ? .alone : .settling
    let journal = BlockJournal(imports, record, worker: worker.id, patience, outcomes: outcomes)
    let engine = makeEngine(journal, options)
    self.engine = engine
    return try await engine.census()
  }

  // MARK: Working

  private func work() async throws {
    while problem == nil {
      try Task.checkCancellation()
      // Before the look: the planner may open the import again, and end, meanwhile.
      let wasPlanning = isPlanning
      // It had nothing to send when others took it for dead.
      if pulse.isFenced { try await beginAnew() }
      let found = try await patience.repeating { [self] in try await imports.status(record.id, worker: worker.id) }
      guard let found else { throw ImportError.sharedGone(record.identity.sourceName, imports.place) }
      status = found
      if found.state != .open, !wasPlanning { return }
      if found.free > 0 || isPlanning {
        try await sendBlocks()
      } else if found.planned == nil, !found.hasPlanner, makeSource != nil {
        try await plan()
        if !isPlanning { try await wait() }
      } else if found.planned == nil, !found.hasPlanner {
        // Nobody reads the source any more.
        guard found.claimed > 0 else { return }
        try await waitForOthers()
      } else if found.planned == nil || found.claimed > 0 {
        try await waitForOthers()
      } else if found.held > 0 {
        throw ImportError.blocksHeld(found.held, record.identity.sourceName, imports.place)
      } else if try await patience.repeating({ [self] in try await imports.finish(record.id) }) {
        return
      } else {
        try await settle()
      }
    }
  }

  private func wait() async throws { try await HostLoop.shared.sleep(seconds: 0.1) }

  /// Waits for the blocks of other machines, and tells of machines that say nothing any more.
  private func waitForOthers() async throws {
    try await wait()
    guard HostLoop.uptime - lastLook > 2 else { return }
    lastLook = HostLoop.uptime
    let holders = try await patience.repeating { [self] in
      try await imports.holders(of: record.id, except: worker.id, lease: times.lease)
    }
    for (holder, silence) in holders where silence > 1.5 * times.beat && silent.insert(holder.id).inserted {
      patience.onNotice(
        "waiting for \(counted(holder.blocks, "block")) of the machine \(holder.machine), which was last heard of "
          + "\(Self.seconds(silence)) s ago; others can send them \(Int(times.lease + times.grace)) s after that")
    }
  }

  private func makeEngine(_ journal: BlockJournal, _ options: ImportOptions) -> ImportEngine {
    let session = Events()
    session.watch(ImportEvent.self) { [weak self] event, _ in self?.pass(event) }
    let engine = ImportEngine(service: service, journal: journal, options: options, events: session)
    engine.isPermitted = { [pulse] in pulse.maySend }
    // Nothing is sent by a worker that others have taken for dead between two engines.
    if pulse.isFenced { engine.stop(ImportError.fenced(imports.place)) }
    engine.limit(rowsPerSecond: status.rate.map { $0 / Double(status.workers) })
    if status.pause > 0 { engine.pause(seconds: status.pause) }
    if progress.addedBefore + progress.others.added > 0 { engine.noteServerTakesRows() }
    engine.onPause = { [imports, record, patience] seconds in
      HostActor.task { try await patience.repeating { try await imports.pause(record.id, seconds: seconds) } }
    }
    return engine
  }

  private func pass(_ event: ImportEvent) {
    guard case .progress(let snapshot) = event else { return events.emit(event) }
    progress.note(snapshot, planner)
    if let report = engine?.report {
      pulse.added = progress.addedBefore + report.added
      pulse.failed = progress.failedBefore + report.failed
      pulse.rate = snapshot.rate
    }
    if !snapshot.isFinished { events.emit(ImportEvent.progress(progress.snapshot())) }
  }

  private func sendBlocks() async throws {
    // The tasks before the import have been counted meanwhile.
    guard let current = try await patience.repeating({ [self] in try await imports.load(record.id) }) else { return }
    let journal = BlockJournal(imports, current, worker: worker.id, patience, outcomes: outcomes)
    let source = BlockSource(
      journal,
      mayGrow: { [weak self] in
        guard let self else { return false }
        if self.isPlanning { return true }
        let now = try await patience.repeating { [self] in try await imports.status(record.id, worker: worker.id) }
        guard let now else { return false }
        status = now
        return now.planned == nil && now.hasPlanner || now.free > 0
      },
      claim: { [imports, record, worker, patience, planner] most in
        var isRepeated = false
        return try await patience.repeating {
          if isRepeated {
            try await imports.giveBackUnheld(Array(journal.held.keys), record.id, worker: worker.id)
          }
          isRepeated = true
          let blocks = try await imports.claim(
            most, record.id, worker: worker.id, honorsKey: journal.honorsIdempotencyKey == true,
            known: planner?.recent ?? [:])
          planner?.forget(blocks)
          return blocks
        }
      })
    var options = options
    options.sharing = .sending
    blockSource = source
    try await send(journal, source, options)
  }

  /// Sends rows until the source ends, and writes their outcomes. A worker that was taken for dead begins anew.
  private func send(_ journal: BlockJournal, _ source: any RowSource, _ options: ImportOptions) async throws {
    let engine = makeEngine(journal, options)
    self.engine = engine
    journal.onFailure = { [weak engine] in engine?.stop($0) }
    journal.begin()
    let result: Result<ImportReport, any Error>
    do { result = .success(try await engine.run(source)) } catch { result = .failure(error) }
    statistics = engine.statistics
    progress.end(engine.report)
    report.retried += engine.report.retried
    for (field, count) in engine.report.lost { report.lost[field, default: 0] += count }
    // A task of its own: the end of a canceled import is written, too.
    let closing = HostActor.task { [blockSource] in
      await blockSource?.end()
      try await journal.close()
    }
    let limit = Task.isCancelled ? HostLoop.shared.schedule(after: 10) { closing.cancel() } : nil
    let closed = await closing.result
    if let limit { HostLoop.shared.cancel(limit) }
    (self.engine, blockSource) = (nil, nil)
    if case .failure(let error as ImportError) = closed, error.kind == .fenced { return try await beginAnew() }
    if case .failure(let error as ImportError) = result, error.kind == .fenced { return try await beginAnew() }
    _ = try result.get()
    try closed.get()
  }

  /// Others have taken this worker for dead.
  private func beginAnew() async throws {
    patience.onNotice(ImportError.fenced(imports.place).message)
    planning?.cancel()
    _ = await planning?.result
    await pulse.end()
    worker.renew()
    pulse = WorkerPulse(imports, times)
    pulse.onNotice = patience.onNotice
    try await register()
  }

  // MARK: Settling

  /// Finds out the fate of rows without an answer, while nobody else adds tasks of this import.
  private func settle() async throws {
    let name = SharedImports.settleLease(record.id)
    let lease = try await patience.repeating { [self] in
      try await Lease.take(name, owner: worker.id, seconds: times.lease, in: imports.database)
    }
    guard let lease else { return try await wait() }
    pulse.keep(lease)
    defer { HostActor.task { [pulse] in await pulse.giveBack(lease) } }
    let blocks = try await patience.repeating { [self] in
      // The answer of an earlier try may have got lost.
      try await imports.giveBackUnheld([], record.id, worker: worker.id)
      return try await imports.claimUnknown(64, record.id, worker: worker.id, lease)
    }
    guard !blocks.isEmpty else { return try await wait() }
    let hashes = Set(blocks.flatMap { $0.openRows.compactMap { $0.draft.map { StableHash.of($0.text) } } })
    guard let current = try await patience.repeating({ [self] in try await imports.load(record.id) }) else { return }
    let facts = try await patience.repeating { [self] in
      BlockJournal.SettledFacts(
        baselineTotal: current.baselineTotal, baseline: try await imports.baselineCounts(record.id, of: hashes),
        addedTotal: try await imports.counts(record.id).added,
        added: try await imports.addedCounts(record.id, of: hashes))
    }
    let journal = BlockJournal(imports, current, worker: worker.id, patience, outcomes: outcomes, settled: facts)
    var left = blocks
    journal.hold(blocks)
    var options = options
    options.sharing = .settling
    let source = BlockSource(
      journal, mayGrow: { false },
      claim: { _ in
        defer { left = [] }
        return left
      })
    try await send(journal, source, options)
  }
}

extension ImportError {
  static func sharedStopped(_ source: String, _ reason: String?) -> ImportError {
    ImportError(
      kind: .stopped, message: "the import of \(source) stopped: \(reason ?? "another machine stopped it")",
      hint: "repeat the import: it continues, and sends no row twice")
  }

  static func blocksHeld(_ count: Int, _ source: String, _ place: String) -> ImportError {
    ImportError(
      kind: .stopped,
      message: "\(counted(count, "block")) of the import of \(source) in \(place) ended \(SharedImports.mostAttempts) "
        + "workers one after the other, or cannot be read, and \(count == 1 ? "is" : "are") held",
      hint:
        "look why the workers ended, and whether all machines have the same b2c-run; to try the blocks again, repeat "
        + "the import")
  }
}
