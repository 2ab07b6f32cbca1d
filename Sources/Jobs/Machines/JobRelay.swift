package import HostLoop
package import JSON
package import JobConditions
package import Schedule

/// Passes on what a machine receives to the one that plans, by the database: it is on the disk when the sender is answered.
@HostActor
package final class JobRelay: JobDesk {
  /// The seconds for which the jobs are not looked up again.
  private static let memory = 1.0
  /// The seconds in which a command is answered, as long as a machine plans.
  private static let patience = 60.0
  private let store: JobStore
  private let machine: String
  private let zone: Zone
  private let clock: any JobClock
  private var known: (declarations: [String: JobDeclaration], until: Double) = ([:], 0)
  /// True if the database has jobs.
  private var hasJobs = false

  /// - Parameter machine: the name of the sender.
  package init(_ store: JobStore, machine: String, zone: Zone, clock: any JobClock = MachineClock()) {
    self.store = store
    self.machine = machine
    self.zone = zone
    self.clock = clock
  }

  /// The last correct declarations, by the names of the jobs.
  private func declarations() async throws -> [String: JobDeclaration] {
    if known.until > HostLoop.uptime { return known.declarations }
    var found: [String: JobDeclaration] = [:]
    let jobs = try await store.jobs()
    hasJobs = !jobs.isEmpty
    for job in jobs {
      found[job.name] = try? job.declaration.map { json throws(JobError) in try JobDeclaration(json, zone: zone) }
    }
    known = (found, HostLoop.uptime + Self.memory)
    return found
  }

  /// Throws `JobError.loading` if no machine has ever loaded jobs.
  package func hooks() async throws -> [(job: String, hook: Trigger.Hook)] {
    let declarations = try await declarations()
    guard hasJobs else { throw JobError.loading }
    return declarations.sorted { $0.key < $1.key }.flatMap { $1.hooks(of: $0) }
  }

  package func waits(for path: String) async throws -> Bool {
    try await store.openRuns().contains { $0.event["waits"]?["path"]?.string == path }
  }

  package func received(_ job: String, _ event: JSON, ids: [String]) async throws -> HookAnswer {
    let declaration = try await declarations()[job]
    let message = message(.hook(job: job, event: event))
    return try await store.transaction { store in
      for id in ids { if try await store.hasHook(id, of: job) { return .repeated } }
      if let overlap = declaration?.overlap {
        let load = try await store.load(of: job, key: event.lane(declaration?.overlapKey))
        if overlap.isFull(active: load.active, waiting: load.waiting) { return .full }
      }
      for id in ids { guard try await store.addHook(id, of: job, at: message.received) else { return .repeated } }
      try await store.send(message)
      return .accepted(nil)
    }
  }

  package func receivedWait(_ path: String, _ request: JSON) async throws -> Bool {
    guard try await waits(for: path) else { return false }
    try await store.send(message(.wait(path: path, request: request)))
    return true
  }

  package func answer(_ command: JobCommand) async throws -> CommandReply { try await answer(command, tell: nil) }

  /// Waits for the answer of the machine that plans. Throws `no_server` if no machine serves, or none answers.
  /// - Parameter tell: gets a sentence for the person who waits for more than a second.
  package func answer(_ command: JobCommand, tell: (@HostActor (String) -> Void)?) async throws -> CommandReply {
    guard try await store.machines().contains(where: \.isAlive) else { throw Self.noServer(store.place) }
    let id = try await store.send(message(.command(command)))
    let start = HostLoop.uptime
    let end = start + Self.patience
    var tell = tell
    while HostLoop.uptime < end {
      if HostLoop.uptime > start + 1, let say = tell {
        tell = nil
        let problem =
          try await store.hasPlanner()
          ? "the machine that plans does not answer yet" : "no machine plans at the moment"
        say("\(problem); waits up to \(Int(Self.patience)) s")
      }
      if let answer = try await store.answer(to: id) {
        try await store.removeMessage(id)
        return try CommandReply(answer)
      }
      try await HostLoop.shared.sleep(seconds: 0.1)
    }
    try await store.removeMessage(id)
    throw Self.noServer(store.place)
  }

  private static func noServer(_ place: String) -> JobError {
    JobError("no_server", "no machine plans the jobs of \(place)", hint: "start one: b2c-run --store \(place) serve")
  }

  private func message(_ message: InboxMessage) -> JobStore.Message {
    JobStore.Message(message, machine: machine, received: clock.now.wall)
  }
}
