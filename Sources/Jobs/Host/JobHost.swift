import Core
import Databases
package import HostLoop
package import JSON
package import JobConditions
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
  var turns = TurnQueue()
  var ending = HostEnding() { didSet { noteCondition() } }
  /// Why the store cannot be used.
  var trouble = StoreTrouble() { didSet { noteCondition() } }
  var loading = JobLoading()
  var watchers = HostWatchers()
  /// Takes what this machine receives while another one plans; nil where there is only one.
  package var relay: (any JobDesk)?

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
    if options.isAlive { turns.makeTurn = { [weak self] in await self?.turn() } }
    for store in [turnStore, self.store] { store.onDamage { [weak self] in self?.log(.error, $0) } }
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

  /// The memory of a machine that plans; nil for one that does not.
  var plan: Plan? { if case .planning(let plan) = role { plan } else { nil } }
  /// True if this machine makes the rows of events and starts runs.
  package var isPlanning: Bool { plan != nil }
  /// True if this machine plans, and has loaded the jobs.
  var isReady: Bool { plan?.last != nil }
  /// The jobs and runs; empty on a machine that does not plan.
  var model: JobModel { plan?.model ?? JobModel() }
  /// The runs that go on while this machine ends and another one plans; nil before.
  var drain: RunDrain? { if case .draining(let drain) = role { drain } else { nil } }

  /// The name of this machine among several; nil where there is only one.
  package var machine: String? { options.machine }

  /// True if the host ends.
  package var isStopping: Bool { ending.isStopping }

  /// The zones of all due times.
  package var zones: [Zone] {
    model.jobs.values.flatMap { job in
      job.timers.compactMap { if case .time(let schedule) = $0.trigger { schedule.zone } else { nil } }
    }
  }

  // MARK: Input

  /// Takes the jobs over and begins. Later calls take changed jobs over.
  package func load(_ definitions: [JobDefinition]) async throws {
    let isFirst = if case .loading = role { become(.planning(Plan(definitions, by: .folder))) } else { false }
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
    if let error = trouble.outage.error { throw error }
    let wait = CancellableWait<Result>()
    add(
      TurnQueue.Input(
        work: { turn in
          let result = try await body(&turn)
          return { wait.finish(.success(result)) }
        }, failed: { wait.finish(.failure($0)) }))
    // Whoever asks does not wait for the next try.
    if isPlanning, trouble.standstill.error != nil { turns.plan(after: 0) }
    return try await wait.value()
  }

  /// Runs `body` in a turn at once, for a host that does not look at the clock by itself.
  package func performNow<Result>(
    _ body: @escaping @HostActor (inout Turn) async throws -> Result
  ) async throws -> Result {
    var outcome: Swift.Result<Result, any Error> = .failure(JobError("no_turn", "the store refused the change"))
    turns.inputs.append(
      TurnQueue.Input(
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
    let end = ending.isKilling ? ProcessEnd.unknown : end
    note(
      { turn in
        try await turn.keepLog(of: run)
        try await turn.processEnded(run, end)
      },
      failed: { [weak self] error in self?.note { try await $0.giveUp(run, error) } })
  }

  /// The process of a run has sent a message.
  package func processSaid(_ run: Int64, _ message: JSON) {
    do throws(JobError) { said(run, try RunMessage(message)) } catch { log(.error, "the run \(run): \(error)") }
  }

  func said(_ run: Int64, _ message: RunMessage) {
    if let drain { return drain.said(run, message) }
    note(
      { turn in
        guard let reply = try await turn.processSaid(run, message) else { return }
        turn.effects.append { $0.reply(run, reply) }
      },
      failed: { [weak self] error in
        guard let self else { return }
        // The script gets the error at its call.
        if message.isAnswered { reply(run, .failed(RunError(error))) } else { log(.error, "\(error)") }
      })
  }

  private func reply(_ run: Int64, _ reply: RunReply) { plan?.processes[run]?.reply(reply) }

  /// - Parameter failed: gets the error if the store refuses what `work` does, and takes the rest of the turn.
  func note(
    _ work: @escaping @HostActor (inout Turn) async throws -> Void,
    failed: (@HostActor (any Error) -> Void)? = nil
  ) {
    // The machine that plans knows of no process of this one.
    guard isPlanning else { return }
    add(
      TurnQueue.Input(
        work: {
          try await work(&$0)
          return nil
        }, isNews: true, failed: failed ?? { [weak self] in self?.log(.error, "\($0)") }))
  }

  /// The next turn works on this, and comes at once unless the store cannot be used.
  private func add(_ input: TurnQueue.Input) {
    turns.inputs.append(input)
    // The first turn comes with the definitions.
    guard isPlanning, !turns.isSoon else { return }
    turns.isSoon = true
    if trouble.isNone { turns.plan(after: 0) }
  }
}
