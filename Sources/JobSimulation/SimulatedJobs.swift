package import HostLoop
package import JSON
import JobConditions
package import Jobs

/// A job host with a clock of its own and without processes, so that a year of schedules takes a second. Everything
/// else is the real host with a store in memory.
@HostActor
package final class SimulatedJobs {
  /// The behavior of a run's process.
  package struct Behavior: Sendable {
    /// In milliseconds.
    package var duration: Int64 = 0
    package var end = ProcessEnd.status(0)
    /// The messages of the script, before it ends.
    package var messages: [JSON] = []

    package init(duration: Int64 = 0, end: ProcessEnd = .status(0), messages: [JSON] = []) {
      self.duration = duration
      self.end = end
      self.messages = messages
    }

    package static func failing(_ code: String, _ message: String) -> Behavior {
      Behavior(end: .status(1), messages: [RunMessage.error(RunError(code: code, message: message)).json])
    }
  }

  package let store: JobStore
  package private(set) var host: JobHost
  private let clock: ManualClock
  private let launcher: SimulatedLauncher
  private let options: JobHost.Options
  private var definitions: [JobDefinition] = []
  /// The messages of the host.
  package private(set) var messages: [String] = []

  /// - Parameters:
  ///   - start: in milliseconds since 1970.
  ///   - store: a store in memory if not given.
  ///   - behavior: called at the start of each process.
  package init(
    from start: Int64, options: JobHost.Options, store: JobStore? = nil,
    behavior: @escaping @HostActor (RunRecord) async throws -> Behavior
  ) throws {
    self.store = try store ?? JobStore.inMemory()
    clock = ManualClock(start)
    launcher = SimulatedLauncher(clock, behavior)
    self.options = options
    host = Self.host(self.store, launcher, clock, options)
    connect()
  }

  private static func host(
    _ store: JobStore, _ launcher: SimulatedLauncher, _ clock: ManualClock, _ options: JobHost.Options
  ) -> JobHost {
    var options = options
    options.isAlive = false
    return JobHost(store: store, launcher: launcher, clock: clock, options: options)
  }

  private func connect() {
    launcher.host = host
    host.watch { [weak self] in if case .message(_, let text) = $0 { self?.messages.append(text) } }
  }

  /// In milliseconds since 1970.
  package var now: Int64 { clock.now.wall }

  package func load(_ definitions: [JobDefinition]) async throws {
    self.definitions = definitions
    try await host.load(definitions)
    try await settle()
  }

  @discardableResult
  package func perform<Result>(
    _ body: @escaping @HostActor (inout Turn) async throws -> Result
  ) async throws -> Result {
    let result = try await host.performNow(body)
    try await settle()
    return result
  }

  /// Lets time pass, with everything that happens in it.
  package func advance(by milliseconds: Int64) async throws {
    let end = clock.now.wall + milliseconds
    while true {
      let pause = try await settle()
      let next = [pause.map { clock.now.wall + $0 }, launcher.nextEnd].compactMap(\.self).min() ?? .max
      guard next <= end else { break }
      clock.pass(max(0, next - clock.now.wall))
    }
    clock.pass(end - clock.now.wall)
    try await settle()
  }

  /// Does everything that is to be done now. Returns the milliseconds until there is more.
  @discardableResult
  private func settle() async throws -> Int64? {
    var pause: Int64?
    var isBusy = true
    while isBusy {
      pause = await host.turn()
      let hasBegun = try await launcher.beginProcesses()
      isBusy = launcher.endProcesses() || hasBegun || pause == 0
    }
    return pause
  }

  // MARK: Disturbances

  /// Somebody sets the clock.
  package func setClock(by milliseconds: Int64) async throws {
    clock.offset += milliseconds
    try await settle()
  }

  /// The machine sleeps.
  package func sleep(_ milliseconds: Int64) async throws {
    clock.sleep(milliseconds)
    try await settle()
  }

  /// The host and its processes end at once, as with kill -9, and another host begins `milliseconds` later.
  package func crash(downFor milliseconds: Int64) async throws {
    launcher.forget()
    clock.pass(milliseconds)
    host = Self.host(store, launcher, clock, options)
    connect()
    try await load(definitions)
  }
}

private final class ManualClock: JobClock {
  private var sinceStart: Int64 = 0
  private var slept: Int64 = 0
  var offset: Int64
  let longestWait: Int64? = nil

  init(_ start: Int64) { offset = start }

  var now: Moment { Moment(wall: offset + sinceStart + slept, sinceBoot: sinceStart + slept, awake: sinceStart) }

  func pass(_ milliseconds: Int64) { sinceStart += milliseconds }
  func sleep(_ milliseconds: Int64) { slept += milliseconds }
}

private final class SimulatedLauncher: RunLauncher {
  private let clock: ManualClock
  private let behavior: @HostActor (RunRecord) async throws -> SimulatedJobs.Behavior
  private var processes: [Int64: SimulatedProcess] = [:]
  weak var host: JobHost?

  init(_ clock: ManualClock, _ behavior: @escaping @HostActor (RunRecord) async throws -> SimulatedJobs.Behavior) {
    self.clock = clock
    self.behavior = behavior
  }

  func launch(_ run: RunRecord, of job: JobRecord, context: JSON) throws -> any RunProcess {
    let process = SimulatedProcess(run, clock)
    processes[run.id] = process
    return process
  }

  func adopt(_ process: ProcessIdentity, of run: Int64) -> (any RunProcess)? { nil }

  var nextEnd: Int64? { processes.values.compactMap(\.endTime).min() }

  /// Runs what stands for the scripts of processes. Returns whether there was one.
  func beginProcesses() async throws -> Bool {
    let waiting = processes.values.filter(\.waits).sorted { $0.run.id < $1.run.id }
    for process in waiting { process.begin(try await behavior(process.run)) }
    return !waiting.isEmpty
  }

  /// Returns whether a process ended.
  func endProcesses() -> Bool {
    let ended = processes.filter { $0.value.endTime.map { $0 <= clock.now.wall } ?? false }.sorted { $0.key < $1.key }
    for (run, process) in ended {
      processes[run] = nil
      for message in process.behavior.messages { host?.processSaid(run, message) }
      host?.processEnded(run, process.end)
    }
    return !ended.isEmpty
  }

  func forget() { processes = [:] }
}

private final class SimulatedProcess: RunProcess {
  let identity = ProcessIdentity(id: 0, boot: "", start: 0)
  let run: RunRecord
  private(set) var behavior = SimulatedJobs.Behavior()
  private let clock: ManualClock
  /// True between `go` and `begin`.
  private(set) var waits = false
  private(set) var endTime: Int64?
  private(set) var end = ProcessEnd.status(0)

  init(_ run: RunRecord, _ clock: ManualClock) {
    self.run = run
    self.clock = clock
  }

  func go() { waits = true }

  func begin(_ behavior: SimulatedJobs.Behavior) {
    waits = false
    self.behavior = behavior
    guard endTime == nil else { return }
    end = behavior.end
    endTime = clock.now.wall + behavior.duration
  }

  func reply(_ reply: RunReply) {}

  func stop(kill: Bool) {
    end = .signal(kill ? 9 : 15)
    endTime = clock.now.wall
  }
}
