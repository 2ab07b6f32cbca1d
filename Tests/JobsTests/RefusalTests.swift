import Databases
import HostLoop
import JSON
import JobSimulation
import Testing

@testable import Jobs

/// The database refuses one thing: the others go on.
@HostActor
@Suite struct RefusalTests {
  private static let jobs: [String: JSON] = [
    "tick": ["on": ["every": "1m"]], "order": ["on": ["webhook": "/o", "scheme": "none"]],
  ]

  @Test(arguments: Engine.allCases)
  func longNamesAreRefusedAtTheCall(_ engine: Engine) async throws {
    let host = try await Simulation(Self.jobs, store: engine.store())
    let random = String((0..<6000).map { _ in Character(Unicode.Scalar(UInt8.random(in: 0x21...0x7e))) })
    host.behavior = { run in
      guard run.job == "order" else { return .init() }
      return .init(
        messages: [
          ["op": "step", "name": .string(random), "number": 1, "result": 1],
          ["op": "step", "name": "a\u{0}b", "number": 1, "result": 1],
          ["op": "attach", "path": .string("/" + random), "digest": "d"],
          ["op": "wait", "path": "/a\u{0}"],
        ])
    }
    try await host.jobs.perform { _ = try await $0.run("order", arguments: nil) }
    try await host.advance("5m")
    #expect(try await host.states("order") == ["ok"])
    #expect(try await host.states("tick").count == 5)
    #expect(try await host.jobs.store.steps(of: 1).isEmpty)
    #expect(try await host.jobs.store.attachments(of: 1).isEmpty)
  }

  /// A rule of the database stands for all that it may refuse.
  @Test func aThingThatThePostgreSQLRefusesFailsAlone() async throws {
    let store = try await Engine.postgresql.store()
    let host = try await Simulation(Self.jobs, store: store)
    try await store.statements.execute("ALTER TABLE hook ADD CONSTRAINT bad_hook CHECK (id <> 'bad')")
    try await store.statements.execute("ALTER TABLE step ADD CONSTRAINT bad_step CHECK (name <> 'bad')")
    try await store.statements.execute(
      "ALTER TABLE run ADD CONSTRAINT bad_end CHECK (error IS NULL OR error NOT LIKE '%\"code\":\"bad\"%')")
    host.behavior = { run in
      guard run.job == "order" else { return .init() }
      return .init(
        end: .status(1),
        messages: [
          ["op": "step", "name": "good", "number": 1, "result": 1], ["op": "step", "name": "bad", "number": 1],
          ["op": "error", "error": ["code": "bad", "message": "bad"]],
        ])
    }
    await #expect(throws: (any Error).self) {
      try await host.jobs.perform { _ = try await $0.received("order", ["kind": "webhook"], ids: ["bad"]) }
    }
    try await host.jobs.perform { _ = try await $0.received("order", ["kind": "webhook"], ids: ["good"]) }
    try await host.advance("5m")
    #expect(try await host.states("tick").filter { $0 == "ok" }.count == 5, "\(host.jobs.messages)")
    // The step before it is stored, and the run has ended although its own error cannot be stored.
    let run = try #require(try await host.runs("order").first)
    #expect(run.state == .failed)
    #expect(run.error?.code == "database_constraint")
    #expect(try await store.steps(of: run.id).map(\.name) == ["good"])
    #expect(host.jobs.messages.contains { $0.hasPrefix("the run \(run.id) ends, since the store refuses") })
  }

  @Test func jobsThatCannotBeLoadedEndNoRun() async throws {
    let store = try await Engine.postgresql.store()
    let good = JobDefinition(
      name: "good", path: "/jobs/good.lua", digest: "1", declaration: ["on": ["every": "1h"]])
    var bad = good
    bad.name = "bad"
    try await store.statements.execute("ALTER TABLE job ADD CONSTRAINT no_bad_job CHECK (name <> 'bad')")
    var run = RunRecord(job: "good", kind: "hand", event: [:], created: 1)
    #expect(try await store.add(&run))
    let host = try SharedHost(store)
    try await host.start([good, bad])
    #expect(host.messages.contains { $0.hasPrefix("the jobs stand still: ") }, "\(host.messages)")
    #expect(try await store.run(run.id)?.state == .due)
    try await store.statements.execute("ALTER TABLE job DROP CONSTRAINT no_bad_job")
    await host.host.turn()
    #expect(host.starts.map(\.id) == [run.id])
  }

  /// A text that only PostgreSQL refuses comes with an event.
  @Test func aKeyWithANULStartsItsRun() async throws {
    let host = try await Simulation(
      ["order": ["on": ["webhook": "/o", "scheme": "none"], "overlap": ["queue": 5, "key": "json.id"]]],
      store: Engine.postgresql.store())
    try await host.jobs.perform {
      _ = try await $0.received("order", ["body": "{\"id\":\"a\\u0000b\"}"], ids: ["1"])
    }
    try await host.advance("1m")
    #expect(try await host.states() == ["ok"])
  }
}
