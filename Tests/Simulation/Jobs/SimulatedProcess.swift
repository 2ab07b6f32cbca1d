import HostLoop
import JSON
import JobConditions

@testable import Jobs

/// Starts processes of one start of a machine.
@HostActor
final class SimulatedLauncher: RunLauncher {
  private let machine: SimulatedMachine
  private let session: DatabaseSession
  private let world: JobWorld
  weak var host: JobHost?

  init(_ machine: SimulatedMachine, _ session: DatabaseSession, _ world: JobWorld) {
    (self.machine, self.session, self.world) = (machine, session, world)
  }

  func launch(_ run: RunRecord, of job: JobRecord, context: JSON) -> any RunProcess {
    let process = SimulatedProcess(run, context, world.nextProcess, machine, world)
    machine.processes[process.identity.id] = process
    connect(process, isOwn: true)
    return process
  }

  func adopt(_ identity: ProcessIdentity, of run: Int64) -> (any RunProcess)? {
    guard let process = machine.processes[identity.id], process.identity == identity else { return nil }
    connect(process, isOwn: false)
    return process
  }

  private func connect(_ process: SimulatedProcess, isOwn: Bool) {
    process.onMessage = { [weak self] message in
      guard let self, isOwn, !session.isDead else { return false }
      host?.processSaid(process.run.id, message)
      return true
    }
    process.onEnd = { [weak self] end in
      guard let self, !session.isDead else { return }
      host?.processEnded(process.run.id, isOwn ? end : .unknown)
    }
  }
}

/// The process of a run, and its script.
@HostActor
final class SimulatedProcess: RunProcess {
  let identity: ProcessIdentity
  let run: RunRecord
  let context: JSON
  private let machine: SimulatedMachine
  private let world: JobWorld
  /// Returns false if the host is gone.
  var onMessage: @HostActor (JSON) -> Bool = { _ in false }
  var onEnd: @HostActor (ProcessEnd) -> Void = { _ in }
  private(set) var hasEnded = false
  private var hasBegun = false
  private var isOrphan = false
  private var replies: [CancellableWait<RunReply>] = []
  private var task: Task<Void, any Error>?

  init(_ run: RunRecord, _ context: JSON, _ id: Int32, _ machine: SimulatedMachine, _ world: JobWorld) {
    identity = ProcessIdentity(id: id, boot: "\(machine.name)/\(machine.boot)", start: Int64(id))
    (self.run, self.context, self.machine, self.world) = (run, context, machine, world)
  }

  func go() {
    guard !hasEnded, !hasBegun, !isOrphan else { return }
    hasBegun = true
    world.ledger.began(run, on: machine.name)
    task = HostActor.task { [self] in
      let script = SimulatedScript(self, world)
      do {
        end(.status(try await script.run()))
      } catch { end(.status(1)) }
    }
  }

  func reply(_ reply: RunReply) {
    guard !hasEnded, !isOrphan, !replies.isEmpty else { return }
    replies.removeFirst().finish(.success(reply))
  }

  func stop(kill: Bool) {
    let delay = kill ? 0 : Double(world.random.number(0...2000)) / 1000
    after(delay) { [self] in end(.signal(kill ? 9 : 15)) }
  }

  /// The host has ended, perhaps with the whole machine.
  func hostEnded(_ isPowerCut: Bool) {
    isOrphan = true
    for wait in replies { wait.finish(.failure(JobError("host_gone", "the host has ended"))) }
    replies = []
    if isPowerCut { return end(.signal(9)) }
    after(Double(world.random.number(0...3000)) / 1000) { [self] in end(.signal(15)) }
  }

  private func after(_ seconds: Double, _ body: @escaping @HostActor () -> Void) {
    if seconds == 0 { body() } else { _ = HostLoop.shared.schedule(after: seconds, body) }
  }

  private func end(_ end: ProcessEnd) {
    guard !hasEnded else { return }
    hasEnded = true
    machine.processes[identity.id] = nil
    task?.cancel()
    for wait in replies { wait.finish(.failure(CancellationError())) }
    world.trace.log("process \(identity.id) of \(run.job) run \(run.id) ends: \(end)")
    onEnd(end)
  }

  // MARK: For the script

  /// Sends a message that has no answer.
  func tell(_ message: RunMessage) { if !hasEnded, !isOrphan { _ = onMessage(message.json) } }

  /// Sends a message, and waits until what it says is on the disk.
  func ask(_ message: RunMessage) async throws {
    guard !hasEnded, !isOrphan, onMessage(message.json) else { throw JobError("host_gone", "the host has ended") }
    let wait = CancellableWait<RunReply>()
    replies.append(wait)
    if case .failed(let error) = try await wait.value() { throw JobError(error) }
  }
}

/// The scripts of the jobs.
@HostActor
struct SimulatedScript {
  private let process: SimulatedProcess
  private let world: JobWorld
  private var run: RunRecord { process.run }

  init(_ process: SimulatedProcess, _ world: JobWorld) { (self.process, self.world) = (process, world) }

  /// Returns the exit status.
  func run() async throws -> Int32 {
    switch run.job {
    case "steps": try await steps(["a", "b", "c"])
    case "counter": try await count()
    case "failing": return try await failing()
    case "sleeper": if try await !sleeper() { return 0 }
    case "waiter": if try await !waiter() { return 0 }
    default: try await work(0...1500)
    }
    if !process.hasEnded { world.ledger.completed(run) }
    return 0
  }

  private func work(_ milliseconds: ClosedRange<Int64>) async throws {
    try await HostLoop.shared.sleep(seconds: Double(world.random.number(milliseconds)) / 1000)
    guard !process.hasEnded else { throw CancellationError() }
  }

  private func result(of step: String) -> JSON? {
    process.context["steps"]?.array?.first { $0["name"]?.string == step }?["result"]
  }

  /// A step is not repeated after the host has said that it is stored.
  private func steps(_ names: [String]) async throws {
    for name in names {
      let isStored = result(of: name) != nil
      world.ledger.sawStep(run.id, name, isStored)
      guard !isStored else { continue }
      try await work(0...1500)
      try await process.ask(.step(name: name, number: 1, result: ["done": true]))
      world.ledger.storedStep(run.id, name)
    }
  }

  private func count() async throws {
    let number = process.context["state"]?["n"]?.lenientInteger ?? 0
    world.ledger.sawState(number, by: run.id)
    try await work(0...800)
    try await process.ask(.state(["n": .integer(number + 1)]))
    world.ledger.storedState(number + 1)
    try await work(0...200)
  }

  private func failing() async throws -> Int32 {
    try await work(0...500)
    guard world.random.happens(0.6) else {
      world.ledger.completed(run)
      return 0
    }
    process.tell(.error(RunError(code: "simulated", message: "it fails")))
    return 1
  }

  /// Returns false if the process ends, and another one continues the run later.
  private func sleeper() async throws -> Bool {
    try await steps(["before"])
    let stored = result(of: "sleep")?.lenientInteger
    let until = stored ?? process.wall + 5000
    if stored == nil { try await process.ask(.step(name: "sleep", number: 1, result: .integer(until))) }
    guard process.wall < until else { return true }
    try await process.ask(.sleep(until: until))
    return false
  }

  private func waiter() async throws -> Bool {
    if let answer = result(of: "wait") {
      world.ledger.wentOn(run.id, answer)
      return true
    }
    try await process.ask(
      .wait(.request(path: "/wait/\(run.id)"), step: "wait", number: 1, until: nil))
    world.waits(run.id)
    return false
  }
}

extension SimulatedProcess {
  var wall: Int64 { machine.clock.now.wall }
}
