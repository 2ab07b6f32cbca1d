/// The rule at the end of a TZif file, such as `EET-2EEST,M3.5.0/3,M10.5.0/4` (RFC 9636 §3.3.1; POSIX, "Environment
/// Variables", TZ).
struct PosixZone: Sendable {
  /// Seconds ahead of UTC.
  let standard: Int
  let summer: Summer?

  struct Summer: Sendable {
    var offset: Int
    var start: Day
    var end: Day
  }

  struct Day: Sendable {
    enum Rule: Sendable {
      /// `J60`: 1 to 365, without 29 February.
      case withoutLeapDay(Int)
      /// `59`: 0 to 365.
      case ofYear(Int)
      /// `M3.5.0`: the last Sunday of March.
      case weekday(month: Int, week: Int, day: Int)
    }
    var rule: Rule
    /// Seconds after midnight, from -167 to 167 hours.
    var time: Int

    /// The seconds since 1970 by the clocks.
    func seconds(in year: Int) -> Int64 {
      let number: Int
      switch rule {
      case .withoutLeapDay(let day):
        let first = CivilTime(year: year, month: 1, day: 1).dayNumber
        number = first + day - 1 + (CivilTime.isLeap(year) && day >= 60 ? 1 : 0)
      case .ofYear(let day): number = CivilTime(year: year, month: 1, day: 1).dayNumber + day
      case .weekday(let month, let week, let day):
        let first = CivilTime(year: year, month: month, day: 1).dayNumber
        let days = CivilTime.days(inMonth: month, of: year)
        var offset = (day - CivilTime.weekday(ofDay: first) + 7) % 7 + (week - 1) * 7
        if offset >= days { offset -= 7 }
        number = first + offset
      }
      return Int64(number) * 86400 + Int64(time)
    }
  }

  /// Nil for a text that is no such rule.
  init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    guard Self.skipName(&rest), let standard = Self.time(&rest, most: 25) else { return nil }
    self.standard = -standard
    guard !rest.isEmpty else {
      summer = nil
      return
    }
    guard Self.skipName(&rest) else { return nil }
    var offset = -standard + 3600
    if rest.first != UInt8(ascii: ",") {
      guard let time = Self.time(&rest, most: 25) else { return nil }
      offset = -time
    }
    guard let start = Self.day(&rest), let end = Self.day(&rest), rest.isEmpty else { return nil }
    summer = Summer(offset: offset, start: start, end: end)
  }

  func segment(at moment: Int64) -> ZoneRules.Segment {
    guard let summer else { return ZoneRules.Segment(offset: standard, end: nil) }
    let year = CivilTime(seconds: moment + Int64(standard)).year
    var changes: [(time: Int64, offset: Int)] = []
    for year in year - 2...year + 2 {
      changes.append((summer.start.seconds(in: year) - Int64(standard), summer.offset))
      changes.append((summer.end.seconds(in: year) - Int64(summer.offset), standard))
    }
    // The start of summer time counts if both changes are at one moment: such a zone has summer time all year.
    changes.sort { ($0.time, $0.offset) < ($1.time, $1.offset) }
    let offset = changes.last { $0.time <= moment }?.offset ?? standard
    return ZoneRules.Segment(offset: offset, end: changes.first { $0.time > moment }?.time)
  }

  // MARK: Reading

  private static func skipName(_ rest: inout ArraySlice<UInt8>) -> Bool {
    if rest.first == UInt8(ascii: "<") {
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
      rest = rest[(end + 1)...]
      return true
    }
    let name = rest.prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0 & 0xDF) }
    rest = rest.dropFirst(name.count)
    return name.count >= 3
  }

  private static func number(_ rest: inout ArraySlice<UInt8>, most: Int) -> Int? {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard (1...3).contains(digits.count) else { return nil }
    rest = rest.dropFirst(digits.count)
    let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    return number <= most ? number : nil
  }

  /// `-3:30`, in seconds.
  private static func time(_ rest: inout ArraySlice<UInt8>, most: Int) -> Int? {
    var sign = 1
    if let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
      sign = first == UInt8(ascii: "-") ? -1 : 1
      rest.removeFirst()
    }
    guard var seconds = number(&rest, most: most).map({ $0 * 3600 }) else { return nil }
    for unit in [60, 1] where rest.first == UInt8(ascii: ":") {
      rest.removeFirst()
      guard let part = number(&rest, most: 59) else { return nil }
      seconds += part * unit
    }
    return sign * seconds
  }

  private static func day(_ rest: inout ArraySlice<UInt8>) -> Day? {
    guard rest.popFirst() == UInt8(ascii: ",") else { return nil }
    let rule: Day.Rule
    switch rest.first {
    case UInt8(ascii: "J"):
      rest.removeFirst()
      guard let day = number(&rest, most: 365), day > 0 else { return nil }
      rule = .withoutLeapDay(day)
    case UInt8(ascii: "M"):
      rest.removeFirst()
      guard let month = number(&rest, most: 12), month > 0, rest.popFirst() == UInt8(ascii: "."),
        let week = number(&rest, most: 5), week > 0, rest.popFirst() == UInt8(ascii: "."),
        let day = number(&rest, most: 6)
      else { return nil }
      rule = .weekday(month: month, week: week, day: day)
    default:
      guard let day = number(&rest, most: 365) else { return nil }
      rule = .ofYear(day)
    }
    var seconds = 7200
    if rest.first == UInt8(ascii: "/") {
      rest.removeFirst()
      guard let given = time(&rest, most: 167) else { return nil }
      seconds = given
    }
    return Day(rule: rule, time: seconds)
  }
}
