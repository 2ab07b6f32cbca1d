/// Time zones as calendars exchange them (RFC 5545, 3.6.5).
extension Zone {
  /// The zone as a VTIMEZONE, with lines that end in CRLF. It holds from the first day of `year` on; rules that change in
  /// more than forty years are left out.
  package func calendarDefinition(since year: Int) -> String {
    let year = min(max(year, 1970), 9000)
    var parts: [Observance] = []
    let yearly = rules.footer?.observances
    let first = firstYearOfRule(after: year - 1)
    if yearly == nil || first > year - 1 {
      let begin = CivilTime(year: year - 1, month: 1, day: 1)
      let end = CivilTime(year: yearly == nil ? year + Self.horizon : min(first, year + Self.horizon), month: 1, day: 1)
      parts.append(Observance(start: begin, from: offset(at: begin.seconds), to: offset(at: begin.seconds)))
      parts += changes(from: begin.seconds, to: end.seconds)
    }
    // A rule that holds all the time begins in 1970, as in the calendars of other programs.
    if let yearly, first <= year + Self.horizon {
      parts += yearly.map { $0.observance(since: parts.isEmpty ? 1970 : first) }
    }
    if parts.count == 1 { parts[0].start = CivilTime(year: 1970, month: 1, day: 1) }
    let lines =
      ["BEGIN:VTIMEZONE", "TZID:\(name)", "X-LIC-LOCATION:\(name)"] + parts.flatMap(\.lines) + ["END:VTIMEZONE", ""]
    return lines.joined(separator: "\r\n")
  }

  private static let horizon = 40

  /// A change of the clocks, or those of all years.
  fileprivate struct Observance {
    /// By the clocks before the change.
    var start: CivilTime
    var from: Int
    var to: Int
    var rule: String?

    var lines: [String] {
      let kind = to > from ? "DAYLIGHT" : "STANDARD"
      let compact = start.iso.filter { $0 != "-" && $0 != ":" }
      return ["BEGIN:\(kind)", "DTSTART:\(compact)", "TZOFFSETFROM:\(Self.text(from))", "TZOFFSETTO:\(Self.text(to))"]
        + (rule.map { ["RRULE:FREQ=YEARLY;\($0)"] } ?? []) + ["END:\(kind)"]
    }

    /// `+0100`
    private static func text(_ seconds: Int) -> String { WrittenTime.text(ofOffset: seconds).filter { $0 != ":" } }
  }

  private func changes(from begin: Int64, to end: Int64) -> [Observance] {
    var moment = begin
    var changes: [Observance] = []
    while let next = rules.segment(at: moment).end, next < end {
      let (before, after) = (offset(at: moment), offset(at: next))
      // Some changes are of the name alone.
      if before != after {
        changes.append(Observance(start: CivilTime(seconds: next + Int64(before)), from: before, to: after))
      }
      moment = next
    }
    return changes
  }

  /// The first year, not before `year`, from which on the clocks change by the rule at the end of the zone's file.
  private func firstYearOfRule(after year: Int) -> Int {
    guard let footer = rules.footer, let last = rules.times.last else { return year }
    var first = max(year, CivilTime(seconds: last).year + 1)
    while first > year, follows(footer, in: first - 1) { first -= 1 }
    return first
  }

  private func follows(_ footer: PosixZone, in year: Int) -> Bool {
    var moment = CivilTime(year: year, month: 1, day: 1).seconds
    let end = CivilTime(year: year + 1, month: 1, day: 1).seconds
    while moment < end {
      let (own, ruled) = (rules.segment(at: moment), footer.segment(at: moment))
      guard own.offset == ruled.offset else { return false }
      let next = min(own.end ?? end, ruled.end ?? end, end)
      guard next > moment else { return false }
      moment = next
    }
    return true
  }
}

extension PosixZone {
  /// A change of the clocks that comes each year on the same day of the week.
  fileprivate struct Yearly {
    var day: Day
    /// The part of an RRULE behind FREQ (RFC 5545, 3.3.10).
    var rule: String
    var from: Int
    var to: Int

    func observance(since year: Int) -> Zone.Observance {
      Zone.Observance(start: CivilTime(seconds: day.seconds(in: year)), from: from, to: to, rule: rule)
    }
  }

  /// The changes of each year; none if the clocks are never set; nil for a day that no RRULE describes.
  fileprivate var observances: [Yearly]? {
    guard let summer else { return nil }
    guard let start = summer.start.recurrence, let end = summer.end.recurrence else { return nil }
    return [
      Yearly(day: summer.start, rule: start, from: standard, to: summer.offset),
      Yearly(day: summer.end, rule: end, from: summer.offset, to: standard),
    ]
  }
}

extension PosixZone.Day {
  fileprivate var recurrence: String? {
    guard case .weekday(let month, let week, let day) = rule else { return nil }
    // A time below 0 or from 24 hours on is on another day.
    let shift = time >= 0 ? time / 86400 : (time - 86399) / 86400
    let name = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"][((day + shift) % 7 + 7) % 7]
    if shift == 0 { return "BYMONTH=\(month);BYDAY=\(week == 5 ? -1 : week)\(name)" }
    let length = CivilTime.days(inMonth: month, of: 1970)
    let first = (week == 5 ? length - 6 : 7 * week - 6) + shift
    guard first >= 1, first + 6 <= length, month != 2 else { return nil }
    let days = (first...first + 6).map(String.init).joined(separator: ",")
    return "BYMONTH=\(month);BYMONTHDAY=\(days);BYDAY=\(name)"
  }
}
