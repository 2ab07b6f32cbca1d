import Glibc

/// A moment in seconds since 1970, and its text.
package struct UnixTime: Sendable {
  package let seconds: Double

  package init(_ seconds: Double) { self.seconds = seconds }

  /// The time of this machine, or of the recorded run in a replay.
  package static var now: UnixTime {
    if let time = StandingClock.time { return UnixTime(time) }
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UnixTime(Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
  }

  /// Reads a time in UTC as RFC 3339 writes it, such as `2026-11-21T14:03:10.123Z`; nil for any other text.
  package init?(iso: String) {
    guard let found = iso.firstMatch(of: #/^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d(?:\.\d+)?)/#),
      let year = Int32(found.1), let month = Int32(found.2), let day = Int32(found.3), let hour = Int32(found.4),
      let minute = Int32(found.5), let second = Double(found.6)
    else { return nil }
    self.init(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
  }

  /// A time in UTC.
  package init(year: Int32, month: Int32, day: Int32, hour: Int32, minute: Int32, second: Double) {
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, month - 1, day)
    (parts.tm_hour, parts.tm_min) = (hour, minute)
    seconds = Double(timegm(&parts)) + second
  }

  /// `2026-11-21T14:03:10Z` (RFC 3339).
  package var iso: String { text("%Y-%m-%dT%H:%M:%SZ") }

  /// The same with a fraction of a second: `2026-11-21T14:03:10.123456Z`.
  package func iso(fractionDigits count: Int) -> String {
    let microseconds = String(Int((seconds * 1e6).rounded()) % 1_000_000 + 1_000_000).dropFirst()
    return "\(UnixTime((seconds * 1e6).rounded() / 1e6).text("%Y-%m-%dT%H:%M:%S")).\(microseconds.prefix(count))Z"
  }

  /// `14:03:10`
  package var clock: String { text("%H:%M:%S") }
  /// `21 Nov 2026`, in English.
  package var day: String {
    let month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let parts = parts()
    return "\(parts.tm_mday) \(month[Int(parts.tm_mon)]) \(parts.tm_year + 1900)"
  }

  /// `at 14:03:10`, with the day where it is another than that of `now`.
  package func moment(seenAt now: UnixTime) -> String { day == now.day ? "at \(clock)" : "on \(day) at \(clock)" }

  /// `in 59 min`, `3 days ago`, `now`.
  package func distance(from now: UnixTime) -> String {
    let difference = seconds - now.seconds
    guard abs(difference) >= 1 else { return "now" }
    let span = Self.span(abs(difference))
    return difference > 0 ? "in \(span)" : "\(span) ago"
  }

  /// `59 min`, rounded down in the largest unit that fits.
  package static func span(_ seconds: Double) -> String {
    switch Int(min(seconds, 1e15)) {
    case let value where value < 120: "\(value) s"
    case let value where value < 7200: "\(value / 60) min"
    case let value where value < 172_800: "\(value / 3600) h"
    case let value where value < 63_072_000: "\(value / 86400) days"
    case let value: "\(value / 31_536_000) years"
    }
  }

  /// - Parameter format: as strftime(3) reads it.
  package func text(_ format: String, inLocalTime isLocal: Bool = false) -> String {
    var parts = parts(inLocalTime: isLocal)
    return String(unsafeUninitializedCapacity: 64) { buffer in
      buffer.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress, $0.count, format, &parts) }
    }
  }

  private func parts(inLocalTime isLocal: Bool = false) -> tm {
    var parts = tm()
    // The years 0001 to 9999.
    var time = time_t(max(min(seconds, 253_402_300_799), -62_135_596_800).rounded(.down))
    if isLocal { localtime_r(&time, &parts) } else { gmtime_r(&time, &parts) }
    return parts
  }
}
