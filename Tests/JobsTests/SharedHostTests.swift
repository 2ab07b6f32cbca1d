import HostLoop
import JSON
import JobSimulation
import Jobs
import Testing

/// A sample of what hosts do, with simulated time, on each engine.
@HostActor
@Suite struct SharedHostTests {
  @Test(arguments: Engine.allCases)
  func crashesLoseAndDoubleNoDueTime(_ engine: Engine) async throws {
    let host = try await Simulation(
      [
        "every": ["on": ["every": "7m"], "catch_up": "all", "overlap": "queue"],
        "cron": ["on": ["cron": "*/10 * * * *"], "catch_up": "all", "overlap": "queue"],
      ], store: engine.store())
    host.behavior = { run in .init(duration: Int64(run.id % 5) * 60_000) }
    for _ in 0..<8 {
      try await host.advance("50m")
      try await host.jobs.crash(downFor: 900_000)
    }
    try await host.advance("2h")
    for (job, interval) in [("every", Int64(7 * 60_000)), ("cron", 600_000)] {
      let dues = try await host.runs(job).compactMap(\.due)
      #expect(zip(dues, dues.dropFirst()).allSatisfy { $1 - $0 == interval }, "\(job)")
      #expect(dues.count > 50)
    }
    #expect(Set(host.starts.map(\.id)).count == host.starts.count)
  }

  @Test(arguments: Engine.allCases)
  func stepsRetriesRequestsAndFollowersWork(_ engine: Engine) async throws {
    let host = try await Simulation(
      [
        "order": ["on": ["webhook": "/o", "scheme": "none"], "retry": ["attempts": 2, "first": "1m"]],
        "told": ["on": ["after": "order", "result": "any"]],
      ], store: engine.store())
    host.behavior = { run in
      guard run.job == "order", run.attempt == 1 else { return .init() }
      return .init(
        end: .status(1),
        messages: [
          ["op": "step", "name": "a", "number": 1, "result": ["x": 1]], ["op": "state", "value": ["seen": 1]],
          ["op": "error", "error": RunError(code: "x", message: "y").json],
        ])
    }
    for id in ["1", "1"] {
      try await host.jobs.perform { _ = try await $0.received("order", ["kind": "webhook"], ids: [id]) }
    }
    #expect(try await host.states("order") == ["retry"])
    try await host.advance("5m")
    #expect(try await host.states() == ["ok", "ok"])
    #expect(try await host.jobs.store.steps(of: 1).map(\.result) == [["x": 1]])
    #expect(try await host.jobs.store.job("order")?.memory == ["seen": 1])
    #expect(try await host.runs("told").count == 1)
  }
}
