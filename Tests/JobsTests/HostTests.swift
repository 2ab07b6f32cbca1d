import HostLoop
import JSON
import JobSimulation
import Jobs
import Schedule
import Testing

@HostActor
@Suite struct HostTests {
  @Test func anIntervalCountsFromItsFirstStartAlsoAfterARestart() async throws {
    let host = try await Simulation(["tick": ["on": ["every": "15m"]]])
    try await host.advance("40m")
    try await host.jobs.crash(downFor: 60_000)
    try await host.advance("10m")
    #expect(try await host.dues() == ["2027-01-04 00:15", "2027-01-04 00:30", "2027-01-04 00:45"])
    #expect(try await host.states() == ["ok", "ok", "ok"])
  }

  @Test func aRowIsThereBeforeItsRunStarts() async throws {
    let host = try await Simulation(["tick": ["on": ["cron": "0 7 * * *"]]])
    var found: [RunRecord] = []
    host.behavior = { run in
      found = (try? await host.runs()) ?? []
      return .init()
    }
    try await host.advance("8h")
    #expect(found.map(\.due) == host.starts.map(\.due))
    #expect(found.count == 1)
  }

  @Test func aYearOfDailyRunsHasOneRunADayInAZoneWithSummerTime() async throws {
    let host = try await Simulation(
      [
        "gap": ["on": ["cron": "30 3 * * *"], "keep": ["days": 400]],
        "hourly": ["on": ["cron": "@hourly"], "keep": ["runs": 10000, "days": 400]],
      ], zone: "Europe/Athens")
    try await host.advance("365d")
    #expect(try await host.runs("gap").count == 365)
    #expect(try await host.runs("hourly").count == 365 * 24)
    #expect(Set(try await host.states()) == ["ok"])
    // 03:30 does not exist on the last Sunday of March: the run comes right after the gap.
    #expect(try await host.dues("gap").filter { $0.hasPrefix("2027-03-28") } == ["2027-03-28 04:00"])
    #expect(try await host.dues("gap").filter { $0.hasPrefix("2027-10-31") } == ["2027-10-31 03:30"])
  }

  @Test(arguments: [
    ("one", ["2027-01-04 05:00"], 1), ("none", [], 4),
    ("all", ["2027-01-04 02:00", "2027-01-04 03:00", "2027-01-04 04:00", "2027-01-04 05:00"], 0),
  ])
  func dueTimesOfADownHostAreCaughtUp(_ policy: String, _ expected: [String], _ skipped: Int64) async throws {
    let host = try await Simulation(["tick": ["on": ["cron": "0 * * * *"], "catch_up": .string(policy)]])
    try await host.advance("90m")
    try await host.jobs.crash(downFor: 4 * 3_600_000)
    let later = try await host.runs().dropFirst()
    #expect(later.filter { $0.state == .ok }.compactMap(\.due).map { host.zone.civil(at: $0).text } == expected)
    let rows = later.filter { $0.state == .skipped }
    // Skips in a row are one row.
    #expect(rows.count <= 1)
    #expect(rows.reduce(0) { $0 + $1.count } == (policy == "one" ? 3 : skipped))
    #expect(rows.allSatisfy { $0.reason == "the host was down" })
  }

  @Test func anOldDueTimeIsNotCaughtUp() async throws {
    let host = try await Simulation([
      "tick": ["on": ["cron": "0 12 * * *"], "catch_up_within": "1h"], "once": ["on": ["at": "2027-01-04 12:00"]],
    ])
    try await host.jobs.crash(downFor: 14 * 3_600_000)
    #expect(try await host.states("tick") == ["skipped"])
    #expect(try await host.states("once") == ["ok"])
  }

  @Test func aRunThatGoesOnSkipsTheNextOnes() async throws {
    let host = try await Simulation(["slow": ["on": ["cron": "* * * * *"]]])
    host.behavior = { _ in .init(duration: 210_000) }
    try await host.advance("5m")
    let rows = try await host.runs()
    #expect(rows.map(\.state) == [.ok, .skipped, .started])
    #expect(rows[1].count == 3)
    #expect(rows[1].reason == "another run has not ended")
    #expect(host.zone.civil(at: rows[1].until ?? 0).text == "2027-01-04 00:04")
  }

  @Test func queuedRunsGoOnInOrderUpToALimit() async throws {
    let host = try await Simulation(["slow": ["on": ["cron": "* * * * *"], "overlap": ["queue": 2]]])
    host.behavior = { _ in .init(duration: 10 * 60_000) }
    try await host.advance("6m")
    #expect(try await host.states() == ["started", "due", "due", "skipped"])
    try await host.advance("5m")
    #expect(host.starts.map(\.id) == [1, 2])
  }

  @Test func aNewerEventRestartsTheRun() async throws {
    let host = try await Simulation(["slow": ["on": ["cron": "* * * * *"], "overlap": "restart"]])
    host.behavior = { _ in .init(duration: 90_000) }
    try await host.advance("3m")
    #expect(try await host.states() == ["canceled", "canceled", "started"])
  }

  @Test func runsWithOneKeyWaitForEachOther() async throws {
    let host = try await Simulation([
      "order": ["on": ["webhook": "/o", "scheme": "none"], "overlap": ["parallel": 1, "key": "query.customer"]]
    ])
    host.behavior = { _ in .init(duration: 60_000) }
    for customer in ["a", "b", "a"] {
      try await host.jobs.perform {
        try await $0.received("order", ["query": ["customer": .string(customer)]], ids: [])
      }
    }
    #expect(try await host.states() == ["started", "started", "due"])
    try await host.advance("1m")
    #expect(try await host.states() == ["ok", "ok", "started"])
  }

  @Test func theHostRunsNoMoreThanItMay() async throws {
    var jobs: [String: JSON] = [:]
    for number in 1...20 { jobs["job\(number)"] = ["on": ["cron": "0 1 * * *"]] }
    let host = try await Simulation(jobs, parallel: 3)
    var most = 0
    host.behavior = { _ in
      most = max(most, (try? await host.states().count { $0 == "started" }) ?? 0)
      return .init(duration: 1000)
    }
    try await host.advance("2h")
    #expect(try await host.states() == Array(repeating: "ok", count: 20))
    #expect(host.starts.count == 20)
    #expect(most <= 3)
  }

  @Test func aLongProcessIsEnded() async throws {
    let host = try await Simulation(["slow": ["on": ["every": "1h"], "timeout": "5m"]])
    host.behavior = { _ in .init(duration: .max / 4) }
    try await host.advance("66m")
    let run = try #require(try await host.runs().first)
    #expect(run.state == .timedOut)
    #expect(run.error?.message == "the run took longer than 300 s")
    #expect((run.ended ?? 0) - (run.started ?? 0) == 300_000)
  }

  @Test func aFurtherTryHasItsWholeTime() async throws {
    let host = try await Simulation([
      "slow": ["on": ["at": "2027-01-04 01:00"], "timeout": "5m", "retry": ["attempts": 2, "first": "10s"]]
    ])
    host.behavior = { run in .init(duration: run.attempt == 1 ? .max / 4 : 240_000) }
    try await host.advance("2h")
    #expect(try await host.states() == ["ok"])
    #expect(try await host.runs().map(\.attempt) == [2])
  }

  @Test func aFailedRunIsTriedAgainWithLongerWaits() async throws {
    let host = try await Simulation([
      "retry": ["on": ["at": "2027-01-04 01:00"], "retry": ["attempts": 4, "first": "10s", "most": "30s"]]
    ])
    var times: [Int64] = []
    host.behavior = { run in
      times.append(host.jobs.now)
      return run.attempt < 4 ? .failing("boom", "it broke") : .init()
    }
    try await host.advance("2h")
    #expect(try await host.states() == ["ok"])
    #expect(try await host.runs().map(\.attempt) == [4])
    #expect(zip(times, times.dropFirst()).map { $1 - $0 } == [10_000, 20_000, 30_000])
  }

  @Test func onlySomeErrorsAreTriedAgainAndNotBeforeTheServerWants() async throws {
    let host = try await Simulation([
      "some": ["on": ["at": "2027-01-04 01:00"], "retry": ["attempts": 3, "first": "1s", "on": ["http_status"]]],
      "other": ["on": ["at": "2027-01-04 01:00"], "retry": ["attempts": 3, "on": ["timeout"]]],
    ])
    host.behavior = { _ in
      var error = RunError(code: "http_status", message: "503")
      error.retryAfter = 120
      return .init(end: .status(1), messages: [["op": "error", "error": error.json]])
    }
    try await host.advance("61m")
    #expect(try await host.runs("some").map(\.attempt) == [1])
    #expect(try await host.states("some") == ["retry"])
    #expect(try await host.states("other") == ["failed"])
    try await host.advance("2m")
    #expect(try await host.runs("some").map(\.attempt) == [2])
  }

  @Test func aServerCannotPutARetryOffForever() async throws {
    let host = try await Simulation([
      "some": ["on": ["at": "2027-01-04 01:00"], "retry": ["attempts": 2, "first": "1s"]]
    ])
    host.behavior = { _ in
      var error = RunError(code: "http_status", message: "503")
      error.retryAfter = 1e300
      return .init(end: .status(1), messages: [["op": "error", "error": error.json]])
    }
    try await host.advance("61m")
    let run = try #require(try await host.runs("some").first)
    #expect(run.wake.map { $0 - host.jobs.now } ?? 0 <= Int64(Wait.longest * 1000))
    try await host.advance("31d")
    #expect(try await host.states("some") == ["failed"])
  }

  @Test func aJobThatKeepsFailingIsPausedAndTold() async throws {
    let host = try await Simulation(["bad": ["on": ["every": "1m"], "pause_after": 3]])
    host.behavior = { _ in .failing("boom", "it broke") }
    try await host.advance("10m")
    #expect(try await host.states() == ["failed", "failed", "failed", "skipped"])
    #expect(
      host.jobs.messages.filter { $0.contains("paused") } == [
        "the job bad is paused: 3 runs failed one after the other; b2c-run jobs resume bad"
      ])
    try await host.jobs.perform { try await $0.resume("bad") }
    host.behavior = { _ in .init() }
    try await host.advance("1m")
    #expect(try await host.states().last == "ok")
  }

  @Test func interruptedRunsAreToldOrRepeated() async throws {
    let host = try await Simulation([
      "report": ["on": ["at": "2027-01-04 01:00"]],
      "again": ["on": ["at": "2027-01-04 01:00"], "interrupted": "again"],
    ])
    host.behavior = { _ in .init(duration: 600_000) }
    try await host.advance("61m")
    try await host.jobs.crash(downFor: 1000)
    #expect(try await host.states("report") == ["interrupted"])
    #expect(try await host.runs("again").map(\.attempt) == [2])
    for _ in 1...5 { try await host.jobs.crash(downFor: 1000) }
    #expect(try await host.states("again") == ["interrupted"])
    #expect(try await host.runs("again").map(\.attempt) == [6])
    #expect(try await host.runs().count == 2)
  }

  @Test func aRunThatGoesOnLaterDoesSoAfterACrash() async throws {
    let at: JSON = ["on": ["at": "2027-01-04 01:00"]]
    let host = try await Simulation(["sleeps": at, "waits": at])
    host.behavior = { _ in .init(duration: 600_000) }
    try await host.advance("61m")
    let until = host.jobs.now + 3_600_000
    for run in try await host.runs() {
      let message: RunMessage =
        run.job == "sleeps"
        ? .sleep(until: until) : .wait(.request(path: "/w"), step: "w", number: 1, until: until)
      host.jobs.host.processSaid(run.id, message.json)
    }
    // The host dies before the processes have ended.
    try await host.jobs.perform { _ in }
    try await host.jobs.crash(downFor: 1000)
    #expect(try await host.states("sleeps") == ["asleep"])
    #expect(try await host.states("waits") == ["waiting"])
    host.behavior = { _ in .init() }
    try await host.advance("2h")
    #expect(try await host.runs().map(\.state) == [.ok, .ok])
    #expect(try await host.runs("sleeps").map(\.attempt) == [1])
  }

  @Test func otherJobsFollowTheEndOfARun() async throws {
    let host = try await Simulation([
      "work": ["on": ["every": "1h"]], "ok": ["on": ["after": "work"]],
      "failed": ["on": ["after": "*", "result": "failed"]],
      "recovered": ["on": ["after": "work", "result": "recovered"]], "any": ["on": ["after": "work", "result": "any"]],
    ])
    var fails = true
    host.behavior = { run in run.job == "work" && fails ? .failing("boom", "it broke") : .init() }
    try await host.advance("61m")
    #expect(Set(host.starts.map(\.job)) == ["work", "failed", "any"])
    let told = try #require(try await host.runs("failed").first?.event["run"])
    #expect(told["error"]?["message"] == "it broke")
    #expect(told["job"] == "work")
    fails = false
    try await host.advance("1h")
    #expect(Set(host.starts.dropFirst(3).map(\.job)) == ["work", "ok", "recovered", "any"])
  }

  @Test func jobsThatStartEachOtherComeToAnEnd() async throws {
    let host = try await Simulation([
      "a": ["on": [["at": "2027-01-04 01:00"], ["after": "b"]]], "b": ["on": ["after": "a"]],
    ])
    try await host.advance("2h")
    #expect(try await host.runs().count == 11)
    #expect(host.jobs.messages.contains { $0.contains("jobs have started each other") })
  }

  @Test func aLateJobIsTold() async throws {
    let host = try await Simulation([
      "work": ["on": ["cron": "0 * * * *"]],
      "late": ["on": ["after": "work", "result": "late", "late_after": "10m"]],
    ])
    host.behavior = { _ in .init(duration: 5 * 60_000) }
    try await host.advance("3h")
    #expect(try await host.runs("late").isEmpty)
    host.behavior = { run in run.job == "work" ? .init(duration: 30 * 60_000) : .init() }
    try await host.advance("65m")
    try await host.advance("6m")
    #expect(try await host.runs("late").count == 1)
    #expect(try await host.runs("late").first?.event["run"]?["result"] == "late")
  }

  @Test func aClockThatIsSetLosesAndDoublesNothing() async throws {
    let host = try await Simulation(["daily": ["on": ["cron": "0 12 * * *"]], "often": ["on": ["every": "10m"]]])
    try await host.advance("12h")
    try await host.advance("5m")
    // An hour back, as after summer time on a machine that does not know zones.
    try await host.jobs.setClock(by: -3_600_000)
    let before = try await host.runs("often").count
    try await host.advance("2h")
    #expect(try await host.runs("daily").count == 1)
    #expect(try await host.runs("often").count - before == 12)
    // Five hours forward is a correction: the due times between do not count.
    try await host.jobs.setClock(by: 5 * 3_600_000)
    try await host.advance("1m")
    #expect(try await host.runs("daily").count == 1)
    try await host.advance("18h")
    #expect(try await host.runs("daily").count == 2)
  }

  @Test func aSleepOfTheMachineIsCaughtUp() async throws {
    let host = try await Simulation(["daily": ["on": ["cron": "0 12 * * *"]]])
    try await host.advance("1h")
    try await host.jobs.sleep(24 * 3_600_000)
    #expect(try await host.states() == ["ok"])
    #expect(try await host.runs().first?.event["caught_up"] == true)
  }

  @Test func spreadMovesDueTimesByAFixedOffset() async throws {
    let jobs: [String: JSON] = [
      "a": ["on": ["cron": "0 * * * *"], "spread": "30m"], "b": ["on": ["cron": "0 * * * *"], "spread": "30m"],
    ]
    let host = try await Simulation(jobs)
    try await host.advance("3h")
    let minutes = Set(try await host.dues("a").map { String($0.suffix(2)) })
    #expect(minutes.count == 1)
    #expect(try await host.dues("a") != host.dues("b"))
    let other = try await Simulation(jobs)
    try await other.advance("3h")
    #expect(try await other.dues("a") == host.dues("a"))
  }

  @Test func aReceivedRequestIsTakenOnceAndAFullQueueRefuses() async throws {
    let host = try await Simulation([
      "order": ["on": ["webhook": "/o", "scheme": "none"], "overlap": ["queue": 1]]
    ])
    host.behavior = { _ in .init(duration: 60_000) }
    func send(_ id: String) async throws -> String {
      switch try await host.jobs.perform({ try await $0.received("order", ["kind": "webhook"], ids: [id]) }) {
      case .accepted: "accepted"
      case .repeated: "repeated"
      case .full: "full"
      }
    }
    var answers: [String] = []
    for id in ["1", "1", "2", "3"] { answers.append(try await send(id)) }
    #expect(answers == ["accepted", "repeated", "accepted", "full"])
    try await host.advance("2m")
    // A refused request may come again.
    #expect(try await send("3") == "accepted")
    #expect(try await host.runs().count == 3)
  }

  @Test func aScriptThatChangedBehindItsStepsIsAnError() async throws {
    let declaration: JSON = ["on": ["at": "2027-01-04 01:00"], "retry": ["attempts": 2, "first": "1m"]]
    let host = try await Simulation(["steps": declaration])
    host.behavior = { _ in
      .init(
        end: .status(1),
        messages: [
          ["op": "step", "name": "a", "number": 1, "result": 1],
          ["op": "error", "error": RunError(code: "x", message: "y").json],
        ])
    }
    try await host.advance("60m")
    try await host.load(["steps": declaration], digest: "2")
    try await host.advance("2m")
    let run = try #require(try await host.runs().first)
    #expect(run.error?.code == "script_changed")
    #expect(run.error?.message == "the script changed from 1 to 2 after 1 of its steps were stored")
  }

  @Test func oldRunsLeaveTheHistory() async throws {
    let host = try await Simulation(
      [
        "few": ["on": ["every": "1m"], "keep": ["runs": 5]], "short": ["on": ["every": "1h"], "keep": ["days": 1]],
        "usual": ["on": ["every": "1h"]],
      ], keep: 2)
    try await host.advance("3d")
    #expect(try await host.runs("few").count == 5)
    #expect(try await 24...26 ~= host.runs("short").count)
    #expect(try await 48...50 ~= host.runs("usual").count)
  }

  @Test func aBrokenScriptLosesNoState() async throws {
    let host = try await Simulation(["tick": ["on": ["every": "15m"]]])
    try await host.advance("20m")
    try await host.jobs.load([
      JobDefinition(
        name: "tick", path: "jobs/tick.lua", digest: "2", declaration: nil, trouble: "jobs/tick.lua:1: broken")
    ])
    try await host.advance("1h")
    try await host.load(["tick": ["on": ["every": "15m"]]], digest: "3")
    try await host.advance("10m")
    #expect(try await host.dues().first == "2027-01-04 00:15")
    #expect(try await host.dues().last == "2027-01-04 01:30")
  }

  @Test func twoJobsOfOnePathAreToldAndTheSecondDoesNotRun() async throws {
    let host = try await Simulation([
      "a": ["on": ["webhook": "/h", "scheme": "none"]], "b": ["on": ["webhook": "/h", "scheme": "none"]],
    ])
    #expect(host.jobs.messages.contains("the job b does not run: the jobs a and b have the same path: /h"))
  }

  /// Crashes at any moment: no due time is lost or comes twice.
  @Test func a24DaySoakWithCrashesLosesNoDueTime() async throws {
    let host = try await Simulation([
      "every": ["on": ["every": "7m"], "catch_up": "all", "overlap": "queue", "keep": ["runs": 100_000]],
      "cron": ["on": ["cron": "*/10 * * * *"], "catch_up": "all", "overlap": "queue", "keep": ["runs": 100_000]],
    ])
    host.behavior = { run in .init(duration: Int64(run.id % 5) * 60_000) }
    var random = SplitMix(seed: 7)
    var passed: Int64 = 0
    let all: Int64 = 24 * 86_400_000
    while passed < all {
      let step = Int64(random.next() % 7_200_000)
      try await host.jobs.advance(by: step)
      let down = Int64(random.next() % 1_800_000)
      try await host.jobs.crash(downFor: down)
      passed += step + down
    }
    try await host.advance("2h")
    for (job, interval) in [("every", Int64(7 * 60_000)), ("cron", 600_000)] {
      let dues = try await host.runs(job).compactMap(\.due)
      #expect(zip(dues, dues.dropFirst()).allSatisfy { $1 - $0 == interval }, "\(job)")
      #expect(Int64(dues.count) >= all / interval - 1)
    }
    #expect(Set(host.starts.map(\.id)).count == host.starts.count)
    #expect(Set(try await host.states()).isSubset(of: ["ok", "interrupted", "started"]))
  }
}

private struct SplitMix {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
