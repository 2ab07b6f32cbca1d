import HostLoop
import JSON
import JobConditions
import JobSimulation
import Schedule
import Testing

@testable import Jobs

/// The start of a host: what comes before it knows its jobs, and what it does with the runs that are there.
@HostActor
@Suite struct StartTests {
  private static let jobs: [String: JSON] = [
    "hook": ["on": ["webhook": "/h", "scheme": "none"]],
    "again": ["on": ["webhook": "/a", "scheme": "none"], "interrupted": "again"],
    "retry": ["on": ["webhook": "/r", "scheme": "none"], "retry": ["attempts": 3, "first": "1h"]],
    "tick": ["on": ["cron": "0 * * * *"]],
  ]

  /// A host that has ended in the middle: runs that are due, that went on, that wait for a try, a time and a request.
  private func store() async throws -> JobStore {
    let store = try JobStore.inMemory()
    for (job, state) in [
      ("hook", RunState.started), ("hook", .due), ("again", .started), ("retry", .retry), ("hook", .asleep),
      ("hook", .waiting), ("hook", .due),
    ] {
      var run = RunRecord(job: job, kind: "webhook", event: ["kind": "webhook"], state: state, created: 1)
      #expect(try await store.add(&run))
      if state != .due { (run.attempt, run.started) = (1, 1) }
      if [.retry, .asleep, .waiting].contains(state) { run.wake = 4_000_000_000_000 }
      try await store.save(run)
    }
    return store
  }

  private func states(_ store: JobStore) async throws -> [RunState] {
    try await store.runs(JobStore.Filter()).reversed().map(\.state)
  }

  private func host(_ store: JobStore) throws -> JobHost {
    var options = JobHost.Options(zone: try Zone("UTC"))
    options.parallel = 1
    return JobHost(store: store, launcher: IdleLauncher(), clock: MachineClock(), options: options)
  }

  private final class IdleLauncher: RunLauncher {
    func launch(_ run: RunRecord, of job: JobRecord, context: JSON) -> any RunProcess { Process() }
    func adopt(_ process: ProcessIdentity, of run: Int64) -> (any RunProcess)? { nil }

    private final class Process: RunProcess {
      let identity = ProcessIdentity(id: 0, boot: "", start: 0)
      func go() {}
      func reply(_ reply: RunReply) {}
      func stop(kill: Bool) {}
    }
  }

  private static func definitions(_ jobs: [String: JSON]) -> [JobDefinition] {
    jobs.map { JobDefinition(name: $0, path: "jobs/\($0).lua", digest: "1", declaration: $1) }
  }

  @Test func whatComesBeforeTheJobsAreKnownWaitsAndEndsNoRun() async throws {
    let store = try await store()
    let before = try await states(store)
    let host = try host(store)
    #expect(!host.condition.isReady)
    let command = HostActor.task { try await host.desk.answer(.pause(job: "tick")) }
    let request = HostActor.task { () -> Bool in
      try await host.loaded(within: 3600)
      _ = try await host.desk.received("hook", ["kind": "webhook"], ids: [])
      return true
    }
    for _ in 0..<5 {
      host.lookAtClock()
      #expect(await host.turn() == nil)
      try await HostLoop.shared.sleep(seconds: 0.01)
    }
    await #expect(throws: JobError.loading) { try await host.desk.hooks() }
    await #expect(throws: JobError.loading) { try await host.loaded(within: 0.01) }
    #expect(try await states(store) == before)
    try await host.load(Self.definitions(Self.jobs))
    #expect(host.condition == .planning(jobs: 4))
    #expect(try await command.value == CommandReply())
    #expect(try await request.value)
    #expect(try await store.job("tick")?.pause == "by hand")
    // The run that was cut off is told, and the one that may be repeated goes on. A run of the hook still sleeps.
    #expect(try await states(store) == [.interrupted, .due, .started, .retry, .asleep, .waiting, .due, .due])
  }

  @Test func anEndBeforeTheJobsAreKnownTellsThoseWhoWait() async throws {
    let host = try host(try await store())
    let command = HostActor.task { try await host.desk.answer(.pause(job: "tick")) }
    let request = HostActor.task { try await host.loaded(within: 3600) }
    try await HostLoop.shared.sleep(seconds: 0.01)
    await host.stop(drain: 1)
    for task in [HostActor.task { _ = try await command.value }, request] {
      await #expect(throws: JobError.ended) { try await task.value }
    }
    await #expect(throws: JobError.ended) { try await host.load([]) }
    #expect(host.condition == .ending)
  }

  @Test func aRunWaitsForAJobThatIsMissing() async throws {
    let store = try await store()
    let host = try host(store)
    try await host.load(Self.definitions(Self.jobs).filter { $0.name != "hook" })
    #expect(try await states(store) == [.interrupted, .due, .started, .retry, .asleep, .waiting, .due])
    #expect(try await store.run(2)?.reason == "the script of the job is not there")
    try await host.load(Self.definitions(Self.jobs))
    #expect(try await store.run(2)?.reason == nil)
    for id: Int64 in [3, 5, 6] { try await host.perform { try await $0.cancel(id, "by hand") } }
    host.processEnded(3, .signal(15))
    try await host.perform { _ in }
    #expect(try await store.run(2)?.state == .started)
  }

  @Test func aJobThatIsMissingWhileARunWaitsKeepsItsPermissions() async throws {
    let store = try await store()
    var definitions = Self.definitions(Self.jobs)
    for index in definitions.indices { definitions[index].needs = ["--allow-env=HOME"] }
    let host = try host(store)
    try await host.load(definitions)
    for name in ["hook", "tick"] { try await host.perform { try await $0.allow(name, ["--allow-env=HOME"]) } }
    try await host.load([])
    #expect(try await store.job("hook")?.trouble == "the script of the job is not there")
    // Nobody waits for this one.
    #expect(try await store.job("tick") == nil)
    try await host.load(definitions)
    let hook = try await store.job("hook")
    #expect(hook?.missing == [] && hook?.trouble == nil)
    #expect(try await store.job("tick")?.missing == ["--allow-env=HOME"])
  }

  @Test func aRunWaitsForAJobThatIsBrokenOrHeld() async throws {
    let store = try await store()
    // The declaration that the job had before decides about the run that was cut off.
    var known = JobRecord(name: "again", path: "jobs/again.lua", created: 1)
    known.declaration = Self.jobs["again"]
    try await store.save(known)
    var definitions = Self.definitions(Self.jobs)
    for index in definitions.indices { (definitions[index].trouble, definitions[index].declaration) = ("broken", nil) }
    let host = try host(store)
    try await host.load(definitions)
    #expect(try await states(store) == [.interrupted, .due, .due, .retry, .asleep, .waiting, .due])
    #expect(try await store.run(3)?.reason == "the job does not run: broken")
    definitions = Self.definitions(Self.jobs)
    for index in definitions.indices { definitions[index].needs = ["--allow-env=HOME"] }
    try await host.load(definitions)
    #expect(try await store.run(3)?.reason == "held: needs --allow-env=HOME")
    try await host.perform { try await $0.allow("again", ["--allow-env=HOME"]) }
    #expect(try await store.run(3)?.state == .started)
  }

  @Test func aBrokenJobTakesRequestsAfterEachStart() async throws {
    let store = try JobStore.inMemory()
    try await host(store).load(Self.definitions(Self.jobs))
    var broken = Self.definitions(Self.jobs)
    for index in broken.indices { (broken[index].trouble, broken[index].declaration) = ("broken", nil) }
    for _ in 0..<3 {
      let host = try host(store)
      try await host.load(broken)
      #expect(try await host.desk.hooks().map(\.hook.path).sorted() == ["/a", "/h", "/r"])
    }
    let relay = JobRelay(store, machine: "north", zone: try Zone("UTC"))
    #expect(try await relay.hooks().map(\.hook.path).sorted() == ["/a", "/h", "/r"])
    try await host(store).load([])
    #expect(try await store.jobs().allSatisfy { $0.declaration == nil })
  }

  @Test func aRequestThatAnotherMachineAnsweredWaitsForItsJob() async throws {
    let store = try await Engine.postgresql.store()
    let host = try SharedHost(store)
    try await store.send(
      JobStore.Message(kind: .hook, job: "gone", content: ["body": "x"], machine: "south", received: 5))
    try await host.start([])
    let run = try #require(try await store.run(1))
    #expect(run.state == .due && run.event["body"] == "x" && run.created == 5)
    #expect(run.reason == "the script of the job is not there")
    #expect(host.messages.contains("a run of the job gone waits: the script of the job is not there"))
  }

  @Test func noMachineKnowsThePathsOfADatabaseWithoutJobs() async throws {
    let store = try await Engine.postgresql.store()
    let relay = JobRelay(store, machine: "north", zone: try Zone("UTC"))
    await #expect(throws: JobError.loading) { try await relay.hooks() }
    try await store.save(JobRecord(name: "a", path: "a", created: 1))
    #expect(try await JobRelay(store, machine: "north", zone: try Zone("UTC")).hooks().isEmpty)
  }

  @Test func theOldestRunGoesOnFirstAfterARestart() async throws {
    let jobs: [String: JSON] = [
      "a": ["on": ["webhook": "/a", "scheme": "none"], "interrupted": "again"],
      "b": ["on": ["webhook": "/b", "scheme": "none"]],
    ]
    let store = try JobStore.inMemory()
    let host = try await Simulation(jobs, parallel: 1, store: store)
    host.behavior = { _ in .init(duration: 600_000) }
    for job in ["a", "a", "b", "a", "b"] {
      try await host.jobs.perform { _ = try await $0.received(job, [:], ids: []) }
      try await host.advance("1s")
    }
    try await host.jobs.crash(downFor: 60_000)
    try await host.advance("2h")
    #expect(host.starts.map(\.id) == [1, 1, 2, 3, 4, 5])
    // A try that comes later has its old place, too.
    #expect(try await host.states() == Array(repeating: "ok", count: 5))
  }

  @Test func theTableOfPartsHasNoWayBackFromTheEnd() throws {
    let plan = Plan([])
    #expect(Role.loading.leads(to: .planning(plan)))
    #expect(!Role.loading.leads(to: .standingBy))
    #expect(!Role.standingBy.leads(to: .loading))
    for role in [Role.loading, .standingBy, .planning(plan)] {
      #expect(role.leads(to: .ended))
      #expect(!Role.ended.leads(to: role))
    }
  }
}
