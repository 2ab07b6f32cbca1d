/// A date of the Gregorian calendar and a time of the day, without a zone.
package struct CivilTime: Sendable, Hashable {
  package var year: Int
  /// 1 to 12
  package var month: Int
  /// 1 to 31
  package var day: Int
  /// The seconds since midnight.
  package var second: Int

  package init(year: Int, month: Int, day: Int, second: Int = 0) {
    (self.year, self.month, self.day, self.second) = (year, month, day, second)
  }

  /// - Parameter seconds: since 1970-01-01 00:00 of the same clock.
  package init(seconds: Int64) {
    let day = seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400
    self.init(day: Int(day))
    second = Int(seconds - day * 86400)
  }

  /// - Parameter day: the days since 1970-01-01. Howard Hinnant, "chrono-compatible low-level date algorithms".
  init(day: Int) {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    self.init(
      year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
      day: dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  /// The days since 1970-01-01.
  var dayNumber: Int {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The seconds since 1970-01-01 00:00 of the same clock.
  package var seconds: Int64 { Int64(dayNumber) * 86400 + Int64(second) }

  /// 0 is Sunday.
  static func weekday(ofDay day: Int) -> Int { ((day + 4) % 7 + 7) % 7 }

  static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  static func days(inMonth month: Int, of year: Int) -> Int {
    month == 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// True for a day that the calendar has.
  package var isDate: Bool {
    (1...12).contains(month) && day >= 1 && day <= Self.days(inMonth: month, of: year) && year >= 1
  }

  /// `2026-11-23T07:30:00` (RFC 3339, without a zone).
  package var iso: String {
    func digits(_ number: Int, _ width: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
    let date = "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
    return "\(date)T\(digits(second / 3600, 2)):\(digits(second / 60 % 60, 2)):\(digits(second % 60, 2))"
  }

  /// `2026-11-23 07:30`, with seconds where there are any.
  package var text: String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let time = "\(two(second / 3600)):\(two(second / 60 % 60))" + (second % 60 == 0 ? "" : ":\(two(second % 60))")
    return "\(year)-\(two(month))-\(two(day)) \(time)"
  }
}
