/// Days of the calendar, and times on each of them.
struct DayRule: Sendable {
  /// Bit n for month n.
  var months: UInt64 = Self.all(1...12)
  /// Bit n for day n of the month.
  var days: UInt64 = Self.all(1...31)
  /// Bit n for weekday n; 0 is Sunday.
  var weekdays: UInt64 = Self.all(0...6)
  /// Nil for every year.
  var years: Set<Int>?
  /// True if one of `days` and `weekdays` is sufficient.
  var joinsDays = false
  /// The seconds since midnight, in order.
  var times: [Int] = [0]
  /// True if the rule follows the clock: what is shown twice comes twice, and what is left out does not come.
  var followsClock = false

  static func all(_ range: ClosedRange<Int>) -> UInt64 { range.reduce(0) { $0 | 1 << UInt64($1) } }

  func matches(day number: Int) -> Bool {
    let date = CivilTime(day: number)
    guard months & 1 << UInt64(date.month) != 0, years?.contains(date.year) ?? true else { return false }
    let isDay = days & 1 << UInt64(date.day) != 0
    let isWeekday = weekdays & 1 << UInt64(CivilTime.weekday(ofDay: number)) != 0
    return joinsDays ? isDay || isWeekday : isDay && isWeekday
  }

  /// The last day that is looked at: forty years on.
  private static let horizon = 40 * 366

  /// A gap of at least so many seconds is a correction of the calendar, such as the day that Samoa left out: nothing is
  /// made up for.
  private static let correction = 3 * 3600

  /// The first moment after `moment`, both in seconds since 1970; nil if there is none in forty years.
  func next(after moment: Int64, in zone: Zone) -> Int64? {
    followsClock ? nextByClock(after: moment, zone) : nextFixed(after: moment, zone)
  }

  /// A fixed time in a gap of the clock comes right after it; one that is shown twice comes the first time.
  private func nextFixed(after moment: Int64, _ zone: Zone) -> Int64? {
    // The day before has what was left out at midnight.
    let today = CivilTime(seconds: moment + Int64(zone.offset(at: moment))).dayNumber
    for day in today - 1...today + Self.horizon where matches(day: day) {
      var date = CivilTime(day: day)
      for time in times {
        date.second = time
        let meaning = zone.meaning(of: date)
        if case .missing(let end) = meaning, zone.offset(at: end) - zone.offset(at: end - 1) >= Self.correction {
          continue
        }
        if meaning.first > moment { return meaning.first }
      }
    }
    return nil
  }

  private func nextByClock(after moment: Int64, _ zone: Zone) -> Int64? {
    var start = moment + 1
    let end = moment + Int64(Self.horizon) * 86400
    while start < end {
      let segment = zone.segment(at: start)
      let local = start + Int64(segment.offset)
      let last = min(segment.end ?? end, end)
      if let found = firstTime(from: local, before: last + Int64(segment.offset)) {
        return found - Int64(segment.offset)
      }
      start = last
    }
    return nil
  }

  /// The first matching time of the clock, in seconds since 1970 of the same clock.
  private func firstTime(from local: Int64, before end: Int64) -> Int64? {
    let first = CivilTime(seconds: local)
    var day = first.dayNumber
    while Int64(day) * 86400 < end {
      if matches(day: day) {
        let least = day == first.dayNumber ? first.second : 0
        if let time = times.first(where: { $0 >= least }) {
          let found = Int64(day) * 86400 + Int64(time)
          return found < end ? found : nil
        }
      }
      day += 1
    }
    return nil
  }

  /// True if some year has such a day.
  var isPossible: Bool {
    // Every date and weekday that there can be falls into 28 years.
    let first = CivilTime(year: 2000, month: 1, day: 1).dayNumber
    var rule = self
    rule.years = nil
    return (first..<first + 28 * 366).contains { rule.matches(day: $0) }
  }
}
