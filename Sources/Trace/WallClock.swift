import Glibc

/// The time of day, written for people.
package enum WallClock {
  /// The time in UTC by ISO 8601: `2026-11-21T15:04:05.123456Z`.
  static func now() -> String {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return text(seconds: time.tv_sec, microseconds: time.tv_nsec / 1000)
  }

  /// The same to the millisecond: `2026-11-21T15:04:05.123Z`.
  package static func nowInMilliseconds() -> String { "\(now().dropLast(4))Z" }

  static func text(seconds: Int, microseconds: Int) -> String {
    var seconds = seconds
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let date =
      "\(digits(Int(parts.tm_year) + 1900, 4))-\(digits(Int(parts.tm_mon) + 1, 2))-\(digits(Int(parts.tm_mday), 2))"
    let time = "\(digits(Int(parts.tm_hour), 2)):\(digits(Int(parts.tm_min), 2)):\(digits(Int(parts.tm_sec), 2))"
    return "\(date)T\(time).\(digits(microseconds, 6))Z"
  }

  /// Microseconds since 1970; nil for a text in another form.
  static func microseconds(_ text: String) -> Int? {
    let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
    guard numbers.count == 7 else { return nil }
    var parts = tm()
    parts.tm_year = Int32(numbers[0] - 1900)
    parts.tm_mon = Int32(numbers[1] - 1)
    parts.tm_mday = Int32(numbers[2])
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(numbers[3]), Int32(numbers[4]), Int32(numbers[5]))
    return timegm(&parts) * 1_000_000 + numbers[6]
  }

  private static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
