import Core
package import HostLoop
import JOSE
package import JSON
import PostgreSQL
package import Schedule
import Storage

/// Runs jobs: makes a row of each event, starts a process for each run, and records how it ends. It works in turns. Each
/// turn is one transaction of the store; what a turn sends out, it sends when the transaction is on the disk.
@HostActor
package final class JobHost {
  package struct Options: Sendable {
    /// The runs that go on at once.
    package var parallel = 4
    /// The milliseconds that a process has to end by itself.
    package var patience: Int64 = 10_000
    /// The folder of the state, with the logs.
    package var folder = "."
    /// The zone of times that name none.
    package var zone: Zone
    /// A number from 0 to 1.
    package var random: @Sendable () -> Double = { Double.random(in: 0...1) }
    /// The history of jobs that do not say how long.
    package var keep = Keep()
    /// False to keep all history.
    package var forgets = true
    /// True if the host looks at the clock by itself.
    package var isAlive = true
    /// The name of this machine among several with one database; nil where there is only one.
    package var machine: String?
    /// The folder of the logs, whose ends the other machines get.
    package var logs: String?

    /// Makes the digests of values that no history may have. The same key makes the same digests after a restart.
    package var digests = JobSeal(key: SecureRandom.bytes(32))

    package init(zone: Zone) { self.zone = zone }
  }

  /// For looks outside of turns.
  package let store: JobStore
  private let turnStore: JobStore
  private let launcher: any RunLauncher
  private let clock: any JobClock
  let options: Options
  /// The right to plan, and the seconds for which a turn renews it; nil while another machine has it. Without several
  /// machines there is no such right.
  private var lease: (right: Lease, seconds: Double)?
  /// True if this machine makes the rows of events and starts runs.
  package private(set) var isPlanning: Bool
  /// True if this machine plans, and has loaded the jobs.
  var isReady: Bool { isPlanning && last != nil }
  private(set) var model = JobModel()
  private var processes: [Int64: any RunProcess] = [:]
  private var inbox: [Input] = []
  private var timer: TimerQueue.ID?
  private var isSoon = false
  private var isTurning = false
  /// Grows when this machine stands by. A turn of an earlier era has lost its inputs.
  private var era = 0
  /// The clocks at the last turn; nil before the first one.
  private var last: Moment?
  private var upSince: Int64 = 0
  private var handedOver: Int64?
  private var isStopping = false
  /// True if the time for runs to end has passed.
  private var isDrained = false
  /// True if the runs that go on have been killed.
  private var isKilling = false
  private var whenIdle: CancellableWait<Void>?
  /// The runs that go on while this machine ends and another one plans; nil before.
  private(set) var drain: RunDrain?
  /// The absence of the database.
  private(set) var outage = Outage()
  /// The time in which turns fail for another reason, such as a broken disk.
  private var standstill = Outage()
  /// Passes on what this machine receives while another one plans.
  package var relay: JobRelay?

  /// Gets what a person should know.
  package var onMessage: ((Turn.LogLevel, String) -> Void)?
  private var observers: [(RunRecord) -> Void] = []

  /// Called when this machine plans, and has loaded the jobs.
  package var onPlanning: (() -> Void)?
  /// Called when another machine plans.
  package var onStandBy: (() -> Void)?

  /// Called when a person has allowed permissions to a job.
  package var onAllow: (() -> Void)?

  /// Gets the ID of each run that the history loses.
  package var onRemoval: ((Int64) -> Void)?

  /// Something that the next turn works on.
  private struct Input {
    /// Returns what is done after the transaction.
    let work: @HostActor (inout Turn) async throws -> (@HostActor () -> Void)?
    /// True for news that the next turn has to hear of if the store refuses this one. Whoever asks for something hears of
    /// the refusal at once.
    var isNews = false
    /// True if the rest of the turn makes no sense without it: the turn fails if the store refuses it.
    var isVital = false
    let failed: @HostActor (any Error) -> Void
  }

  /// - Parameters:
  ///   - store: for the transactions of turns.
  ///   - reading: for looks outside of turns, which wait for no turn; the same store if not given.
  package init(
    store: JobStore, reading: JobStore? = nil, launcher: any RunLauncher, clock: any JobClock, options: Options
  ) {
    turnStore = store
    self.store = reading ?? store
    isPlanning = options.machine == nil
    self.launcher = launcher
    self.clock = clock
    self.options = options
    for store in [turnStore, self.store] { store.onDamage { [weak self] in self?.onMessage?(.error, $0) } }
  }

  /// Calls `observer` with each run that has changed.
  package func observe(_ observer: @escaping (RunRecord) -> Void) { observers.append(observer) }

  func tell(_ run: RunRecord) { for observer in observers { observer(run) } }

  /// The name of this machine among several; nil where there is only one.
  package var machine: String? { options.machine }

  package var jobCount: Int { model.jobs.count }

  /// The zones of all due times.
  package var zones: [Zone] {
    model.jobs.values.flatMap { job in
      job.timers.compactMap { if case .time(let schedule) = $0.trigger { schedule.zone } else { nil } }
    }
  }

  /// The numbers of runs that go on and that wait for their turn.
  package var load: (running: Int, queued: Int) {
    (drain?.runs.count ?? model.ownProcesses.count, model.queue.count)
  }

  /// The runs that have a process of this machine.
  var running: [Int64] { model.ownProcesses }

  /// The runs that have a process of this machine, as messages name them: `slow run 140`.
  package var namesOfRunning: [String] { running.compactMap { id in model.runs[id].map { "\($0.job) run \(id)" } } }

  // MARK: Input

  /// Takes the jobs over and begins. Later calls take changed jobs over.
  package func load(_ definitions: [JobDefinition]) async throws {
    try await perform(isVital: true) { try await $0.load(definitions) }
  }

  /// Runs `body` in the next turn. Returns when its changes are on the disk.
  package func perform<Result: Sendable>(
    _ body: @escaping @HostActor (inout Turn) async throws -> Result
  ) async throws -> Result { try await perform(isVital: false, body) }

  private func perform<Result: Sendable>(
    isVital: Bool, _ body: @escaping @HostActor (inout Turn) async throws -> Result
  ) async throws -> Result {
    guard isPlanning else { throw JobError.standingBy }
    // Nobody waits for a database that is away.
    if let error = outage.error { throw error }
    let wait = CancellableWait<Result>()
    inbox.append(
      Input(
        work: { turn in
          let result = try await body(&turn)
          return { wait.finish(.success(result)) }
        }, isVital: isVital, failed: { wait.finish(.failure($0)) }))
    soon()
    // Whoever asks does not wait for the next try.
    if options.isAlive, standstill.error != nil { plan(after: 0) }
    return try await wait.value()
  }

  /// Runs `body` in a turn at once, for a host that does not look at the clock by itself.
  package func performNow<Result>(
    _ body: @escaping @HostActor (inout Turn) async throws -> Result
  ) async throws -> Result {
    var outcome: Swift.Result<Result, any Error> = .failure(JobError("no_turn", "the store refused the change"))
    inbox.append(
      Input(
        work: { turn in
          let result = try await body(&turn)
          return { outcome = .success(result) }
        }, failed: { outcome = .failure($0) }))
    await turn()
    return try outcome.get()
  }

  /// The process of a run has ended.
  package func processEnded(_ run: Int64, _ end: ProcessEnd) {
    if let drain { return drain.ended(run, end) }
    note(
      { turn in
        try await turn.keepLog(of: run)
        try await turn.processEnded(run, end)
      },
      failed: { [weak self] error in self?.note { try await $0.giveUp(run, error) } })
  }

  /// The process of a run has sent a message.
  package func processSaid(_ run: Int64, _ message: JSON) {
    if let drain { return drain.said(run, message) }
    note(
      { turn in
        guard let answer = try await turn.processSaid(run, message) else { return }
        turn.effects.append { $0.reply(run, answer) }
      },
      failed: { [weak self] in self?.refuse(message, of: run, $0) })
  }

  /// A message of a process cannot be stored: the script gets the error at its call.
  private func refuse(_ message: JSON, of run: Int64, _ error: any Error) {
    guard Turn.isAnswered(message) else {
      onMessage?(.error, "\(error)")
      return
    }
    let failure = error as? any Failure
    reply(
      run,
      .object([
        "error": RunError(
          code: failure?.code ?? "host_error", message: failure?.message ?? "\(error)", hint: failure?.hint
        ).json
      ]))
  }

  /// - Parameter failed: gets the error if the store refuses what `work` does, and takes the rest of the turn.
  private func note(
    _ work: @escaping @HostActor (inout Turn) async throws -> Void, isVital: Bool = false,
    failed: (@HostActor (any Error) -> Void)? = nil
  ) {
    // The machine that plans knows of no process of this one.
    guard isPlanning else { return }
    inbox.append(
      Input(
        work: {
          try await work(&$0)
          return nil
        }, isNews: true, isVital: isVital, failed: failed ?? { [weak self] in self?.onMessage?(.error, "\($0)") }))
    soon()
  }

  private func soon() {
    guard !isSoon else { return }
    isSoon = true
    if !options.isAlive || outage.error != nil || standstill.error != nil { return }
    plan(after: 0)
  }

  // MARK: Turns

  private func plan(after seconds: Double) {
    if let timer { HostLoop.shared.cancel(timer) }
    timer = HostLoop.shared.schedule(after: seconds) { [weak self] in
      HostActor.task { await self?.turn() }
    }
  }

  /// Does what is to be done now, unless another turn goes on, which plans the next one. Returns the milliseconds until
  /// there is more; nil if only an event can bring it.
  @discardableResult
  package func turn() async -> Int64? {
    guard isPlanning else { return nil }
    guard !isTurning else {
      isSoon = true
      return nil
    }
    isTurning = true
    defer { isTurning = false }
    isSoon = false
    let now = clock.now
    let jump = noteSleep(now)
    let inputs = inbox
    let era = era
    let outcome: Outcome
    do {
      do { outcome = try await attempt(inputs, now, jump) } catch  where error.isRefusal && era == self.era {
        // Nobody knows what the store has refused. Now each thing can fail alone.
        outcome = try await attempt(inputs, now, jump, isCareful: true)
      }
    } catch {
      guard era == self.era else { return nil }
      if (error as? JobError)?.code == JobError.fenced.code {
        standBy()
        return nil
      }
      if (error as? PostgresError)?.kind == .unknownCommit {
        // The model of this machine may differ from the store.
        onMessage?(.error, "this machine ends its runs and stands by: \(error)")
        standBy()
        return nil
      }
      inbox = inputs.filter(\.isNews) + inbox.dropFirst(inputs.count)
      for input in inputs where !input.isNews { input.failed(error) }
      let pause = failed(error)
      if options.isAlive { plan(after: pause) }
      return nil
    }
    noteBack()
    let (turn, started, answers) = (outcome.turn, outcome.started, outcome.answers)
    guard era == self.era else {
      for process in started.values { process.stop(kill: true) }
      return nil
    }
    last = now
    inbox.removeFirst(inputs.count)
    model = turn.model
    processes.merge(started) { $1 }
    for id in processes.keys where model.processes[id] == nil { processes[id] = nil }
    for effect in turn.effects { effect(self) }
    for answer in answers { answer() }
    // Somebody has ended all runs while the turn went on.
    if isKilling { for process in started.values { process.stop(kill: true) } }
    if processes.isEmpty { whenIdle?.finish(.success(())) }
    if !inbox.isEmpty || isSoon {
      if options.isAlive { plan(after: 0) }
      return 0
    }
    let pause = [turn.pause(isStopping: isStopping), clock.longestWait].compactMap(\.self).min()
    if options.isAlive, let pause { plan(after: Double(pause) / 1000) }
    return pause
  }

  /// The result of a turn, and the actions for the time after its transaction.
  @HostActor
  private struct Outcome {
    var turn: Turn
    var started: [Int64: any RunProcess] = [:]
    var answers: [@HostActor () -> Void] = []
  }

  /// Does the work of a turn in one transaction.
  /// - Parameter isCareful: true to let each thing fail alone, which takes more statements.
  private func attempt(
    _ inputs: [Input], _ now: Moment, _ jump: Int64?, isCareful: Bool = false
  ) async throws -> Outcome {
    var started: [Int64: any RunProcess] = [:]
    do {
      return try await turnStore.transaction { store in
        let lease = self.lease
        if let lease, try await !store.has(lease.right) { throw JobError.fenced }
        var outcome = Outcome(
          turn: Turn(
            model: self.model, store: store, now: now, upSince: self.upSince, options: self.options,
            isCareful: isCareful))
        if let jump { try await outcome.turn.clockWasSet(by: jump) }
        for input in inputs { try await self.work(input, &outcome) }
        // Whoever is not among them has said all before.
        let draining = self.options.machine == nil ? [:] : try await store.drainingOwners()
        // The jobs are known now. The policy of a job decides about its interrupted runs.
        if self.last == nil { try await outcome.turn.begin(self.launcher, &started, draining: draining) }
        if self.options.machine != nil, try await outcome.turn.takeInbox() { try await outcome.turn.endLost(draining) }
        // Due times that pass while a host ends are caught up later, as the jobs say.
        if !self.isStopping { try await outcome.turn.takeDueTimes() }
        try await outcome.turn.wake()
        try await outcome.turn.stopLateProcesses()
        if !self.isStopping { try await outcome.turn.start(self.launcher, &started) }
        // The last statement: the turn counts only if no other machine plans, and the row is locked for no longer.
        if let lease, try await !store.keep(lease.right, seconds: lease.seconds) { throw JobError.fenced }
        outcome.started = started
        return outcome
      }
    } catch {
      // None of it has happened. Processes that were started end, since nobody lets them begin.
      for process in started.values { process.stop(kill: true) }
      throw error
    }
  }

  /// Does one thing. An error about the thing itself goes to whoever asked for it, and changes nothing.
  private func work(_ input: Input, _ outcome: inout Outcome) async throws {
    var answer: (@HostActor () -> Void)?
    guard !input.isVital else {
      if let answer = try await input.work(&outcome.turn) { outcome.answers.append(answer) }
      return
    }
    let error = try await outcome.turn.alone { answer = try await input.work(&$0) }
    if let error {
      outcome.answers.append { input.failed(error) }
    } else if let answer {
      outcome.answers.append(answer)
    }
  }

  // MARK: The database is away

  /// Tells once of turns that fail. Returns the seconds until the next one. Nothing else begins it earlier: the processes that a
  /// failed turn has started end, and tell so.
  private func failed(_ error: any Error) -> Double {
    if noteOutage(error) { return outage.pause }
    if standstill.begin(error) { onMessage?(.error, "the jobs stand still: \(error)") }
    if isDrained { stopNow() }
    return standstill.pause
  }

  /// Tells once that the database cannot be used. Returns false for an error of another kind.
  @discardableResult
  package func noteOutage(_ error: any Error) -> Bool {
    guard options.machine != nil, let error = error as? PostgresError, error.isOutage else { return false }
    if outage.begin(error) {
      onMessage?(.error, "the database is away; runs go on, and what they say waits: \(error)")
    }
    return true
  }

  /// True for an error of the database about what it was given, and not about the database.
  package func isRefusal(_ error: any Error) -> Bool { !(error is JobError) && error.isRefusal }

  func noteBack() {
    if standstill.end() { onMessage?(.info, "the jobs go on") }
    guard outage.end() else { return }
    onMessage?(.info, "the database is back")
    if options.isAlive, isPlanning { plan(after: 0) }
  }

  // MARK: Several machines

  /// This machine plans from now on, the jobs with these definitions. Each turn keeps the right for so many seconds.
  /// - Parameter handedOver: the time in milliseconds since 1970 at which another machine still planned, if it handed over. Due
  ///   times since then passed while no machine was down.
  func plan(by lease: Lease, seconds: Double, _ definitions: [JobDefinition], handedOver: Int64?) {
    self.lease = (lease, seconds)
    self.handedOver = handedOver
    isPlanning = true
    last = nil
    // The next turns load the jobs, until one of them can.
    note(
      { turn in
        try await turn.load(definitions)
        turn.effects.append { host in
          host.onMessage?(.info, "this machine, \(host.machine ?? ""), plans the jobs")
          host.onPlanning?()
        }
      }, isVital: true)
  }

  /// Another machine plans, or may do so from now on. What this one has started ends, and what it knows is forgotten.
  func standBy() {
    guard isPlanning, options.machine != nil else { return }
    isPlanning = false
    era += 1
    lease = nil
    if let timer { HostLoop.shared.cancel(timer) }
    for process in processes.values { process.stop(kill: true) }
    processes = [:]
    model = JobModel()
    let inputs = inbox
    inbox = []
    for input in inputs where !input.isNews { input.failed(JobError.standingBy) }
    whenIdle?.finish(.success(()))
    onStandBy?()
  }

  /// Notices that the machine slept, and that the clock was set. Returns the milliseconds by which it was set.
  private func noteSleep(_ now: Moment) -> Int64? {
    guard let last else {
      upSince = min(handedOver ?? now.wall, now.wall)
      return nil
    }
    let slept = (now.sinceBoot - last.sinceBoot) - (now.awake - last.awake)
    if slept > 1000 { upSince = now.wall }
    let jump = (now.wall - last.wall) - (now.sinceBoot - last.sinceBoot)
    return abs(jump) > 1000 ? jump : nil
  }

  /// The clock may have been set.
  package func lookAtClock() { if options.isAlive, isPlanning, outage.error == nil { plan(after: 0) } }

  // MARK: Output

  func reply(_ run: Int64, _ answer: JSON) { processes[run]?.reply(answer) }

  func stopProcess(_ run: Int64, kill: Bool) { processes[run]?.stop(kill: kill) }

  /// The tail of a run's log, to be stored with its end.
  func logTail(of run: Int64) -> LogTail? { options.logs.flatMap { LogTail(of: run, in: $0) } }

  // MARK: The end

  /// Starts no more runs, and waits until those that go on have ended. After `seconds` it ends them.
  /// - Parameter handOver: lets another machine plan meanwhile; returns false if there is none.
  package func stop(drain seconds: Double, handOver: @HostActor () async -> Bool = { false }) async {
    isStopping = true
    // A turn that goes on may have started processes. A database that is away is not waited for.
    for _ in 0..<100 where isTurning { try? await HostLoop.shared.sleep(seconds: 0.02) }
    if !isKilling, !model.processes.isEmpty, await handOver(), let drain {
      let limit = HostLoop.shared.schedule(after: seconds) { [options] in drain.shutDown(patience: options.patience) }
      defer { HostLoop.shared.cancel(limit) }
      return await drain.finish()
    }
    guard !processes.isEmpty else { return }
    let idle = CancellableWait<Void>()
    whenIdle = idle
    let limit = HostLoop.shared.schedule(after: seconds) { [weak self] in self?.stopAll() }
    defer { HostLoop.shared.cancel(limit) }
    try? await idle.value()
    // A second request to stop.
    isKilling = true
    for process in processes.values { process.stop(kill: true) }
  }

  /// Ends the runs that go on at once.
  package func stopNow() {
    isKilling = true
    for process in processes.values { process.stop(kill: true) }
    drain?.stopNow()
    whenIdle?.finish(.success(()))
  }

  /// Gives the right to plan away while the processes of this machine go on. `release` stores that with the messages, in one
  /// transaction. Returns false if this machine still plans, or has lost that right already.
  func handOver(as machine: JobMachine, _ release: @HostActor ([JobStore.Message]) async throws -> Void) async -> Bool {
    // Messages that have come already belong into turns of this machine.
    for _ in 0..<100 where isTurning || !inbox.isEmpty { try? await HostLoop.shared.sleep(seconds: 0.02) }
    guard isReady, !isTurning, inbox.isEmpty, outage.error == nil else { return false }
    isPlanning = false
    if let timer { HostLoop.shared.cancel(timer) }
    let drain = RunDrain(self, machine, processes)
    self.drain = drain
    let notes = model.processes.sorted { $0.key < $1.key }.map { id, notes in
      drain.message(id, notes.owner ?? machine.owner, ["notes": notes.json(now: clock.now)])
    }
    do { try await release(notes) } catch {
      self.drain = nil
      isPlanning = true
      noteOutage(error)
      for news in drain.takeBack() {
        switch news {
        case .said(let run, let message): processSaid(run, message)
        case .ended(let run, let end): processEnded(run, end)
        }
      }
      plan(after: 0)
      return false
    }
    era += 1
    lease = nil
    model = JobModel()
    processes = [:]
    drain.begin()
    onStandBy?()
    return true
  }

  private func stopAll() {
    isDrained = true
    // The next start finds the runs interrupted.
    if outage.error != nil || standstill.error != nil { return stopNow() }
    note { turn in for id in turn.model.ownProcesses { try await turn.stop(id, .shutdown) } }
  }
}
