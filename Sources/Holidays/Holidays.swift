import Core

/// The days on which a job does not start: those of a calendar file in the format iCalendar (RFC 5545).
package struct Holidays: Sendable, Hashable {
  /// A day of the calendar. In a text, `*-12-25` is a day of each year.
  package struct Day: Sendable, Hashable, Comparable {
    /// 0 for each year.
    package var year: Int
    package var month: Int
    package var day: Int

    package init(year: Int = 0, month: Int, day: Int) { (self.year, self.month, self.day) = (year, month, day) }

    package static func < (one: Day, other: Day) -> Bool {
      (one.year, one.month, one.day) < (other.year, other.month, other.day)
    }

    package var text: String {
      func padded(_ number: Int, _ count: Int) -> String {
        String(repeating: "0", count: max(0, count - "\(number)".count)) + "\(number)"
      }
      return "\(year == 0 ? "*" : padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    /// Nil for a text that does not name a day.
    package init?(_ text: String) {
      let words = text.split(separator: "-").map(String.init)
      guard words.count == 3, let month = Int(words[1]), let day = Int(words[2]) else { return nil }
      guard let year = words[0] == "*" ? 0 : Int(words[0]), (0...9999).contains(year) else { return nil }
      self.init(year: year, month: month, day: day)
      guard (1...12).contains(month), (1...length).contains(day) else { return nil }
    }

    /// The days of the month.
    private var length: Int {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      return switch month {
      case 2: isLeap ? 29 : 28
      case 4, 6, 9, 11: 30
      default: 31
      }
    }

    /// The day after this one.
    var next: Day {
      if day < length { return Day(year: year, month: month, day: day + 1) }
      return month < 12 ? Day(year: year, month: month + 1, day: 1) : Day(year: year + 1, month: 1, day: 1)
    }
  }

  /// A line of a calendar file that makes no sense.
  package struct Problem: Error {
    /// Counts from 1; nil for the whole file.
    package let line: Int?
    package let message: String
    package let hint: String?
  }

  /// The most days of a calendar.
  package static let most = 5000

  private var days: Set<Day> = []

  /// The days as texts, in their order.
  package var texts: [String] { days.sorted().map(\.text) }

  /// Nil for texts that do not name days.
  package init?(texts: [String]) {
    for text in texts {
      guard let day = Day(text) else { return nil }
      days.insert(day)
    }
  }

  package func contains(_ day: Day) -> Bool {
    days.contains(day) || days.contains(Day(month: day.month, day: day.day))
  }

  /// Reads a calendar file. Each event is a holiday on all its days.
  package init(ics bytes: [UInt8]) throws(Problem) {
    var event: Event?
    var isCalendar = false
    for (number, line) in Self.lines(bytes) {
      let (name, value) = Self.property(line)
      switch (name, value.uppercased()) {
      case ("BEGIN", "VCALENDAR"): isCalendar = true
      case ("BEGIN", "VEVENT"): event = Event(line: number)
      case ("END", "VEVENT"):
        try add(event, line: number)
        event = nil
      default: try event?.take(name, value, line: number)
      }
    }
    guard isCalendar else {
      throw Problem(
        line: nil, message: "is not a calendar: there is no BEGIN:VCALENDAR in it",
        hint: "give a file in the format iCalendar (.ics)")
    }
    if let event { throw Problem(line: event.line, message: "the event has no END:VEVENT", hint: nil) }
  }

  private mutating func add(_ event: Event?, line: Int) throws(Problem) {
    guard let event else { throw Problem(line: line, message: "END:VEVENT without BEGIN:VEVENT", hint: nil) }
    guard let first = event.first else {
      throw Problem(line: event.line, message: "the event has no DTSTART", hint: nil)
    }
    var day = first
    // The end is the day after the last one.
    repeat {
      days.insert(event.isYearly ? Day(month: day.month, day: day.day) : day)
      day = day.next
      guard days.count <= Self.most else {
        throw Problem(line: event.line, message: "the calendar has more than \(Self.most) days", hint: nil)
      }
    } while event.end.map { day < $0 } ?? false
  }

  /// The lines with their numbers. A line that begins with a space continues the one before.
  private static func lines(_ bytes: [UInt8]) -> [(Int, String)] {
    var lines: [(Int, String)] = []
    // As bytes: a carriage return and a line feed are one Character.
    for (index, bytes) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let line = String(decoding: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes, as: UTF8.self)
      if let first = line.first, first == " " || first == "\t", !lines.isEmpty {
        lines[lines.count - 1].1 += line.dropFirst()
      } else if !line.isEmpty {
        lines.append((index + 1, line))
      }
    }
    return lines
  }

  /// The name of a property without its parameters, and its value.
  private static func property(_ line: String) -> (name: String, value: String) {
    guard let colon = line.firstIndex(of: ":") else { return (line, "") }
    return (line[..<colon].prefix { $0 != ";" }.uppercased(), String(line[line.index(after: colon)...]))
  }
}

/// An event of a calendar.
private struct Event {
  /// The line of its beginning.
  let line: Int
  var first: Holidays.Day?
  /// The day after the last one; nil for one day.
  var end: Holidays.Day?
  var isYearly = false

  init(line: Int) { self.line = line }

  mutating func take(_ name: String, _ value: String, line: Int) throws(Holidays.Problem) {
    switch name {
    case "DTSTART": first = try Self.day(name, value, line: line)
    case "DTEND":
      end = try Self.day(name, value, line: line)
      // An end during a day includes this day.
      if value.contains("T"), !value.contains("T000000") { end = end?.next }
    case "RRULE":
      let parts = value.uppercased().split(separator: ";")
      guard parts.contains("FREQ=YEARLY"), parts.allSatisfy({ $0 == "FREQ=YEARLY" || $0 == "INTERVAL=1" }) else {
        throw Holidays.Problem(
          line: line, message: "RRULE: expected FREQ=YEARLY, got \(value.displayable.clipped(to: 60))",
          hint: "give each day a separate event")
      }
      isYearly = true
    default: break
    }
  }

  /// The day of a value such as `20271225` or `20271225T090000Z`.
  private static func day(_ name: String, _ value: String, line: Int) throws(Holidays.Problem) -> Holidays.Day {
    let digits = value.prefix { $0 != "T" }
    if digits.count == 8, digits.allSatisfy({ $0.isASCII && $0.isNumber }),
      let day = Holidays.Day("\(digits.prefix(4))-\(digits.dropFirst(4).prefix(2))-\(digits.dropFirst(6))"),
      day.year > 0
    {
      return day
    }
    throw Holidays.Problem(
      line: line, message: "\(name): expected a day such as 20271225, got '\(value.displayable.clipped(to: 60))'",
      hint: nil)
  }
}
