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

    package init(zone: Zone) { self.zone = zone }
  }

  package let store: JobStore
  private let launcher: any RunLauncher
  private let clock: any JobClock
  private let options: Options
  private(set) var model = JobModel()
  private var processes: [Int64: any RunProcess] = [:]
  private var inbox: [Input] = []
  private var timer: TimerQueue.ID?
  private var isSoon = false
  /// The clocks at the last turn; nil before the first one.
  private var last: Moment?
  private var upSince: Int64 = 0
  private var isStopping = false
  private var whenIdle: CancellableWait<Void>?

  /// Gets what a person should know.
  package var onMessage: ((Turn.LogLevel, String) -> Void)?
  private var observers: [(RunRecord) -> Void] = []

  /// Gets the ID of each run that the history loses.
  package var onRemoval: ((Int64) -> Void)?

  /// Something that the next turn works on.
  private struct Input {
    /// Returns what is done after the transaction.
    let work: @HostActor (inout Turn) throws -> (@HostActor () -> Void)?
    /// True for news that the next turn has to hear of if the store refuses this one. Whoever asks for something hears of
    /// the refusal at once.
    var isNews = false
    let failed: @HostActor (any Error) -> Void
  }

  package init(store: JobStore, launcher: any RunLauncher, clock: any JobClock, options: Options) {
    self.store = store
    self.launcher = launcher
    self.clock = clock
    self.options = options
  }

  /// Calls `observer` with each run that has changed.
  package func observe(_ observer: @escaping (RunRecord) -> Void) { observers.append(observer) }

  func tell(_ run: RunRecord) { for observer in observers { observer(run) } }

  /// The paths at which jobs take requests, with the names of the jobs.
  package var hooks: [(job: String, hook: Trigger.Hook)] {
    model.jobs.sorted { $0.key < $1.key }.flatMap { name, job in
      (job.declaration?.triggers ?? []).compactMap { if case .webhook(let hook) = $0 { (name, hook) } else { nil } }
    }
  }

  /// The zones of all due times.
  package var zones: [Zone] {
    model.jobs.values.flatMap { job in
      job.timers.compactMap { if case .time(let schedule) = $0.trigger { schedule.zone } else { nil } }
    }
  }

  /// True if a run waits for a request at this path.
  package func waits(for path: String) -> Bool {
    model.runs.values.contains { $0.event["waits"]?["path"]?.string == path }
  }

  /// The numbers of runs that go on and that wait for their turn.
  package var load: (running: Int, queued: Int) { (model.processes.count, model.queue.count) }

  /// The runs that have a process.
  var running: [Int64] { Array(model.processes.keys) }

  // MARK: Input

  /// Takes the jobs over and begins. Later calls take changed jobs over.
  package func load(_ definitions: [JobDefinition]) async throws { try await perform { try $0.load(definitions) } }

  /// Runs `body` in the next turn. Returns when its changes are on the disk.
  package func perform<Result: Sendable>(
    _ body: @escaping @HostActor (inout Turn) throws -> Result
  ) async throws -> Result {
    let wait = CancellableWait<Result>()
    inbox.append(
      Input(
        work: { turn in
          let result = try body(&turn)
          return { wait.finish(.success(result)) }
        }, failed: { wait.finish(.failure($0)) }))
    soon()
    return try await wait.value()
  }

  /// Runs `body` in a turn at once, for a host that does not look at the clock by itself.
  package func performNow<Result>(_ body: @escaping @HostActor (inout Turn) throws -> Result) throws -> Result {
    var outcome: Swift.Result<Result, any Error> = .failure(JobError("no_turn", "the store refused the change"))
    inbox.append(
      Input(
        work: { turn in
          let result = try body(&turn)
          return { outcome = .success(result) }
        }, failed: { outcome = .failure($0) }))
    turn()
    return try outcome.get()
  }

  /// The process of a run has ended.
  package func processEnded(_ run: Int64, _ end: ProcessEnd) {
    note { turn in try turn.processEnded(run, end) }
  }

  /// The process of a run has sent a message.
  package func processSaid(_ run: Int64, _ message: JSON) {
    note { turn in try turn.processSaid(run, message) }
  }

  private func note(_ work: @escaping @HostActor (inout Turn) throws -> Void) {
    inbox.append(
      Input(
        work: {
          try work(&$0)
          return nil
        }, isNews: true, failed: { [weak self] in self?.onMessage?(.error, "\($0)") }))
    soon()
  }

  private func soon() {
    guard !isSoon else { return }
    isSoon = true
    if !options.isAlive { return }
    plan(after: 0)
  }

  // MARK: Turns

  private func plan(after seconds: Double) {
    if let timer { HostLoop.shared.cancel(timer) }
    timer = HostLoop.shared.schedule(after: seconds) { [weak self] in self?.turn() }
  }

  /// Does what is to be done now. Returns the milliseconds until there is more; nil if only an event can bring it.
  @discardableResult
  package func turn() -> Int64? {
    isSoon = false
    let now = clock.now
    let jump = noteSleep(now)
    var turn = Turn(model: model, store: store, now: now, upSince: upSince, options: options)
    let inputs = inbox
    var started: [Int64: any RunProcess] = [:]
    var answers: [@HostActor () -> Void] = []
    do {
      try store.transaction {
        if let jump { try turn.clockWasSet(by: jump) }
        for input in inputs { try work(input, &turn, &answers) }
        // The jobs are known now. The policy of a job decides about its interrupted runs.
        if last == nil { try turn.begin(launcher, &started) }
        try turn.takeDueTimes()
        try turn.wake()
        turn.stopLateProcesses()
        if !isStopping { try turn.start(launcher, &started) }
      }
    } catch {
      // None of it has happened. Processes that were started end, since nobody lets them begin.
      for process in started.values { process.stop(kill: true) }
      onMessage?(.error, "the jobs stand still: \(error)")
      inbox = inputs.filter(\.isNews) + inbox.dropFirst(inputs.count)
      for input in inputs where !input.isNews { input.failed(error) }
      if options.isAlive { plan(after: Self.pauseAfterFailure) }
      return nil
    }
    last = now
    inbox.removeFirst(inputs.count)
    model = turn.model
    processes.merge(started) { $1 }
    for id in processes.keys where model.processes[id] == nil { processes[id] = nil }
    for effect in turn.effects { effect(self) }
    for answer in answers { answer() }
    if processes.isEmpty { whenIdle?.finish(.success(())) }
    if !inbox.isEmpty || isSoon {
      if options.isAlive { plan(after: 0) }
      return 0
    }
    let pause = [turn.pause(), clock.longestWait].compactMap(\.self).min()
    if options.isAlive, let pause { plan(after: Double(pause) / 1000) }
    return pause
  }

  private static let pauseAfterFailure = 5.0

  /// Does one thing. An error about the thing itself goes to whoever asked for it, and changes nothing.
  private func work(_ input: Input, _ turn: inout Turn, _ answers: inout [@HostActor () -> Void]) throws {
    let (model, effects) = (turn.model, turn.effects)
    do { if let answer = try input.work(&turn) { answers.append(answer) } } catch let error as JobError {
      (turn.model, turn.effects) = (model, effects)
      answers.append { input.failed(error) }
    }
  }

  /// Notices that the machine slept, and that the clock was set. Returns the milliseconds by which it was set.
  private func noteSleep(_ now: Moment) -> Int64? {
    guard let last else {
      upSince = now.wall
      return nil
    }
    let slept = (now.sinceBoot - last.sinceBoot) - (now.awake - last.awake)
    if slept > 1000 { upSince = now.wall }
    let jump = (now.wall - last.wall) - (now.sinceBoot - last.sinceBoot)
    return abs(jump) > 1000 ? jump : nil
  }

  /// The clock may have been set.
  package func lookAtClock() { if options.isAlive { plan(after: 0) } }

  // MARK: Output

  func reply(_ run: Int64, _ answer: JSON) { processes[run]?.reply(answer) }

  func stopProcess(_ run: Int64, kill: Bool) { processes[run]?.stop(kill: kill) }

  // MARK: The end

  /// Starts no more runs, and waits until those that go on have ended. After `drain` seconds it ends them.
  package func stop(drain: Double) async {
    isStopping = true
    guard !processes.isEmpty else { return }
    let idle = CancellableWait<Void>()
    whenIdle = idle
    let limit = HostLoop.shared.schedule(after: drain) { [weak self] in self?.stopAll() }
    defer { HostLoop.shared.cancel(limit) }
    try? await idle.value()
    // A second request to stop.
    if !processes.isEmpty { for process in processes.values { process.stop(kill: true) } }
  }

  /// Ends the runs that go on at once.
  package func stopNow() {
    for process in processes.values { process.stop(kill: true) }
    whenIdle?.finish(.success(()))
  }

  private func stopAll() {
    note { turn in for id in turn.model.processes.keys { turn.stop(id, .shutdown) } }
  }
}
