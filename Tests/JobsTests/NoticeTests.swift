import Holidays
import HostLoop
import JSON
import JobNotices
import JobSimulation
import Jobs
import Schedule
import Testing

@HostActor
@Suite struct NoticeTests {
  private func notice(_ on: String, _ to: String = "https://hooks.example.com/secret") throws -> Notice {
    try Notice(["on": .string(on), "to": .string(to)])
  }

  @Test func endsOfRunsMakeNoticesThatOutliveARestart() async throws {
    let notify: JSON = [
      ["to": "https://hooks.example.com/a"], ["on": "recovery", "to": "ntfy:topic"],
      ["on": "any", "to": "https://b.example/"],
    ]
    let host = try await Simulation(["job": ["on": ["every": "1h"], "notify": notify]])
    host.behavior = { _ in .failing("x", "it broke") }
    try await host.advance("61m")
    #expect(host.jobs.host.notices.map(\.notice.shown) == ["hooks.example.com", "b.example"])
    #expect(host.jobs.host.notices.first?.content["text"] == "job run 1: failed: it broke")
    try await host.jobs.crash(downFor: 1000)
    let kept = host.jobs.host.notices
    #expect(kept.count == 2)
    host.behavior = { _ in .init() }
    try await host.advance("1h")
    #expect(
      host.jobs.host.notices.dropFirst(2).map(\.content["text"]?.string) == [
        "job run 2: recovered", "job run 2: recovered",
      ])
    let first = try #require(kept.first)
    try await host.jobs.perform { try await $0.noticeTried(first, nil) }
    #expect(host.jobs.host.notices.count == 3)
  }

  @Test func aNoticeThatCannotBeSentIsToldAndGivenUp() async throws {
    let host = try await Simulation([
      "job": ["on": ["every": "10h"], "notify": ["to": "https://hooks.example.com/secret"]]
    ])
    host.behavior = { _ in .failing("x", "it broke") }
    try await host.jobs.perform { _ = try await $0.run("job", arguments: nil) }
    for _ in 0..<10 {
      let entry = try #require(host.jobs.host.notices.first)
      #expect(entry.wake - host.jobs.now <= 6 * 3_600_000)
      try await host.jobs.perform { try await $0.noticeTried(entry, "no answer") }
    }
    #expect(host.jobs.host.notices.isEmpty)
    #expect(
      host.jobs.messages.last?.contains("to hooks.example.com cannot be sent, and is given up: no answer") == true)
    #expect(!host.jobs.messages.contains { $0.contains("secret") })
    // No run, and no further notice, came of it.
    #expect(try await host.runs().count == 1)
  }

  @Test(arguments: [
    ("http://example.com/", "b2c.job: notify.to: expected an address with https://, or ntfy:TOPIC"),
    ("mailto:a@example.com", "b2c.job: notify.to: expected an address with https://, or ntfy:TOPIC"),
    ("https://user:pass@example.com/", "b2c.job: notify.to: expected an address with https://, or ntfy:TOPIC"),
  ])
  func aBadAddressIsRefused(_ to: String, _ expected: String) throws {
    let declaration: JSON = ["on": ["start": true], "notify": ["to": .string(to)]]
    #expect { try JobDeclaration(declaration, zone: try Zone("UTC")) } throws: {
      ($0 as? JobError)?.message == expected
    }
  }

  @Test func aNoticeNeedsAPermission() throws {
    #expect(try notice("any").need == "--allow-net=hooks.example.com")
    #expect(try notice("any", "ntfy:topic").request.url == "https://ntfy.sh/topic")
    #expect(throws: Notice.Problem.self) { try notice("sometimes") }
    let all = JobNeeds.all(in: [], ["on": ["start": true], "notify": ["to": "https://a.example/x"]], from: [])
    #expect(all == ["--allow-net=a.example"])
  }

  // MARK: Holidays

  private func calendar(_ lines: String...) -> [UInt8] {
    Array((["BEGIN:VCALENDAR"] + lines + ["END:VCALENDAR", ""]).joined(separator: "\r\n").utf8)
  }

  @Test func aCalendarHasDaysAndYears() throws {
    let holidays = try Holidays(
      ics: calendar(
        "BEGIN:VEVENT", "DTSTART;VALUE=DATE:20271224", "DTEND;VALUE=DATE:", " 20271227", "END:VEVENT", "BEGIN:VEVENT",
        "DTSTART:20200101T000000Z", "RRULE:FREQ=YEARLY", "END:VEVENT"))
    #expect(holidays.texts == ["*-01-01", "2027-12-24", "2027-12-25", "2027-12-26"])
    #expect(Holidays(texts: holidays.texts) == holidays)
    #expect(Holidays(texts: ["2027-02-29"]) == nil)
  }

  @Test func aBrokenCalendarNamesTheLine() {
    func problem(_ bytes: [UInt8]) -> String? {
      do throws(Holidays.Problem) { _ = try Holidays(ics: bytes) } catch {
        return "\(error.line ?? 0): \(error.message)"
      }
      return nil
    }
    #expect(problem(Array("x".utf8)) == "0: is not a calendar: there is no BEGIN:VCALENDAR in it")
    #expect(
      problem(calendar("BEGIN:VEVENT", "DTSTART:2027")) == "3: DTSTART: expected a day such as 20271225, got '2027'")
    #expect(problem(calendar("BEGIN:VEVENT", "END:VEVENT")) == "2: the event has no DTSTART")
    #expect(problem(calendar("BEGIN:VEVENT")) == "2: the event has no END:VEVENT")
    #expect(problem(calendar("BEGIN:VEVENT", "RRULE:FREQ=DAILY")) == "3: RRULE: expected FREQ=YEARLY, got FREQ=DAILY")
    #expect(
      problem(calendar("BEGIN:VEVENT", "DTSTART:20200101", "DTEND:20990101", "END:VEVENT"))?.contains(
        "more than 5000 days") == true)
  }

  @Test func dueTimesOnHolidaysAreSkipped() async throws {
    let on: JSON = ["cron": "0 7 * * *", "except": ["2027-01-05", "*-01-06"]]
    let host = try await Simulation(["daily": ["on": on]])
    try await host.advance("4d")
    #expect(
      host.starts.compactMap(\.due).map { host.zone.civil(at: $0).text } == ["2027-01-04 07:00", "2027-01-07 07:00"])
    let skipped = try #require(try await host.runs().first { $0.state == .skipped })
    #expect(skipped.reason == "a holiday" && skipped.count == 2)
    let declaration = try JobDeclaration(["on": on], zone: host.zone)
    let from = try Schedule.moment(of: "2027-01-04 08:00", in: host.zone)
    let next = declaration.dueTimes(of: "daily", after: from, count: 1).map { host.zone.civil(at: $0.time).text }
    #expect(next == ["2027-01-07 07:00"])
  }
}
