import HostLoop
import JSON
import JobConditions
import JobSimulation
import Jobs
import Schedule
import Testing

/// The commands of an operator for all jobs, to past due times and to single runs.
@HostActor
@Suite struct OperatorTests {
  @Test func aPauseOfAllJobsSkipsDueTimesAndLetsTheRestWait() async throws {
    let host = try await Simulation([
      "tick": ["on": ["every": "15m"]], "hook": ["on": ["webhook": "/h", "scheme": "none"]],
    ])
    try await host.jobs.perform { try await $0.pauseAll(nil) }
    _ = try await host.jobs.perform { try await $0.received("hook", ["kind": "webhook"], ids: ["1"]) }
    try await host.jobs.perform { _ = try await $0.run("tick", arguments: nil) }
    try await host.advance("40m")
    #expect(host.starts.map(\.kind) == ["hand"])
    // A restart ends no pause.
    try await host.jobs.crash(downFor: 1000)
    try await host.advance("10m")
    #expect(try await host.states("hook") == ["due"])
    let open = try await OpenRuns(host.jobs.store, host.zone, now: host.jobs.now)
    let waiting = try #require(try await host.runs("hook").first)
    #expect(open.reason(of: waiting) == "waits for the end of the pause: all jobs are paused by hand")
    #expect(try await host.runs("tick").last?.reason == "all jobs are paused by hand")
    try await host.jobs.perform { try await $0.resumeAll() }
    try await host.advance("20m")
    #expect(try await host.states("hook") == ["ok"])
    #expect(host.starts.count { $0.kind == "every" } == 1)
  }

  @Test func aWindowOfMaintenanceBeginsAndEndsByItself() async throws {
    let host = try await Simulation([
      "tick": ["on": ["cron": "0 * * * *"]], "hook": ["on": ["webhook": "/h", "scheme": "none"]],
    ])
    func time(_ text: String) throws -> Int64 { try Schedule.moment(of: text, in: host.zone) }
    let window = HostPause.Window(from: try time("2027-01-04 01:30"), until: try time("2027-01-04 03:30"))
    try await host.jobs.perform { try await $0.pauseAll(window) }
    try await host.advance("2h")
    _ = try await host.jobs.perform { try await $0.received("hook", ["kind": "webhook"], ids: ["1"]) }
    try await host.advance("3h")
    #expect(try await host.states("tick") == ["ok", "skipped", "ok", "ok"])
    let skipped = try #require(try await host.runs("tick").first { $0.state == .skipped })
    #expect(skipped.reason == "maintenance until 2027-01-04 03:30" && skipped.count == 2)
    #expect(try await host.runs("hook").first?.started == window.until)
    await #expect {
      try await host.jobs.perform { try await $0.pauseAll(window) }
    } throws: { "\($0)".contains("ends before it begins, or has passed") }
  }

  @Test func jobsOfAGroupShareALimit() async throws {
    let group: JSON = ["name": "crm", "at_most": 2]
    let declaration: JSON = ["on": ["webhook": "/h", "scheme": "none"], "group": group, "overlap": ["parallel": 5]]
    let other: JSON = ["on": ["at": "2027-01-04 01:00"], "group": group]
    let host = try await Simulation(
      ["a": declaration, "b": other, "free": ["on": ["at": "2027-01-04 01:00"]]], parallel: 10)
    host.behavior = { _ in .init(duration: 600_000) }
    try await host.advance("59m")
    for id in ["1", "2", "3"] {
      _ = try await host.jobs.perform { try await $0.received("a", ["kind": "webhook"], ids: [id]) }
    }
    #expect(try await host.states("a") == ["started", "started", "due"])
    try await host.advance("1m")
    #expect(try await host.states("b") == ["due"])
    #expect(try await host.states("free") == ["started"])
    let open = try await OpenRuns(host.jobs.store, host.zone, now: host.jobs.now)
    let waiting = try #require(try await host.runs("b").first)
    #expect(
      open.reason(of: waiting) == "waits for the group crm, of which at most 2 may run: run 1 of a, run 2 of a")
    try await host.advance("30m")
    #expect(Set(try await host.states()) == ["ok"])
    let runs = try await host.runs().filter { $0.job != "free" }
    let longest = runs.map { run in
      runs.count { ($0.started ?? 0) <= (run.started ?? 0) && (run.started ?? 0) < ($0.ended ?? 0) }
    }.max()
    #expect(longest == 2)
  }

  @Test func aBackfillRunsPastDueTimesOneAfterTheOther() async throws {
    let host = try await Simulation(["daily": ["on": ["cron": "0 7 * * *"]]], from: "2027-01-10 12:00")
    func time(_ text: String) throws -> Int64 { try Schedule.moment(of: text, in: host.zone) }
    let (from, until) = (try time("2027-01-04"), try time("2027-01-08"))
    let trial = try await host.jobs.perform { try await $0.backfill("daily", from: from, until: until, isTrial: true) }
    #expect(trial.count == 4)
    #expect(try await host.runs().isEmpty)
    _ = try await host.jobs.perform { try await $0.backfill("daily", from: from, until: until, isTrial: false) }
    #expect(
      try await host.dues() == ["2027-01-04 07:00", "2027-01-05 07:00", "2027-01-06 07:00", "2027-01-07 07:00"])
    #expect(Set(try await host.states()) == ["ok"])
    #expect(try await host.runs().allSatisfy { $0.event["backfill"] == true })
    let again = try await host.jobs.perform { try await $0.backfill("daily", from: from, until: until, isTrial: false) }
    #expect(again.count == 0 && again.note == "4 due times have run already, and do not run again")
  }

  @Test(arguments: [
    ("0 7 * * *", "2017-01-01", "2027-01-01", "has 3652 due times from 2017-01-01 00:00 to 2027-01-01 00:00"),
    ("* * * * *", "2017-01-01", "2027-01-01", "has more than 10000 due times"),
    ("0 7 * * *", "2027-01-01", "2027-02-01", "a backfill ends in the past, and not at 2027-02-01 00:00"),
  ])
  func aBackfillOfTooMuchIsRefused(_ cron: String, _ from: String, _ to: String, _ expected: String) async throws {
    let host = try await Simulation(["job": ["on": ["cron": .string(cron)]]], from: "2027-01-10 12:00")
    let (from, until) = (try Schedule.moment(of: from, in: host.zone), try Schedule.moment(of: to, in: host.zone))
    await #expect {
      try await host.jobs.perform { try await $0.backfill("job", from: from, until: until, isTrial: false) }
    } throws: { "\($0)".contains(expected) }
    #expect(try await host.runs().isEmpty)
  }

  @Test func aRunByHandTakesAnotherEvent() async throws {
    let host = try await Simulation([
      "hook": ["on": ["webhook": "/h", "scheme": "none"]], "other": ["on": ["start": true]],
    ])
    let event: JSON = ["kind": "webhook", "body": "{\"order\": 7}"]
    let first = try await host.jobs.perform { try await $0.run("hook", arguments: ["x"], event: event) }
    let second = try await host.jobs.perform { try await $0.run("hook", arguments: nil, like: first) }
    let third = try await host.jobs.perform {
      try await $0.run("hook", arguments: ["y"], event: ["kind": "webhook", "body": "{}"], like: first)
    }
    let runs = try await host.runs("hook")
    #expect(runs.map(\.id) == [first, second, third])
    #expect(runs.map { $0.event["body"]?.string } == ["{\"order\": 7}", "{\"order\": 7}", "{}"])
    #expect(runs.map(\.arguments) == [["x"], ["x"], ["y"]])
    #expect(runs[1].event["like"] == .integer(first) && runs[1].event["by_hand"] == true && runs[1].kind == "webhook")
    await #expect {
      try await host.jobs.perform { _ = try await $0.run("other", arguments: nil, like: first) }
    } throws: { "\($0)".contains("the run \(first) is of the job hook, and not of other") }
    await #expect {
      try await host.jobs.perform { _ = try await $0.run("hook", arguments: nil, event: ["x"]) }
    } throws: { "\($0)".contains("expected an event as a JSON object, got a list") }
  }

  @Test(arguments: Engine.allCases)
  func aSearchFindsRunsByTheirTexts(_ engine: Engine) async throws {
    let store = try await engine.store()
    var ids: [Int64] = []
    for (job, body) in [("orders", "Anna 100%"), ("bills", "Ben"), ("orders", "Carl")] {
      var run = RunRecord(job: job, kind: "webhook", event: ["body": .string(body)], created: 0)
      _ = try await store.add(&run)
      ids.append(run.id)
    }
    for (text, expected) in [("ORDER", [2, 0]), ("100%", [0]), ("_", []), ("ben", [1])] {
      var filter = JobStore.Filter()
      filter.text = text
      #expect(try await store.runs(filter).map(\.id) == expected.map { ids[$0] })
    }
  }

  @Test(arguments: [
    (#"{"at_most": 2}"#, "b2c.job: group.name: is missing"), (#"{"name": "a"}"#, "b2c.job: group.at_most: is missing"),
    (#"{"name": "a", "at_most": 0}"#, "b2c.job: group.at_most: expected a whole number from 1 to 1000, got 0"),
    (#"{"name": "a", "at_most": 1, "x": 1}"#, "b2c.job: group.x: there is no such key"),
  ])
  func aBadGroupIsRefused(_ group: String, _ expected: String) throws {
    let declaration: JSON = ["on": ["start": true], "group": try JSON(parsing: group)]
    #expect { try JobDeclaration(declaration, zone: try Zone("UTC")) } throws: {
      ($0 as? JobError)?.message == expected
    }
  }
}
