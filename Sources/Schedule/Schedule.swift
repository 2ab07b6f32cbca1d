/// When something is due, by the clock. All moments are milliseconds since 1970.
package enum Schedule: Sendable {
  /// An interval in milliseconds.
  case every(Int64)
  case cron(CronExpression, Zone)
  case calendar(CalendarRule, Zone)
  /// Once. `text` is the time as it was given.
  case at(Int64, text: String, warning: String?)

  /// A time such as `2027-01-31 18:00` in a zone, or one with an offset (RFC 3339).
  package static func at(parsing text: String, in zone: Zone) throws(ScheduleError) -> Schedule {
    let expected = ScheduleError(
      "expected a time such as 2027-01-31 18:00 or 2027-01-31T18:00:00Z, got \"\(text)\"")
    guard
      let found = text.wholeMatch(
        of: #/(\d{4})-(\d\d)-(\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(Z|[+-]\d\d:\d\d)?/#),
      let year = Int(found.1), let month = Int(found.2), let day = Int(found.3)
    else { throw expected }
    guard year >= 1970, (1...12).contains(month), (1...CivilTime.days(inMonth: month, of: year)).contains(day) else {
      throw ScheduleError("there is no day \(found.1)-\(found.2)-\(found.3)")
    }
    let time = CivilTime(year: year, month: month, day: day, second: try CalendarRule.seconds(String(found.4)))
    if let mark = found.5 {
      var offset = 0
      if mark != "Z" {
        let parts = mark.dropFirst().split(separator: ":").compactMap { Int($0) }
        guard parts[0] < 24, parts[1] < 60 else { throw expected }
        offset = (parts[0] * 3600 + parts[1] * 60) * (mark.hasPrefix("-") ? -1 : 1)
      }
      return .at((time.seconds - Int64(offset)) * 1000, text: text, warning: nil)
    }
    switch zone.meaning(of: time) {
    case .unique(let moment): return .at(moment * 1000, text: text, warning: nil)
    case .ambiguous(let first, _):
      return .at(
        first * 1000, text: text, warning: "\(text) comes twice in \(zone.name); the first time is meant")
    case .missing(let end):
      throw ScheduleError(
        "there is no \(time.text) in \(zone.name): the clocks are set forward",
        hint: "the next time is \(zone.civil(at: end * 1000).text)")
    }
  }

  /// A time as `at` reads it, or the start of a day such as `2027-01-31`, in milliseconds since 1970.
  package static func moment(of text: String, in zone: Zone) throws(ScheduleError) -> Int64 {
    if text.wholeMatch(of: #/\d{4}-\d\d-\d\d/#) != nil,
      case .at(let noon, _, _) = try at(parsing: "\(text) 12:00Z", in: zone)
    {
      // A day may begin later than at midnight.
      return zone.meaning(of: CivilTime(seconds: noon / 1000 - 43200)).first * 1000
    }
    guard case .at(let time, _, _) = try at(parsing: text, in: zone) else { return 0 }
    return time
  }

  /// The first due time after `moment`. Nil if there is none in forty years.
  /// - Parameter anchor: the start of intervals.
  package func next(after moment: Int64, anchor: Int64) -> Int64? {
    switch self {
    case .every(let interval):
      let passed = moment - anchor
      let count = passed >= 0 ? passed / interval : -((-passed + interval - 1) / interval)
      return anchor + (count + 1) * interval
    case .cron(let expression, let zone): return Self.next(expression.rule, zone, after: moment)
    case .calendar(let rule, let zone): return Self.next(rule.rule, zone, after: moment)
    case .at(let time, _, _): return time > moment ? time : nil
    }
  }

  private static func next(_ rule: DayRule, _ zone: Zone, after moment: Int64) -> Int64? {
    let seconds = moment >= 0 ? moment / 1000 : (moment - 999) / 1000
    return rule.next(after: seconds, in: zone).map { $0 * 1000 }
  }

  /// The zone; nil for intervals and single times.
  package var zone: Zone? {
    switch self {
    case .cron(_, let zone), .calendar(_, let zone): zone
    case .every, .at: nil
    }
  }

  /// In words: `every 15m`, `cron 30 7 * * mon-fri (Europe/Athens)`.
  package var text: String {
    switch self {
    case .every(let interval): "every \(Interval.text(of: interval))"
    case .cron(let expression, let zone): "cron \(expression.text) (\(zone.name))"
    case .calendar(let rule, let zone): "calendar \(rule.text) (\(zone.name))"
    case .at(_, let text, _): "at \(text)"
    }
  }

  package var warnings: [String] {
    switch self {
    case .cron(let expression, _): expression.warnings
    case .at(_, _, let warning): warning.map { [$0] } ?? []
    case .every, .calendar: []
    }
  }
}
