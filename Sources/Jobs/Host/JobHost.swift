import Core
import Databases
package import HostLoop
package import JSON
package import Schedule

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

    package init(zone: Zone) { self.zone = zone }
  }

  /// For looks outside of turns.
  package let store: JobStore
  let turnStore: JobStore
  let launcher: any RunLauncher
  let clock: any JobClock
  let options: Options
  private(set) var role: Role
  var model = JobModel()
  var processes: [Int64: any RunProcess] = [:]
  var inbox: [Input] = []
  var timer: TimerQueue.ID?
  var isSoon = false
  var isTurning = false
  /// Grows when this machine does not plan any more. A turn of an earlier era has lost its inputs.
  var era = 0
  var upSince: Int64 = 0
  var isStopping = false { didSet { noteCondition() } }
  /// True if the time for runs to end has passed.
  var isDrained = false
  /// True if the runs that go on have been killed.
  var isKilling = false
  var whenIdle: CancellableWait<Void>?
  /// The absence of the database.
  var outage = Outage() { didSet { noteCondition() } }
  /// The time in which turns fail for another reason, such as a broken disk.
  var standstill = Outage() { didSet { noteCondition() } }
  /// The jobs whose definitions have been read, and all of them, while this machine loads them.
  package var read = (known: 0, of: 0) { didSet { noteCondition() } }
  /// Ended when the jobs are known.
  var whenLoaded: [CancellableWait<Void>] = []
  var told: HostCondition?
  /// Passes on what this machine receives while another one plans.
  package var relay: JobRelay?

  /// Gets what a person should know.
  package var onMessage: ((Turn.LogLevel, String) -> Void)?
  /// Gets each new condition of the host.
  package var onCondition: ((HostCondition) -> Void)?
  private var observers: [(RunRecord) -> Void] = []

  /// Called when this machine plans, and has loaded the jobs.
  package var onPlanning: (() -> Void)?
  /// Called when another machine plans.
  package var onStandBy: (() -> Void)?

  /// Gets the ID of each run that the history loses.
  package var onRemoval: ((Int64) -> Void)?

  /// Something that the next turn works on.
  struct Input {
    /// Returns what is done after the transaction.
    let work: @HostActor (inout Turn) async throws -> (@HostActor () -> Void)?
    /// True for news that the next turn has to hear of if the store refuses this one. Whoever asks for something hears of
    /// the refusal at once.
    var isNews = false
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
    self.launcher = launcher
    self.clock = clock
    self.options = options
    role = options.machine == nil ? .loading : .standingBy
    for store in [turnStore, self.store] { store.onDamage { [weak self] in self?.onMessage?(.error, $0) } }
  }

  // MARK: The part of this machine

  /// Takes another part. Returns false, and changes nothing, if the present one does not lead there.
  @discardableResult
  func become(_ next: Role) -> Bool {
    guard role.leads(to: next) else { return false }
    role = next
    noteCondition()
    return true
  }

  /// A turn is on the disk.
  func hasTurned(at moment: Moment) {
    guard case .planning(var plan) = role else { return }
    plan.progress = .going(moment)
    role = .planning(plan)
    noteCondition()
  }

  /// True if this machine makes the rows of events and starts runs.
  package var isPlanning: Bool { if case .planning = role { true } else { false } }
  /// True if this machine plans, and has loaded the jobs.
  var isReady: Bool { if case .planning(let plan) = role { plan.last != nil } else { false } }
  /// The runs that go on while this machine ends and another one plans; nil before.
  var drain: RunDrain? { if case .draining(let drain) = role { drain } else { nil } }

  /// Calls `observer` with each run that has changed.
  package func observe(_ observer: @escaping (RunRecord) -> Void) { observers.append(observer) }

  func tell(_ run: RunRecord) { for observer in observers { observer(run) } }

  /// The name of this machine among several; nil where there is only one.
  package var machine: String? { options.machine }

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
    let isFirst = if case .loading = role { become(.planning(Plan(definitions))) } else { false }
    let work: @HostActor (inout Turn) async throws -> Void = { turn in
      if !isFirst { try await turn.load(definitions) }
    }
    if options.isAlive { try await perform(work) } else { try await performNow(work) }
    noteCondition()
  }

  /// Runs `body` in the next turn. Returns when its changes are on the disk. While the jobs are being read, it waits.
  package func perform<Result: Sendable>(
    _ body: @escaping @HostActor (inout Turn) async throws -> Result
  ) async throws -> Result {
    switch role {
    case .loading, .planning: break
    case .standingBy, .draining: throw JobError.standingBy
    case .ended: throw JobError.ended
    }
    // Nobody waits for a database that is away.
    if let error = outage.error { throw error }
    let wait = CancellableWait<Result>()
    inbox.append(
      Input(
        work: { turn in
          let result = try await body(&turn)
          return { wait.finish(.success(result)) }
        }, failed: { wait.finish(.failure($0)) }))
    soon()
    // Whoever asks does not wait for the next try.
    if options.isAlive, isPlanning, standstill.error != nil { plan(after: 0) }
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
    // This host has killed it. What its end looks like says nothing about the run.
    let end = isKilling ? ProcessEnd.unknown : end
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
  func note(
    _ work: @escaping @HostActor (inout Turn) async throws -> Void,
    failed: (@HostActor (any Error) -> Void)? = nil
  ) {
    // The machine that plans knows of no process of this one.
    guard isPlanning else { return }
    inbox.append(
      Input(
        work: {
          try await work(&$0)
          return nil
        }, isNews: true, failed: failed ?? { [weak self] in self?.onMessage?(.error, "\($0)") }))
    soon()
  }

  private func soon() {
    // The first turn comes with the definitions.
    guard isPlanning, !isSoon else { return }
    isSoon = true
    if !options.isAlive || outage.error != nil || standstill.error != nil { return }
    plan(after: 0)
  }
}
