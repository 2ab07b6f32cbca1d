import Glibc

/// A moment, in seconds since 1970, and how people say it.
package struct UnixTime {
  package let seconds: Double

  package init(_ seconds: Double) { self.seconds = seconds }

  /// - Parameter iso: `2026-11-21T14:03:10.123Z`, as a trace has it; nil for anything else.
  package init?(iso: String) {
    guard let found = iso.firstMatch(of: #/^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d(?:\.\d+)?)/#),
      let year = Int32(found.1), let month = Int32(found.2), let day = Int32(found.3), let hour = Int32(found.4),
      let minute = Int32(found.5), let second = Double(found.6)
    else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, month - 1, day)
    (parts.tm_hour, parts.tm_min) = (hour, minute)
    seconds = Double(timegm(&parts)) + second
  }

  /// `14:03:10`
  package var clock: String { text("%H:%M:%S") }
  /// `21 Nov 2026`, in English whatever the locale.
  package var day: String {
    let month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let parts = self.parts
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

  private var parts: tm {
    var parts = tm()
    // The years 0001 to 9999.
    var time = time_t(max(min(seconds, 253_402_300_799), -62_135_596_800))
    gmtime_r(&time, &parts)
    return parts
  }

  private func text(_ format: String) -> String {
    var parts = self.parts
    return String(unsafeUninitializedCapacity: 32) { buffer in
      buffer.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress, $0.count, format, &parts) }
    }
  }
}
