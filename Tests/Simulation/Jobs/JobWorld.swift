import Databases
package import HostLoop
import JSON
import JobConditions
import JobTables
import Schedule

@testable import Jobs

/// Jobs on one machine, or on two that share a database.
@HostActor
package final class JobWorld: SimulatedWorld {
  package static let name = "jobs"
  /// The milliseconds since 1970 at the uptime 0: a Monday, at midnight.
  static let epoch: Int64 = 1_799_020_800_000
  static let seal = JobSeal(key: Array(repeating: 7, count: 32))
  /// The time of faults, and the time in which everything comes to rest, in milliseconds.
  private static let (trouble, rest): (Int64, Int64) = (90_000, 150_000)

  let trace = Trace()
  let database: SimulatedDatabase
  let zone: Zone
  var random: SeededRandom
  let ledger: JobLedger
  private(set) var machines: [SimulatedMachine] = []
  private var processes: Int32 = 0
  private var requests = 0
  private var edition = 1
  private var wasClockSet = false
  /// True from the time on at which no more faults come.
  private var isQuiet = false

  private init(_ seed: UInt64) throws {
    random = SeededRandom(seed ^ 0x5eed)
    ledger = JobLedger(trace)
    zone = try Zone("UTC")
    let isShared = seed % 3 != 0
    database = try SimulatedDatabase(isShared ? .postgresql : .sqlite, epoch: Self.epoch, trace, seed: seed)
    if isShared {
      try database.make(Lease.migrations)
      try database.make(JobStore.migrations)
    } else {
      try database.connection.migrate(JobSchema.sqlite)
    }
    machines = (isShared ? ["north", "south"] : ["alone"]).map { SimulatedMachine($0, self) }
    database.onCommit = { [weak self] session, writes in try self?.checkFence(session, writes) }
  }

  var nextProcess: Int32 {
    processes += 1
    return processes
  }

  /// The jobs of all machines.
  var definitions: [JobDefinition] {
    let declarations: [(String, JSON)] = [
      ("cron", ["on": ["cron": "* * * * *"], "catch_up": "all", "overlap": "queue", "interrupted": "again"]),
      ("every", ["on": ["every": "7s"], "catch_up": "all", "overlap": "queue", "interrupted": "again"]),
      ("steps", ["on": ["webhook": "/steps", "scheme": "none"], "interrupted": "again"]),
      ("once", ["on": ["webhook": "/once", "scheme": "none"]]),
      ("counter", ["on": ["webhook": "/counter", "scheme": "none"]]),
      (
        "failing",
        [
          "on": ["webhook": "/failing", "scheme": "none"], "interrupted": "again",
          "retry": ["attempts": 3, "first": "2s"],
        ]
      ),
      (
        "sleeper",
        ["on": ["webhook": "/sleeper", "scheme": "none"], "interrupted": "again", "overlap": ["parallel": 9]]
      ),
      (
        "waiter", ["on": ["webhook": "/waiter", "scheme": "none"], "interrupted": "again", "overlap": ["parallel": 5]]
      ),
      ("follower", ["on": ["after": "steps", "result": "any"], "interrupted": "again"]),
    ]
    return declarations.map { name, declaration in
      var members = declaration.object ?? [:]
      members["pause_after"] = 0
      return JobDefinition(name: name, path: "\(name).lua", digest: "\(edition)", declaration: .object(members))
    }
  }

  // MARK: Events

  private static let kinds: [SimulatedEvent.Kind] = [
    .kill, .killAtWrite, .killAtWrite, .killAtWrite, .powerCut, .stop, .processKill, .outage, .lostCommit,
    .undoneCommit,
    .conflict, .slowDatabase, .clockBack, .clockForward, .reload, .command,
  ]

  package static func events(of seed: UInt64) -> [SimulatedEvent] {
    var random = SeededRandom(seed)
    // Half of the runs have right clocks, which tell more about due times.
    let kinds = kinds.filter { seed % 2 == 0 || $0 != .clockBack && $0 != .clockForward }
    var events: [SimulatedEvent] = []
    for second in stride(from: Int64(2000), to: trouble, by: 1000) {
      events.append(
        SimulatedEvent(
          at: second + random.number(0...999), .request, subject: Int(random.number(0...11)),
          amount: random.number(0...1)))
      let kind = kinds[Int(random.number(0...Int64(kinds.count - 1)))]
      let amount =
        switch kind {
        case .killAtWrite: random.number(0...60)
        case .outage: random.number(500...25_000)
        case .slowDatabase: random.number(100...15_000)
        case .clockBack, .clockForward: random.number(1500...100_000)
        case .kill, .powerCut, .stop: random.number(100...20_000)
        default: random.number(0...1)
        }
      events.append(
        SimulatedEvent(at: second + random.number(0...999), kind, subject: Int(random.number(0...1)), amount: amount))
    }
    return events.sorted { $0.at < $1.at }
  }

  package static func run(_ seed: UInt64, _ events: [SimulatedEvent]) async throws -> SimulatedResult {
    HostLoop.simulateTime()
    let world = try JobWorld(seed)
    try await world.live(through: events)
    return world.trace.result
  }

  private func live(through events: [SimulatedEvent]) async throws {
    for machine in machines { HostActor.task { await machine.start() } }
    for event in events {
      try await pass(until: event.at)
      trace.log("\(event.kind.rawValue) \(event.subject) \(event.amount)")
      happen(event)
    }
    try await pass(until: Self.trouble)
    isQuiet = true
    trace.log("quiet")
    for machine in machines {
      (machine.session.writesToKill, machine.session.outageUntil, machine.session.stall) = (nil, 0, 0)
      start(machine, after: 0)
      // A run that sleeps by a wrong clock wakes by the right one.
      machine.clock.offset = 0
      machine.host?.lookAtClock()
      (machine.session.loses.commit, machine.session.hasConflict) = (false, false)
    }
    try await pass(until: Self.trouble + Self.rest)
    try checkAtRest()
    for machine in machines { machine.kill("at the end", isPowerCut: true) }
    // The timers of ended machines run out.
    try await HostLoop.shared.sleep(seconds: 120)
  }

  private func pass(until time: Int64) async throws {
    if time > trace.now { try await HostLoop.shared.sleep(seconds: Double(time - trace.now) / 1000) }
  }

  private func happen(_ event: SimulatedEvent) {
    let machine = machines[event.subject % machines.count]
    let session = machine.session
    switch event.kind {
    case .request: post(event)
    case .kill, .powerCut:
      machine.kill("", isPowerCut: event.kind == .powerCut)
      start(machine, after: event.amount)
    case .killAtWrite: if session.writesToKill == nil { session.writesToKill = event.amount }
    case .stop:
      HostActor.task { [self] in
        await machine.stop()
        start(machine, after: event.amount)
      }
    case .processKill:
      let processes = machines.flatMap { $0.processes.sorted { $0.key < $1.key }.map(\.value) }
      processes.first?.stop(kill: true)
    case .outage: session.outageUntil = HostLoop.uptime + Double(event.amount) / 1000
    case .lostCommit: session.loses = (true, true)
    case .undoneCommit: session.loses = (true, false)
    case .conflict: session.hasConflict = true
    case .slowDatabase: session.stall = Double(event.amount) / 1000
    case .clockBack, .clockForward:
      wasClockSet = true
      let offset = machine.clock.offset + (event.kind == .clockBack ? -event.amount : event.amount)
      // A run that sleeps by a clock that is ahead wakes before the end.
      machine.clock.offset = min(max(offset, -100_000), 100_000)
      machine.host?.lookAtClock()
    case .reload:
      edition += event.amount > 0 ? 1 : 0
      HostActor.task { await machine.reload() }
    case .command: command(machine, isCancel: event.amount > 0)
    default: break
    }
  }

  private func start(_ machine: SimulatedMachine, after milliseconds: Int64) {
    _ = HostLoop.shared.schedule(after: Double(milliseconds) / 1000) { HostActor.task { await machine.start() } }
  }

  /// A machine has ended by a fault that came later than its event.
  func restart(_ machine: SimulatedMachine) { start(machine, after: random.number(0...8000)) }

  // MARK: Clients

  /// A program sends a request until it is accepted.
  private func post(_ event: SimulatedEvent) {
    let jobs = ["steps", "once", "counter", "failing", "sleeper", "waiter"]
    let job = jobs[event.subject % jobs.count]
    requests += 1
    let id = "r\(requests)"
    ledger.sent(id, to: job)
    var turn = Int(event.amount)
    send("the request \(id) to \(job)") { [self] in
      turn += 1
      let machine = machines[turn % machines.count]
      guard machine.isUp, let host = machine.host else { return false }
      let session = machine.session
      let answer = try await host.desk.received(job, ["kind": "webhook", "client": .string(id)], ids: [id])
      guard !session.isDead else { return false }
      if case .full = answer { return false }
      ledger.accepted(id, by: job)
      return true
    }
  }

  /// A run waits for a request.
  func waits(_ run: Int64) {
    var turn = 0
    send("the request for the run \(run)") { [self] in
      turn += 1
      let machine = machines[turn % machines.count]
      guard machine.isUp, let host = machine.host else { return false }
      let session = machine.session
      let isTaken = try await host.desk.receivedWait("/wait/\(run)", ["kind": "answer"])
      guard !session.isDead else { return false }
      if isTaken { ledger.accepted(waitOf: run) }
      return isTaken || turn > 40
    }
  }

  /// Tries something until it works.
  private func send(_ what: String, _ body: @escaping @HostActor () async throws -> Bool) {
    HostActor.task { [self] in
      for _ in 0..<60 {
        do {
          if try await body() {
            trace.log("\(what) is accepted")
            return
          }
        } catch { trace.log("\(what) is not accepted: \(error)") }
        try await HostLoop.shared.sleep(seconds: 1 + 2 * random.fraction())
      }
      trace.log("\(what) is given up")
    }
  }

  private func command(_ machine: SimulatedMachine, isCancel: Bool) {
    HostActor.task { [self] in
      guard machine.isUp, let host = machine.host else { return }
      let session = machine.session
      do {
        if isCancel {
          guard let run = try openRun() else { return }
          _ = try await host.desk.answer(.cancel(run: run))
          if !session.isDead { ledger.canceled(run) }
        } else {
          let reply = try await host.desk.answer(.run(job: "once", arguments: nil, event: nil, like: nil))
          if !session.isDead, let run = reply.run { ledger.commanded(run) }
        }
      } catch { trace.log("a command fails: \(error)") }
    }
  }

  private func openRun() throws -> Int64? {
    try database.connection.first(
      "SELECT id FROM run WHERE state IN ('due', 'started', 'retry', 'asleep') AND job <> 'steps' ORDER BY id LIMIT 1")?[
        0
      ]
      .integer
  }

  // MARK: Invariants

  /// Only the holder of the right to plan writes what turns write.
  private func checkFence(_ session: DatabaseSession, _ writes: [String]) throws {
    if database.dialect == .sqlite { return }
    let tables = [" run ", " run(", "trigger", " step "]
    guard writes.contains(where: { sql in tables.contains { sql.contains($0) } }) else { return }
    let owner = try database.connection.first("SELECT owner FROM lease WHERE name = 'serve'")?[0].text
    trace.check(owner == session.name, "\(session.name) writes runs, and \(owner ?? "nobody") has the right to plan")
  }

  private func checkAtRest() throws {
    for machine in machines {
      trace.check(machine.isUp, "\(machine.name) is down")
    }
    let rows = try database.connection.query("SELECT * FROM run ORDER BY id")
    let runs = try rows.map { try RunRecord($0.reader(of: "run", in: "simulated", key: ["id"])) }
    let limit = Self.epoch + Int64(HostLoop.uptime * 1000) - 20_000
    ledger.check(runs, before: limit)
    ledger.checkDueTimes(runs, of: "cron", every: 60_000, isExact: !wasClockSet)
    // An interval does not follow the clock by which its due times are written.
    if !wasClockSet { ledger.checkDueTimes(runs, of: "every", every: 7000, isExact: true) }
    if database.dialect == .postgresql {
      let left = try database.connection.first("SELECT count(*) FROM inbox WHERE answer IS NULL")?[0].integer
      trace.check(left == 0, "\(left ?? 0) messages stay in the inbox")
    }
    trace.log("\(runs.count) runs")
  }
}
