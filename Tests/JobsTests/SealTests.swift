import Databases
import HostLoop
import JSON
import JobSimulation
import JobTables
import Testing

@testable import Jobs

/// Somebody who can write to the database, and does not have the key of the machines.
@HostActor
@Suite struct SealTests {
  private static let job = JobDefinition(
    name: "job", path: "/jobs/job.lua", digest: "1", declaration: ["on": ["start": true]],
    needs: ["--allow-read=inbox", "--allow-env=HOME"])

  @Test func aSealHoldsForItsPartsAndItsKeyAlone() {
    let seal = Engine.seal.seal(["a", "bc"])
    #expect(Engine.seal.holds(seal, ["a", "bc"]))
    #expect(Engine.seal.seal(["a", "bc"]) != seal)
    for parts in [["ab", "c"], ["a", "bc", ""], ["a"]] { #expect(!Engine.seal.holds(seal, parts)) }
    #expect(!JobSeal(key: [1]).holds(seal, ["a", "bc"]))
    for text in [nil, "", ".", "x", seal + "0", "." + seal] { #expect(!Engine.seal.holds(text, ["a", "bc"])) }
  }

  @Test func whatNobodyWithTheKeyHasAllowedDoesNotCount() async throws {
    let store = try await Engine.postgresql.store()
    let jobs = try SharedHost(store)
    try await jobs.start([Self.job])
    // It is held.
    #expect(try await store.openRuns().isEmpty)
    for allowed in ["[\"-A\"]", "[\"--allow-read=inbox\",\"--allow-env=HOME\"]", "[\"-A\",\"-e\",\"os.exit()\"]"] {
      try await store.statements.execute("UPDATE job SET allowed = ?", .text(allowed))
      try await jobs.start([Self.job])
      #expect(jobs.starts.isEmpty)
    }
    #expect(
      jobs.messages.contains {
        $0.contains("nobody with the key of the machines has allowed the job job what its row says")
      })
    try await jobs.perform { try await $0.allow("job", Self.job.needs) }
    try await jobs.start([Self.job])
    #expect(jobs.starts.map(\.permissions) == [Self.job.needs])
    // The seal of one job does not hold for another one.
    try await store.statements.execute(
      "INSERT INTO job (name, path, digest, needs, allowed, failures, created, seal) SELECT 'other', path, digest, needs, "
        + "allowed, failures, created, seal FROM job")
    #expect(try await store.job("other")?.allowed == [])
    #expect(try await store.job("job")?.allowed == Self.job.needs)
  }

  @Test func aRunGetsOnlyWhatItsScriptNames() async throws {
    let store = try await Engine.postgresql.store()
    let jobs = try SharedHost(store)
    try await jobs.start([Self.job])
    var record = try #require(try await store.job("job"))
    record.allowed = ["-A", "-e", "print(1)"]
    record.path = "/tmp/other.lua"
    try await store.save(record)
    try await jobs.start([Self.job])
    #expect(jobs.starts.map(\.permissions) == [Self.job.needs])
    #expect(try await store.job("job")?.path == Self.job.path)
    for flags in [["-e", "print(1)"], ["--allow-run=sh"], ["-A"]] {
      await #expect(throws: JobError.self) { try await jobs.perform { try await $0.allow("job", flags) } }
    }
  }

  @Test func messagesThatNoMachineHasSealedAreRemovedAndToldOnce() async throws {
    let store = try await Engine.postgresql.store()
    let jobs = try SharedHost(store)
    var free = Self.job
    free.needs = []
    free.declaration = ["on": ["webhook": "/h", "scheme": "none"]]
    try await jobs.start([free])
    let own = JobStore.Message(
      kind: .hook, job: "job", content: ["kind": "webhook", "body": "x"], machine: "south", received: 1)
    try await store.send(own)
    await jobs.host.turn()
    #expect(jobs.starts.count == 1)
    for kind in ["command", "hook", "wait", "nonsense"] {
      for number in 1...2 {
        try await store.statements.execute(
          """
          INSERT INTO inbox (kind, job, content, machine, received, seal) VALUES (?, 'job', ?, ?, 0, ?)
          """, .text(kind), .text("{\"op\":\"run\",\"job\":\"job\"}"), .text("evil\n\u{1B}[2J"),
          .text("\(number).\(String(repeating: "0", count: 64))"))
      }
    }
    await jobs.host.turn()
    #expect(jobs.starts.count == 1)
    #expect(try await store.statements.first("SELECT count(*) FROM inbox")?[0].integer == 0)
    let told = jobs.messages.filter { $0.contains("in the name of the machine evil⏎␛[2J has not been sealed") }
    #expect(told.count == 1, "\(jobs.messages)")
  }

  @Test func aCopyOfAStateFolderIsNoMachineThatHasEnded() async throws {
    let store = try await Engine.postgresql.store()
    func machine(_ folder: String, _ session: Int64) -> JobMachine {
      JobMachine(name: "north", session: session, folder: folder, host: "a", process: 1, version: "1")
    }
    let first = machine("id/boot-1/7", 1)
    #expect(try await store.transaction { try await $0.join(first, seconds: 30) })
    // The same folder in the same boot: its lock shows that the other process has ended.
    #expect(try await store.transaction { try await $0.join(machine("id/boot-1/7", 2), seconds: 30) })
    for copy in ["id/boot-2/7", "id/boot-1/8", "other/boot-1/7"] {
      #expect(try await store.transaction { try await !$0.join(machine(copy, 3), seconds: 30) }, "\(copy)")
    }
    #expect(machine("id/boot-2/7", 3).sharesFolder(with: first))
    #expect(!machine("other/boot-1/7", 3).sharesFolder(with: first))
    // A time that cannot be keeps no name for ever.
    for until in ["'NaN'", "'Infinity'", "1e300"] {
      try await store.statements.execute("UPDATE machine SET until = \(until)")
      #expect(try await store.machines().isEmpty)
      #expect(try await store.transaction { try await $0.join(machine("other/boot-1/7", 4), seconds: 30) })
    }
  }
}
