import Databases
package import HostLoop
package import ImportEngine
package import ImportFormats
package import TaskAPI

/// The part of this machine in an import that several machines share: it plans the rows of a source in blocks, if it has
/// the source, and sends the rows of blocks. Used once.
///
/// Three tasks work beside the sessions that send: the pulse of the worker, the planning, and the watch of the import. They
/// talk to the run by signals.
@HostActor
package final class SharedRun {
  package let record: SharedImport
  package let events: Events
  private let database: PatientImports
  private let options: ImportOptions
  private let worker: SharedWorker
  private let planning: SharedPlanning
  private let sessions: SharedSessions
  private let figures = SharedFigures()
  private let signals = AsyncStream<SharedSignal>.makeStream()
  private var status = SharedStatus() {
    didSet { worker.load.openBlocks = status.blocks.count }
  }
  /// The first reason to end, except one of the planning.
  private var problem: (any Error)?

  package init(
    _ imports: SharedImports, _ record: SharedImport, service: any TaskService, options: ImportOptions, events: Events,
    worker: WorkerIdentity, times: SharedTimes = .usual
  ) {
    self.record = record
    self.options = options
    self.events = events
    let signals = signals.continuation
    database = PatientImports(imports, record.id, DatabasePatience(imports.place, signals))
    self.worker = SharedWorker(worker, database, times, signals)
    planning = SharedPlanning(database.another(), signals)
    planning.keepsParents = service.unkept(among: [TaskField.parent.rawValue]).isEmpty
    sessions = SharedSessions(service, options, events, database, self.worker, planning, figures, signals)
  }

  package var imports: SharedImports { database.imports }
  package var report: ImportReport { figures.report }
  package var statistics: ImportStatistics { figures.statistics }

  /// Works on the import until it is done, and returns its report. Without a source it returns when nothing is left to
  /// do for this machine. Throws `CancellationError` after a cancellation: blocks that are not done have been given back.
  /// - Parameter source: opens the source, perhaps more than once; nil for a machine that only helps.
  package func run(
    planning source: (@HostActor () throws -> any RowSource)? = nil
  ) async throws -> ImportReport {
    planning.source = source
    let listening = HostActor.task { [self] in for await signal in signals.stream { take(signal) } }
    do {
      figures.before = try await database.counts()
      try await worker.register()
    } catch {
      signals.continuation.finish()
      _ = await listening.result
      throw error
    }
    let watching = HostActor.task { [self] in
      do { while true { try await watch() } } catch is CancellationError {} catch { stop(error) }
    }
    do {
      try await plan()
      if source != nil, !planning.isRunning {
        tell("another machine reads \(record.identity.sourceName); this one helps to send its rows")
      }
      try await work()
    } catch { note(error) }
    await planning.end()
    watching.cancel()
    _ = await watching.result
    await leave()
    await planning.close()
    await sessions.close()
    signals.continuation.finish()
    _ = await listening.result
    events.emit(ImportEvent.progress(figures.finish()))
    if let problem = firstProblem { throw (problem as? ImportError)?.with(report) ?? problem }
    return report
  }

  /// Gives everything back. A database that is away is not waited for: its leases end by themselves.
  private func leave() async {
    let leaving = HostActor.task { [self] in
      var problem: (any Error)?
      let steps: [@HostActor () async throws -> Void] = [
        { [self] in try await worker.pulse.tell() },
        { [self] in await worker.pulse.end() },
        { [self] in try await imports.moveLow(record.id) },
        { [self] in try await imports.unregister(worker.id) },
        { [self] in try await figures.fill(imports, record.id, rowsRead: planning.planner?.rowsRead ?? 0) },
        { [self] in try await imports.dropBlocks() },
      ]
      for step in steps {
        // Each of them helps the others, whatever became of the one before.
        do { try await step() } catch { problem = problem ?? error }
      }
      if let problem { throw problem }
    }
    let limit = HostLoop.shared.schedule(after: 10) { leaving.cancel() }
    if case .failure(let error) = await leaving.result { note(error) }
    HostLoop.shared.cancel(limit)
  }

  // MARK: Signals

  private func take(_ signal: SharedSignal) {
    switch signal {
    case .notice(let sentence): tell(sentence)
    case .planned: sessions.ring()
    case .pause(let seconds): HostActor.task { [database] in try await database.pause(seconds: seconds) }
    case .fenced(let error, let id): if id == worker.id { sessions.stop(error) }
    case .failed(let error): stop(error)
    }
  }

  private func tell(_ sentence: String) { events.emit(ImportEvent.notice(sentence)) }

  /// The first reason to end, perhaps one of the planning.
  private var firstProblem: (any Error)? { problem ?? planning.problem }

  private func note(_ error: any Error) { problem = firstProblem ?? error }

  private func stop(_ error: any Error) {
    note(error)
    sessions.stop(error)
    planning.cancel()
  }

  /// Looks at the import every second: its rate, pauses of the server, and its end.
  private func watch() async throws {
    try await database.tell(worker.pulse)
    guard let found = try await database.status(for: worker.id) else {
      return stop(ImportError.sharedGone(record.identity.sourceName, imports.place))
    }
    status = found
    if found.state == .stopped {
      stop(ImportError.sharedStopped(record.identity.sourceName, found.trouble))
    }
    sessions.follow(found)
    if let most = options.maximumFailures, found.others.failed + sessions.failed > most {
      let sentence = "more than \(counted(most, "row")) failed, on all machines together"
      try await database.stop(because: sentence)
      stop(ImportError.sharedStopped(record.identity.sourceName, sentence))
    }
    figures.note(found)
    // Between two sessions of this machine, the others go on.
    if sessions.isIdle { events.emit(ImportEvent.progress(figures.snapshot())) }
    try await HostLoop.shared.sleep(seconds: 1)
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
    guard planning.source != nil, let lease = try await take(lease: SharedImports.plannerLease(record.id)) else {
      return
    }
    let values = try await census()
    guard let current = try await database.load() else { return }
    try planning.begin(current, lease, Dedupe(field: options.dedupe, values: values), for: worker)
  }

  /// Takes a lease that the pulse keeps; nil if another machine has it.
  private func take(lease name: String) async throws -> Lease? {
    let lease = try await database.take(name, for: worker.id, seconds: worker.times.lease)
    if let lease { worker.pulse.keep(lease) }
    return lease
  }

  /// Counts the tasks before the first row is sent. Returns hashes of the values of `dedupe`.
  private func census() async throws -> Set<UInt64> {
    var isFirst = record.state == .open && record.server.baselineTotal == nil && record.plan.blocks == nil
    if isFirst { isFirst = try await database.knownBlocks(after: -1, limit: 1).isEmpty }
    guard isFirst || options.dedupe != nil else { return [] }
    return try await sessions.census(record, isFirst: isFirst, status)
  }

  // MARK: Working

  private func work() async throws {
    while problem == nil {
      try Task.checkCancellation()
      // Before the look: the planner may open the import again, and end, meanwhile.
      let wasPlanning = planning.isRunning
      if planning.problem != nil, !wasPlanning { return }
      // It had nothing to send when others took it for dead.
      if worker.isFenced { try await beginAnew() }
      guard let found = try await database.status(for: worker.id) else {
        throw ImportError.sharedGone(record.identity.sourceName, imports.place)
      }
      status = found
      if found.state != .open, !wasPlanning { return }
      do { if try await step(found) { return } } catch let error as ImportError where error.kind == .fenced {
        try await beginAnew()
      }
    }
  }

  /// Does what is next. Returns true if nothing is left to do for this machine.
  private func step(_ found: SharedStatus) async throws -> Bool {
    let isUnread = found.planned == nil && !found.hasPlanner
    if found.blocks.free > 0 || planning.isRunning {
      // The tasks before the import have been counted meanwhile.
      if let current = try await database.load() { try await sessions.send(current, status) }
    } else if isUnread, planning.source != nil {
      try await plan()
      if !planning.isRunning { try await SharedWorker.wait() }
    } else if isUnread, found.blocks.claimed == 0 {
      // Nobody reads the source any more.
      return true
    } else if found.planned == nil || found.blocks.claimed > 0 {
      try await worker.waitForOthers()
    } else if found.blocks.held > 0 {
      throw ImportError.blocksHeld(found.blocks.held, record.identity.sourceName, imports.place)
    } else if try await database.finish() {
      return true
    } else {
      try await settle()
    }
    return false
  }

  /// Others have taken this worker for dead.
  private func beginAnew() async throws {
    tell(ImportError.fenced(imports.place).message)
    await planning.end()
    try await worker.renew()
  }

  /// Finds out the fate of rows without an answer, while nobody else adds tasks of this import.
  private func settle() async throws {
    guard let lease = try await take(lease: SharedImports.settleLease(record.id)) else {
      return try await SharedWorker.wait()
    }
    defer { HostActor.task { [pulse = worker.pulse] in await pulse.giveBack(lease) } }
    let blocks = try await database.claimUnknown(64, for: worker.id, lease)
    guard !blocks.isEmpty else { return try await SharedWorker.wait() }
    guard let current = try await database.load() else { return }
    try await sessions.settle(blocks, current, status)
  }
}
