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
    do throws(WrittenTimeProblem) {
      let written = try WrittenTime(parsing: text)
      guard !written.isDay, written.civil.year >= 1970 else { throw .form }
      if let instant = try written.instant() { return .at(instant * 1000, text: text, warning: nil) }
      var zone = zone
      if let name = written.zone { do { zone = try Zone(name) } catch { throw .zone(error) } }
      let moment = try written.moment(in: zone)
      let isTwice = written.offset == nil && zone.isShownTwice(moment.civil)
      return .at(
        moment.moment * 1000, text: text,
        warning: isTwice ? "\(text) comes twice in \(zone.name); the first time is meant" : nil)
    } catch {
      switch error {
      case .form, .zoneWithoutTime: throw expected
      case .calendar: throw ScheduleError("there is no day \(text.prefix(10))")
      case .zone(let error): throw error
      case .skipped(let zone, let next):
        throw ScheduleError(
          "there is no \(text) in \(zone.name): the clocks are set forward", hint: "the next time is \(next.text)")
      default: throw ScheduleError("\"\(text)\" \(error.words)", hint: error.hint)
      }
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

  /// True if an hour that the clock shows twice has the due times twice, as with cron's `*`.
  package var followsClock: Bool {
    switch self {
    case .every: true
    case .cron(let expression, _): expression.rule.followsClock
    case .calendar, .at: false
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
