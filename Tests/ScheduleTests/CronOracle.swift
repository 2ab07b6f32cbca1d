@testable import Schedule

/// The due minutes of a cron text as Debian's cron daemon finds them: it wakes up each minute, and compares.
struct CronOracle {
  let minutes: Set<Int>
  let hours: Set<Int>
  let days: Set<Int>
  let weekdays: Set<Int>
  /// True if the minute or the hour begins with `*`: the text follows the clock.
  let followsClock: Bool
  /// True if the day of the month or the weekday begins with `*`.
  let needsBothDays: Bool

  /// - Parameter fields: five; each is `*`, `*/N`, or numbers and ranges between commas. The month is `*`.
  init(_ fields: [String]) {
    minutes = Self.set(fields[0], 0...59)
    hours = Self.set(fields[1], 0...23)
    days = Self.set(fields[2], 1...31)
    weekdays = Set(Self.set(fields[4], 0...7).map { $0 % 7 })
    followsClock = fields[0].hasPrefix("*") || fields[1].hasPrefix("*")
    needsBothDays = fields[2].hasPrefix("*") || fields[4].hasPrefix("*")
  }

  private static func set(_ text: String, _ range: ClosedRange<Int>) -> Set<Int> {
    var numbers: Set<Int> = []
    for part in text.split(separator: ",") {
      let pieces = part.split(separator: "/")
      let step = pieces.count > 1 ? Int(pieces[1])! : 1
      let ends =
        pieces[0] == "*" ? [range.lowerBound, range.upperBound] : pieces[0].split(separator: "-").map { Int($0)! }
      numbers.formUnion(stride(from: ends[0], through: ends.last!, by: step))
    }
    return numbers
  }

  /// - Parameter minute: of the zone's clocks, since 1970.
  private func matches(_ minute: Int) -> Bool {
    let time = CivilTime(seconds: Int64(minute) * 60)
    guard minutes.contains(time.second / 60 % 60), hours.contains(time.second / 3600) else { return false }
    let isDay = days.contains(time.day)
    let isWeekday = weekdays.contains(CivilTime.weekday(ofDay: time.dayNumber))
    return needsBothDays ? isDay && isWeekday : isDay || isWeekday
  }

  /// The due moments in seconds since 1970, behind `begin` and up to `end`.
  func dueTimes(in zone: Zone, from begin: Int64, to end: Int64) -> [Int64] {
    var found: [Int64] = []
    func local(_ moment: Int64) -> Int { Int((moment + Int64(zone.offset(at: moment))) / 60) }
    // The clock's minutes up to this one are done with. The daemon has run for days.
    var done = (0...4320).map { local(begin - Int64($0) * 60) }.max()!
    if done - local(begin) >= 180 { done = local(begin) }
    for moment in stride(from: begin + 60, through: end, by: 60) {
      let now = local(moment)
      var isDue = false
      if now - done >= 180 || done - now >= 180 {
        // A correction.
        isDue = matches(now)
        done = now
      } else if now > done {
        isDue = followsClock ? matches(now) : (done + 1...now).contains(where: matches)
        done = now
      } else {
        isDue = followsClock && matches(now)
      }
      if isDue { found.append(moment) }
    }
    return found
  }
}
