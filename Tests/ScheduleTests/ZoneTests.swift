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
