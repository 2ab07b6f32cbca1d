import HostLoop
import JSON
import JobSimulation
import Jobs
import Testing

/// A clock that somebody sets back, while the host is up and while it is down.
@HostActor
@Suite struct ClockTests {
  private static let jobs: [String: JSON] = [
    "every": ["on": ["every": "10m"]], "minute": ["on": ["cron": "* * * * *"]],
    "daily": ["on": ["cron": "30 11 * * *"]],
    "retry": ["on": ["webhook": "/r", "scheme": "none"], "retry": ["attempts": 2, "first": "1m"]],
  ]

  private func count(_ store: JobStore, _ job: String) async throws -> Int {
    var filter = JobStore.Filter()
    (filter.job, filter.limit) = (job, 100_000)
    return try await store.runs(filter).count { $0.state == .ok }
  }

  @Test(arguments: [true, false]) func anHourThatComesAgainSilencesNothing(_ isUp: Bool) async throws {
    let store = try JobStore.inMemory()
    var host = try await Simulation(Self.jobs, from: "2027-01-04 11:00", store: store)
    host.behavior = { run in run.job == "retry" && run.attempt == 1 ? .failing("x", "y") : .init() }
    try await host.advance("1h")
    try await host.jobs.perform { _ = try await $0.received("retry", [:], ids: []) }
    let before = (try await count(store, "every"), try await count(store, "minute"), try await count(store, "daily"))
    #expect(before == (6, 60, 1))
    if isUp {
      try await host.jobs.setClock(by: -3_600_000)
      #expect(host.jobs.messages.contains("the clock was set back by 3600 s"))
    } else {
      let behavior = host.behavior
      host = try await Simulation(Self.jobs, from: "2027-01-04 11:00", store: store)
      host.behavior = behavior
      #expect(host.jobs.messages.contains { $0.hasPrefix("the clock is 60 min behind") }, "\(host.jobs.messages)")
    }
    try await host.advance("1h")
    #expect(try await count(store, "every") == 12)
    #expect(try await count(store, "minute") == 120)
    // A fixed time does not come again, as with cron.
    #expect(try await count(store, "daily") == 1)
    #expect(try await count(store, "retry") == 1)
    // Nothing of it is taken for what was missed.
    #expect(try await host.runs().allSatisfy { $0.event["caught_up"] == nil })
    // Another start in the hour that comes again changes nothing.
    try await host.jobs.crash(downFor: 1000)
    try await host.advance("1h")
    #expect(try await count(store, "minute") == 180)
  }

  @Test func aCorrectionRunsEachTimeThatTheClockShowsAgain() async throws {
    let host = try await Simulation(["hour": ["on": ["cron": "0 8-20 * * *"]]], from: "2027-01-04 07:30")
    try await host.advance("6h")
    try await host.jobs.setClock(by: -5 * 3_600_000)
    try await host.advance("3h")
    #expect(try await host.states("hour") == Array(repeating: "ok", count: 9))
  }
}
