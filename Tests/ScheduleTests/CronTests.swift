import Testing

@testable import Schedule

@Suite struct CronTests {
  private static let places: [(zone: String, days: [String])] = [
    ("Europe/Athens", ["2027-03-28", "2027-10-31"]), ("America/New_York", ["2027-03-14", "2027-11-07"]),
    ("Australia/Lord_Howe", ["2027-04-04", "2027-10-03"]), ("America/Santiago", ["2027-04-04", "2027-09-05"]),
    ("Pacific/Apia", ["2011-12-30", "2012-04-01"]), ("Antarctica/Troll", ["2027-03-28", "2027-10-31"]),
    ("Africa/Casablanca", ["2027-02-07", "2027-03-14"]), ("America/Sao_Paulo", ["2018-11-04", "2019-02-17"]),
    ("Asia/Kolkata", ["2027-01-01"]),
  ]

  @Test("Due times over changes of the clocks are those of Debian's cron daemon", arguments: places.map(\.zone))
  func oracle(_ name: String) throws {
    let zone = try Zone(name)
    let days = Self.places.first { $0.zone == name }?.days ?? []
    var random = Numbers(state: 11)
    let minutes = ["*", "*/7", "0", "30", "5,35", "59", "0,15,30,45", "10-20"]
    let hours = ["*", "*/2", "0", "1", "2", "3", "23", "0-3", "1,2,3"]
    let monthDays = ["*", "*", "1-15", "4", "31"]
    let weekdays = ["*", "*", "0", "1-5", "7"]
    for day in days {
      let middle = try Schedule.moment(of: "\(day) 12:00", in: .utc) / 1000
      let (begin, end) = (middle - 3 * 86400, middle + 3 * 86400)
      for _ in 0..<60 {
        let fields = [random.pick(minutes), random.pick(hours), random.pick(monthDays), "*", random.pick(weekdays)]
        let text = fields.joined(separator: " ")
        let schedule = Schedule.cron(try CronExpression(text), zone)
        var found: [Int64] = []
        var last = begin * 1000
        while let next = schedule.next(after: last, anchor: 0), next <= end * 1000 {
          found.append(next / 1000)
          last = next
        }
        let expected = CronOracle(fields).dueTimes(in: zone, from: begin, to: end)
        #expect(found == expected, "\(text) in \(name) about \(day)")
      }
    }
  }

  @Test("Fields have names, steps, ranges and lists")
  func fields() throws {
    #expect(try times("@daily", 2) == ["2027-01-05 00:00", "2027-01-06 00:00"])
    #expect(try times("@weekly", 1) == ["2027-01-10 00:00"])
    #expect(try times("0 12 * jan,mar sun", 2) == ["2027-01-10 12:00", "2027-01-17 12:00"])
    #expect(try times("0 12 * * 7", 1) == ["2027-01-10 12:00"])
    #expect(try times("0 0 1 */6 *", 2) == ["2027-07-01 00:00", "2028-01-01 00:00"])
    #expect(try times("*/20 9-10 * * mon-fri", 3) == ["2027-01-04 09:00", "2027-01-04 09:20", "2027-01-04 09:40"])
    // Both day fields: either of them.
    #expect(try times("0 0 13 * fri", 3) == ["2027-01-08 00:00", "2027-01-13 00:00", "2027-01-15 00:00"])
  }

  @Test(
    "Texts of other hosts are named, with the text to write here",
    arguments: [
      ("CRON_TZ=Europe/Berlin 0 9 * * *", "cron = \"0 9 * * *\", zone = \"Europe/Berlin\""),
      ("TZ=UTC 0 9 * * *", "zone = \"UTC\""), ("@reboot", "start = true"), ("@every 5m", "every = \"5m\""),
      ("@every 1h30m", "every = \"1h30m\""), ("0 0 9 * * *", "begin with the second"),
      ("*/10 * * * * *", "every = \"10s\""), ("0 0 9 * * MON-FRI", "write \"0 9 * * MON-FRI\""),
      ("0 9 * * * 2027", "year"), ("0 0 12 ? * * 2027", "write \"0 12 ? * *\""),
      ("0 9 * * * /usr/bin/backup --all", "no command"), ("0 9 ? * MON-FRI", "write * in place of ?"),
      ("0 9 L * *", "28-31"), ("0 9 * * 5L", "28-31"), ("0 9 15W * *", "weekday = \"mon..fri\""),
      ("0 9 * * 1#1", "weekday = \"1\", day = \"1..7\""), ("0 9 * * fri#3", "weekday = \"fri\", day = \"15..21\""),
      ("H * * * *", "spread"), ("H/15 * * * *", "spread"), ("0~30 * * * *", "spread"),
      ("cron(0 9 * * ? *)", "minute, hour"), ("rate(5 minutes)", "every"), ("@dialy", "@daily"),
    ])
  func foreign(_ text: String, _ words: String) {
    let error = #expect(throws: ScheduleError.self) { try CronExpression(text) }
    #expect("\(error?.message ?? "") \(error?.hint ?? "")".contains(words), "\(String(describing: error))")
  }

  @Test("A day stands for its start")
  func days() throws {
    let athens = try Zone("Europe/Athens")
    #expect(try Schedule.moment(of: "2027-01-31", in: athens) == Schedule.moment(of: "2027-01-31 00:00", in: athens))
    // The clocks are set forward at midnight.
    let santiago = try Zone("America/Santiago")
    #expect(santiago.civil(at: try Schedule.moment(of: "2026-09-06", in: santiago)).text == "2026-09-06 01:00")
    #expect(throws: ScheduleError.self) { try Schedule.moment(of: "2027-02-30", in: .utc) }
  }

  @Test("A day that is rare is found, and one that is not found for forty years is told")
  func rareDays() throws {
    #expect(try times("0 0 29 2 *", 2) == ["2028-02-29 00:00", "2032-02-29 00:00"])
    let rule = try CalendarRule(["month": "2", "day": "29", "weekday": "mon", "time": "09:00"])
    let next = Schedule.calendar(rule, .utc).next(after: Self.start, anchor: 0)
    #expect(next.map { Zone.utc.civil(at: $0).text } == "2044-02-29 09:00")
    let never = try CalendarRule(["year": "2001", "time": "09:00"])
    #expect(Schedule.calendar(never, .utc).next(after: Self.start, anchor: 0) == nil)
  }

  @Test("All fields of a calendar have to match")
  func calendar() throws {
    let rule = try CalendarRule(["weekday": "mon", "day": "1..7", "time": "09:30"])
    var last = Self.start
    var found: [String] = []
    for _ in 0..<3 {
      last = Schedule.calendar(rule, .utc).next(after: last, anchor: 0)!
      found.append(Zone.utc.civil(at: last).text)
    }
    #expect(found == ["2027-01-04 09:30", "2027-02-01 09:30", "2027-03-01 09:30"])
  }

  @Test("Intervals count from their anchor, in both directions")
  func intervals() throws {
    let schedule = Schedule.every(try Interval.milliseconds(of: "15m"))
    #expect(schedule.next(after: 1000, anchor: 1000) == 901_000)
    #expect(schedule.next(after: 900_999, anchor: 1000) == 901_000)
    #expect(schedule.next(after: 0, anchor: 1000) == 1000)
    #expect(schedule.next(after: -900_000, anchor: 1000) == -899_000)
    #expect(try Interval.milliseconds(of: "1h30m") == 5_400_000)
    #expect(Interval.text(of: 5_400_000) == "1h30m")
    for text in ["", "5", "m", "-1m", "1x", "99999999999999999999d", "1.5h", "1h 30m x"] {
      #expect(throws: ScheduleError.self, "\(text)") { try Interval.milliseconds(of: text) }
    }
  }

  /// Monday
  private static let start = try! Schedule.moment(of: "2027-01-04 00:00", in: .utc)

  private func times(_ text: String, _ count: Int) throws -> [String] {
    let schedule = Schedule.cron(try CronExpression(text), .utc)
    var last = Self.start
    var found: [String] = []
    while found.count < count, let next = schedule.next(after: last, anchor: 0) {
      found.append(Zone.utc.civil(at: next).text)
      last = next
    }
    return found
  }
}

/// The same numbers each time (a linear congruential generator, Knuth).
private struct Numbers {
  var state: UInt64

  mutating func pick(_ list: [String]) -> String {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return list[Int((state >> 33) % UInt64(list.count))]
  }
}
