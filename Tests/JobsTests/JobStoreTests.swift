import Core
import DatabaseAddress
import Databases
import HostLoop
import JSON
import TestSupport
import Testing

@testable import Jobs

/// The contract of the store, on each engine.
@HostActor
@Suite struct JobStoreTests {
  @Test(arguments: Engine.allCases)
  func aJobComesBackAsItWasSaved(_ engine: Engine) async throws {
    let store = try await engine.store()
    var job = JobRecord(name: "a'b?ä", path: "jobs/a.lua", created: 1_800_000_000_123)
    job.digest = "d"
    job.declaration = ["on": ["every": "15m"], "text": "\u{0}ü\n"]
    job.needs = ["--allow-net=example.com"]
    job.allowed = ["-A"]
    job.pause = "by hand"
    job.failures = 3
    job.last = .timedOut
    job.memory = ["rows": 7, "list": [1, 2.5, .null, true]]
    try await store.save(job)
    #expect(try await store.job("a'b?ä") == job)
    job.pause = nil
    job.memory = nil
    job.trouble = "line 1: broken"
    job.warnings = ["a", "b"]
    try await store.save(job)
    #expect(try await store.jobs() == [job])
    try await store.removeJob(job.name)
    #expect(try await store.job(job.name) == nil)
  }

  @Test(arguments: Engine.allCases)
  func aRunComesBackAsItWasSaved(_ engine: Engine) async throws {
    let store = try await engine.store()
    var run = RunRecord(job: "a", kind: "cron", due: 5000, event: ["kind": "cron"], created: 5001)
    run.key = "k"
    run.arguments = ["x", ""]
    #expect(try await store.add(&run))
    run.until = 6000
    run.count = 2
    run.state = .started
    run.reason = "because"
    run.attempt = 2
    run.interruptions = 1
    run.wake = 7000
    run.started = 5002
    run.ended = 253_402_300_799_999
    run.computed = 9
    run.process = ProcessIdentity(id: 77, boot: "b", start: 12345)
    run.digest = "abc"
    run.permissions = ["--allow-read=x"]
    run.exit = -1
    run.error = RunError(code: "c", message: "m", hint: "h", place: "p:1")
    run.progress = ["done": 1]
    run.machine = "north"
    try await store.save(run)
    #expect(try await store.run(run.id) == run)
    #expect(try await store.openRuns() == [run])
  }

  @Test(arguments: Engine.allCases)
  func aDueTimeHasOneRow(_ engine: Engine) async throws {
    let store = try await engine.store()
    var ids: [Int64] = []
    for (job, due) in [("a", 1000), ("a", 1000), ("b", 1000), ("a", 2000), ("a", nil), ("a", nil)] as [(String, Int64?)]
    {
      var run = RunRecord(job: job, kind: "cron", due: due, event: [:], created: 1)
      if try await store.add(&run) { ids.append(run.id) }
    }
    #expect(ids.count == 5)
    #expect(ids == ids.sorted())
    #expect(try await store.runCount(of: "a") == 4)
    #expect(try await store.previousDue(of: "a", before: 2000) == 1000)
    #expect(try await store.firstDue(of: "a", after: 1000) == 2000)
    #expect(try await store.lastDues(in: .due) == ["a": 2000, "b": 1000])
    #expect(try await store.lastDues(in: .ok).isEmpty)
    #expect(try await store.histories() == ["a": .init(count: 4), "b": .init(count: 1)])
    #expect(try await store.jobsWithRuns().sorted() == ["a", "b"])
  }

  @Test(arguments: Engine.allCases)
  func aTransactionThatFailsChangesNothing(_ engine: Engine) async throws {
    struct Stop: Error {}
    let store = try await engine.store()
    await #expect(throws: Stop.self) {
      try await store.transaction { store in
        try await store.save(JobRecord(name: "a", path: "p", created: 1))
        throw Stop()
      }
    }
    #expect(try await store.jobs().isEmpty)
    let count = try await store.transaction { store in
      try await store.save(JobRecord(name: "a", path: "p", created: 1))
      return try await store.jobs().count
    }
    #expect(count == 1)
    #expect(try await store.jobs().count == 1)
  }

  @Test(arguments: Engine.allCases)
  func stepsAttachmentsTriggersHooksAndFilesAreKept(_ engine: Engine) async throws {
    let store = try await engine.store()
    try await store.save(JobRecord(name: "a", path: "p", created: 1))
    var run = RunRecord(job: "a", kind: "hand", event: [:], created: 1)
    #expect(try await store.add(&run))
    let step = JobStore.Step(name: "s", number: 1, result: ["x": 1], ended: 5)
    for result in [JSON.null, ["x": 1]] {
      try await store.add(JobStore.Step(name: "s", number: 1, result: result, ended: 5), to: run.id)
    }
    #expect(try await store.steps(of: run.id) == [step])
    for title in ["one", "two"] {
      try await store.attach(.init(title: title, path: "/x", machine: "north", digest: "d"), to: run.id)
    }
    #expect(
      try await store.attachments(of: run.id) == [.init(title: "two", path: "/x", machine: "north", digest: "d")])
    var trigger = TriggerRecord(job: "a", text: "every 15m", anchor: 1, last: 2)
    try await store.save(trigger)
    trigger.last = 3
    try await store.save(trigger)
    #expect(try await store.triggers(of: "a") == [trigger])
    #expect(try await store.triggers() == ["a": [trigger]])
    #expect(try await store.addHook("id", of: "a", at: 5))
    #expect(try await !store.addHook("id", of: "a", at: 6))
    #expect(try await store.hasHook("id", of: "a"))
    try await store.removeHooks(before: 6)
    #expect(try await !store.hasHook("id", of: "a"))
    for size in [1, 2] as [Int64] {
      try await store.save(JobStore.SeenFile(inode: 1, size: size, modified: 3), at: "f", of: "a")
    }
    #expect(try await store.files(of: "a") == [FilePath("f"): JobStore.SeenFile(inode: 1, size: 2, modified: 3)])
    try await store.removeFile("f", of: "a")
    #expect(try await store.files(of: "a").isEmpty)
    // Two spellings of one letter, and a byte that is not UTF-8.
    let names = [Array("\u{E9}".utf8), Array("e\u{301}".utf8), [0xE9]].map { FilePath(bytes: $0) }
    for name in names {
      try await store.save(JobStore.SeenFile(inode: 1, size: 2, modified: 3), at: name.text, of: "a")
    }
    #expect(Set(try await store.files(of: "a").keys) == Set(names))
    // Steps go with their run, and triggers with their job.
    try await store.removeRun(run.id)
    #expect(try await store.steps(of: run.id).isEmpty)
    try await store.removeJob("a")
    #expect(try await store.triggers(of: "a").isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func theHistoryIsFilteredAndForgotten(_ engine: Engine) async throws {
    let store = try await engine.store()
    for (job, state) in [("a", RunState.ok), ("a", .failed), ("b", .interrupted), ("a", .due)] {
      var run = RunRecord(job: job, kind: "hand", event: [:], state: state, created: 10)
      run.ended = state.isOpen ? nil : 20
      #expect(try await store.add(&run))
    }
    func states(_ change: (inout JobStore.Filter) -> Void) async throws -> [RunState] {
      var filter = JobStore.Filter()
      change(&filter)
      return try await store.runs(filter).map(\.state)
    }
    #expect(try await states { _ in } == [.due, .interrupted, .failed, .ok])
    #expect(try await states { $0.job = "a" } == [.due, .failed, .ok])
    #expect(try await states { $0.failed = true } == [.interrupted, .failed])
    #expect(try await states { $0.since = 15 } == [.interrupted, .failed, .ok])
    #expect(try await states { $0.limit = 1 } == [.due])
    let oldest = try #require(try await store.oldestEnded(of: "a"))
    #expect(oldest.ended == 20)
    try await store.removeRun(oldest.id)
    try await store.shrink(pages: 10)
    #expect(try await states { $0.job = "a" } == [.due, .failed])
    var skip = RunRecord(job: "a", kind: "cron", due: 50, event: [:], state: .skipped, created: 10)
    #expect(try await store.add(&skip))
    #expect(try await store.lastSkips() == ["a": skip])
    var next = RunRecord(job: "a", kind: "cron", due: 60, event: [:], created: 10)
    #expect(try await store.add(&next))
    #expect(try await store.lastSkips().isEmpty)
  }

  /// A machine that is paused in a transaction would hold its locks for as long.
  @Test func theServerEndsATransactionWhoseClientIsSilent() async throws {
    let server = try PostgresServer.shared
    let database = PostgresDatabase(try PostgresAddress(server.address(try server.makeDatabase())))
    for _ in 1...2 {
      let limit = try await database.transaction { try await $0.first("SHOW idle_in_transaction_session_timeout") }
      #expect(limit?[0].text == "15s")
    }
    #expect(try await database.first("SHOW idle_in_transaction_session_timeout")?[0].text == "0")
  }

  @Test func tablesOfANewerProgramAreLeftAsTheyAre() async throws {
    let server = try PostgresServer.shared
    let name = try server.makeDatabase()
    let database = PostgresDatabase(try PostgresAddress(server.address(name)))
    _ = try await JobStore.open(database, seal: nil)
    try await database.execute("UPDATE schema_version SET version = 99 WHERE part = 'jobs'")
    let error = await #expect(throws: SchemaError.self) { _ = try await JobStore.open(database, seal: nil) }
    #expect(
      error?.message == "the tables of jobs in \(database.place) have version 99, made by a newer b2c-run; "
        + "this one knows version 3")
  }
}
