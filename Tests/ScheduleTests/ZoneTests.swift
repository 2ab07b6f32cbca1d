import Foundation
import Testing

@testable import Schedule

@Suite struct ZoneTests {
  /// A script that asks Python.
  private static let oracle = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Oracles/zones.py").path

  @Test("Every zone of the system changes as Python's zoneinfo says, for ten years")
  func allZones() throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = [Self.oracle]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let lines = text.split(separator: "\n")
    #expect(lines.count > 400)
    for line in lines {
      let words = line.split(separator: " ").map(String.init)
      let zone = try Zone(words[0])
      let numbers = words.dropFirst().compactMap { Int64($0) }
      var offset = numbers[0]
      var last: Int64 = 1_577_836_800
      #expect(zone.offset(at: last) == offset, "\(words[0])")
      for index in stride(from: 1, to: numbers.count, by: 2) {
        let (moment, next) = (numbers[index], numbers[index + 1])
        #expect(zone.offset(at: (last + moment) / 2) == offset, "\(words[0]) before \(moment)")
        #expect(zone.offset(at: moment - 1) == offset, "\(words[0]) before \(moment)")
        #expect(zone.offset(at: moment) == next, "\(words[0]) at \(moment)")
        checkMeaning(zone, moment, offset, next)
        (offset, last) = (next, moment)
      }
    }
  }

  /// The local times around a change are missing, come twice, or once.
  private func checkMeaning(_ zone: Zone, _ moment: Int64, _ before: Int64, _ after: Int64) {
    // Some changes are of the name alone.
    guard before != after, abs(before - after) < 7200 else { return }
    let middle = CivilTime(seconds: moment + (before + after) / 2)
    let expected: Zone.Meaning =
      after > before ? .missing(moment) : .ambiguous(middle.seconds - before, middle.seconds - after)
    #expect(zone.meaning(of: middle) == expected, "\(zone.name) \(middle.text)")
    let early = CivilTime(seconds: moment + min(before, after) - 60)
    #expect(zone.meaning(of: early) == .unique(early.seconds - before), "\(zone.name) \(early.text)")
  }

  @Test("The rule at the end of a zone's file holds for centuries")
  func farFuture() throws {
    func texts(_ name: String, _ year: Int) throws -> [String] {
      let zone = try Zone(name)
      var moment = CivilTime(year: year, month: 1, day: 1).seconds
      let end = CivilTime(year: year + 1, month: 1, day: 1).seconds
      var changes: [String] = []
      while let next = zone.segment(at: moment).end, next < end {
        changes.append("\(CivilTime(seconds: next).text) \(zone.offset(at: next))")
        moment = next
      }
      return changes
    }
    #expect(try texts("Europe/Athens", 2399) == ["2399-03-28 01:00 10800", "2399-10-31 01:00 7200"])
    #expect(try texts("Australia/Lord_Howe", 2399) == ["2399-04-03 15:00 37800", "2399-10-02 15:30 39600"])
    #expect(try texts("Antarctica/Troll", 2399) == ["2399-03-28 01:00 7200", "2399-10-31 01:00 0"])
    #expect(try texts("Europe/Dublin", 2399) == ["2399-03-28 01:00 3600", "2399-10-31 01:00 0"])
    #expect(try texts("Asia/Tokyo", 2399) == [])
  }

  @Test(
    "A name that is no zone is refused",
    arguments: ["", "Europe/Athen", "../../etc/passwd", "/etc/localtime", "zone1970.tab", "Europe", "Europe/./Athens"])
  func unknownNames(_ name: String) {
    do {
      _ = try Zone(name)
      Issue.record("\(name) is a zone")
    } catch {
      #expect(error.code == "unknown_zone")
      #expect(error.hint == (name == "Europe/Athen" ? "did you mean 'Europe/Athens'?" : error.hint))
    }
  }

  @Test(
    "A time of at has the offset that is written, and its own zone",
    arguments: [
      ("2027-10-31 02:30", "2027-10-31T00:30:00Z"),
      ("2027-10-31T02:30:00+01:00[Europe/Berlin]", "2027-10-31T01:30:00Z"),
      ("2027-01-31T18:00:00[America/New_York]", "2027-01-31T23:00:00Z"), ("2027-01-31T18:00Z", "2027-01-31T18:00:00Z"),
    ])
  func at(text: String, utc: String) throws {
    let moment = try Schedule.moment(of: text, in: Zone("Europe/Berlin"))
    #expect("\(CivilTime(seconds: moment / 1000).iso)Z" == utc)
  }

  @Test(
    "A time of at that is none is refused",
    arguments: [
      (
        "2026-06-01T12:00:00+01:00[Europe/Berlin]",
        "has the offset +01:00, but Europe/Berlin has the offset +02:00 then"
      ),
      ("2027-01-31T18:00[Europe/Nowhere]", "there is no time zone \"Europe/Nowhere\""),
      ("2027-01-31T18:00[!x=y]", "has the critical tag [!x=y], which is not understood"),
      ("2027-01-31", "expected a time such as 2027-01-31 18:00"), ("2027-02-29 18:00", "there is no day 2027-02-29"),
    ])
  func refusedAt(text: String, words: String) throws {
    let error = try #require(throws: ScheduleError.self) { try Schedule.at(parsing: text, in: .utc) }
    #expect(error.message.contains(words))
  }

  @Test("The definition of a zone for calendars is short where a rule holds, and lists what no rule describes")
  func calendarDefinitions() throws {
    func definition(_ name: String, _ year: Int = 2027) throws -> [String] {
      try Zone(name).calendarDefinition(since: year).split(separator: "\r\n").map(String.init)
    }
    #expect(
      try definition("Europe/Berlin") == [
        "BEGIN:VTIMEZONE", "TZID:Europe/Berlin", "X-LIC-LOCATION:Europe/Berlin", "BEGIN:DAYLIGHT",
        "DTSTART:19700329T020000", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200", "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU",
        "END:DAYLIGHT", "BEGIN:STANDARD", "DTSTART:19701025T030000", "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100",
        "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU", "END:STANDARD", "END:VTIMEZONE",
      ])
    #expect(
      try definition("Asia/Kolkata").filter { $0.hasPrefix("TZOFFSET") } == ["TZOFFSETFROM:+0530", "TZOFFSETTO:+0530"])
    // The rule of the USA since 2007, and the changes before it.
    #expect(try definition("America/New_York", 2006).contains("DTSTART:20060402T020000"))
    #expect(try definition("America/New_York", 2006).contains("RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU"))
    // The evening before the last Sunday of March; Ramadan.
    #expect(
      try definition("America/Nuuk").contains("RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=24,25,26,27,28,29,30;BYDAY=SA"))
    #expect(try definition("Africa/Casablanca").contains { $0.hasPrefix("RRULE") } == false)
  }

  @Test("No file makes the reader fail hard")
  func hostileFiles() throws {
    let whole = try Array(Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/America/New_York")))
    for length in 0..<whole.count { _ = ZoneRules(Array(whole[..<length]))?.segment(at: 1_700_000_000) }
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        bytes[Int.random(in: 0..<min(300, bytes.count), using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let rules = ZoneRules(bytes) else { continue }
      for moment in [Int64.min / 2, -1, 0, 1_700_000_000, 32_503_680_000] { _ = rules.segment(at: moment) }
    }
    for footer in [
      "<", "EST5EDT,M99.9.9,M1.1.1", "A-99999999999999999999", "EST5EDT,J0,J400", "EST5EDT,M3.2.0/200,M11.1.0/-200",
    ] {
      _ = ZoneRules(Array(whole.dropLast(30)) + Array("\n\(footer)\n".utf8))?.segment(at: 4_000_000_000)
    }
  }
}
