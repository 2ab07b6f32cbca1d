import Databases
import HostLoop
import JSON
import JobSimulation
import Testing

@testable import Jobs

/// Rows that the program never writes: somebody else did.
@HostActor
@Suite struct DamagedRowTests {
  @Test(arguments: Engine.allCases)
  func aRunWithNumbersThatCannotBeIsToldAndTheOthersGoOn(_ engine: Engine) async throws {
    let store = try await engine.store()
    let host = try await Simulation(["tick": ["on": ["cron": "0 * * * *"], "interrupted": "again"]], store: store)
    try await host.advance("3h")
    #expect(try await host.states() == ["ok", "ok", "ok"])
    let values: [(String, SQLValue)] = [
      ("attempt", .integer(.max)), ("interruptions", .integer(.max)), ("computed", .integer(.max)),
      ("count", .integer(.min)), ("started", .integer(.min)), ("created", .integer(.max)), ("ended", .integer(.min)),
      ("wake", .integer(.max)), ("until", -1), ("event", "{"), ("error", "{"), ("progress", "["),
      ("arguments", "{}"), ("permissions", "[1]"), ("exit", .integer(.max)), ("process", -1),
    ]
    for (index, (column, value)) in values.enumerated() {
      try await store.statements.execute(
        """
        INSERT INTO run (id, job, kind, count, event, state, attempt, interruptions, created, computed)
        VALUES (?, 'tick', 'hand', 1, '{}', 'started', 1, 0, 1, 0)
        """, .integer(Int64(100 + index)))
      try await store.statements.execute(
        "UPDATE run SET \(column) = ? WHERE id = ?", value, .integer(Int64(100 + index)))
    }
    for _ in 1...2 {
      try await host.jobs.crash(downFor: 60_000)
      try await host.advance("1h")
    }
    for (index, (column, _)) in values.enumerated() {
      let text =
        "the row \(100 + index) of the table run in \(store.place) is damaged: its column \(column) does not hold"
      #expect(host.jobs.messages.filter { $0.contains(text) }.count == 1, "\(column): \(host.jobs.messages)")
    }
    #expect(try await host.states("tick").filter { $0 == "ok" }.count == 5)
    let error = await #expect(throws: DamagedRow.self) { _ = try await store.run(100) }
    #expect(error?.row == "100" && error?.column == "attempt")
  }

  @Test(arguments: Engine.allCases)
  func aStepWhoseResultIsDamagedIsNotTakenForNil(_ engine: Engine) async throws {
    let store = try await engine.store()
    let host = try await Simulation(["tick": ["on": ["cron": "0 * * * *"]]], store: store)
    try await host.advance("1h")
    let run = try #require(try await store.runs(.init()).first)
    try await store.add(JobStore.Step(name: "fetch", number: 1, result: ["id": 7], ended: 1), to: run.id)
    #expect(try await store.steps(of: run.id).first?.result == ["id": 7])
    try await store.statements.execute("UPDATE step SET result = '{\"id\":'")
    let error = await #expect(throws: DamagedRow.self) { _ = try await store.steps(of: run.id) }
    #expect(error?.row == "\(run.id), fetch" && error?.column == "result")
  }

  @Test(arguments: Engine.allCases)
  func damagedStepsAndDueTimesStopNoOtherJobs(_ engine: Engine) async throws {
    let store = try await engine.store()
    let host = try await Simulation(
      ["tick": ["on": ["cron": "0 * * * *"]], "other": ["on": ["cron": "0 * * * *"]]], store: store)
    try await host.advance("3h")
    try await store.statements.execute(
      "UPDATE run SET due = -5 WHERE id = (SELECT max(id) FROM run WHERE job = 'tick')")
    try await store.statements.execute(
      """
      INSERT INTO run (id, job, kind, due, count, event, state, attempt, interruptions, created, computed)
      VALUES (100, 'tick', 'cron', NULL, 1, '{}', 'due', 0, 0, 1, 0), (101, 'tick', 'cron', 9223372036854775807, 1, '{}', 'ok', 1, 0, 1, 0)
      """)
    try await store.statements.execute("INSERT INTO step VALUES (100, 'x', 1, 'garbage', 1)")
    for _ in 1...2 {
      try await host.jobs.crash(downFor: 60_000)
      try await host.advance("2h")
    }
    #expect(try await host.states("other").filter { $0 == "ok" }.count == 7)
    #expect(try await store.run(100)?.state == .failed)
    let later = try await store.runs(.init()).filter { $0.job == "tick" && $0.state == .ok }
    #expect(later.count >= 6, "\(later)")
  }

  @Test(arguments: Engine.allCases)
  func triggersAndJobsWithNumbersThatCannotBeAreToldToo(_ engine: Engine) async throws {
    let store = try await engine.store()
    let host = try await Simulation(
      ["good": ["on": ["every": "1h"]], "bad": ["on": ["every": "1h"]], "worse": ["on": ["every": "1h"]]], store: store)
    for (column, number) in [("anchor", Int64.max), ("last", .min)] {
      try await store.statements.execute("UPDATE trigger SET \(column) = ? WHERE job = 'bad'", .integer(number))
      try await store.statements.execute("UPDATE job SET failures = ? WHERE name = 'worse'", .integer(number))
      try await host.jobs.crash(downFor: 1000)
      try await host.advance("2h")
    }
    #expect(
      host.jobs.messages.contains {
        $0.contains("the row bad, every 1h of the table trigger in \(store.place) is damaged: its column anchor")
      })
    #expect(
      host.jobs.messages.contains {
        $0.contains("the row worse of the table job in \(store.place) is damaged: its column failures")
      })
    #expect(host.jobs.messages.contains("the job worse does not run: its row in the database is damaged"))
    #expect(try await host.states("good").count >= 4)
    // A trigger begins anew.
    #expect(try await host.states("bad").count >= 2)
    #expect(try await host.states("worse").isEmpty)
  }

  @Test func aScriptCannotComputeTheHostToItsEnd() async throws {
    let host = try await Simulation([
      "job": ["on": ["at": "2030-01-01 00:00"], "retry": ["attempts": 2], "overlap": ["parallel": 2]]
    ])
    host.behavior = { run in
      let wait: JSON = ["code": "x", "message": "y", "retry_after": 1e300]
      let sleep: JSON = ["op": "sleep", "until": .integer(.max)]
      return .init(end: .status(1), messages: [run.id == 1 ? ["op": "error", "error": wait] : sleep])
    }
    try await host.jobs.perform { _ = try await $0.run("job", arguments: nil) }
    try await host.advance("1h")
    #expect(try await host.states() == ["retry"])
    try await host.jobs.perform { _ = try await $0.run("job", arguments: nil) }
    try await host.advance("1h")
    #expect(try await host.states() == ["retry", "asleep"])
    try await host.jobs.crash(downFor: 1000)
    #expect(try await host.states().prefix(2) == ["retry", "asleep"])
  }
}
