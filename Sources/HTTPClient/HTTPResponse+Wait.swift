import Core

/// The times of a response: when it was made, and how long the server asks to wait.
extension HTTPResponse {
  /// The time of the answer by the server's clock (`Date`; RFC 9110, 6.6.1), in seconds since 1970; nil without the field.
  package var date: Double? { headers["Date"].flatMap(Self.time) }

  /// The seconds to wait before the next request, never below 0; nil if the response asks for no wait. The forms are
  /// `Retry-After` (RFC 9110, 10.2.3), its milliseconds at Microsoft's services, and the end of a spent quota.
  package var retryAfter: Double? {
    let milliseconds = ["retry-after-ms", "x-ms-retry-after-ms"].lazy.compactMap { headers[$0].flatMap(Double.init) }
    let wait =
      headers["Retry-After"].flatMap { Double($0) ?? Self.time($0).map(seconds(until:)) }
      ?? milliseconds.first.map { $0 / 1000 } ?? (isQuotaSpent ? quotaReset : nil)
    return wait.flatMap { $0.isNaN ? nil : min(max(0, $0), Self.longestWait) }
  }

  /// A month. A server may say any number.
  private static let longestWait = 31.0 * 86400

  /// True if the response says that a quota of requests is spent, so that its wait is about all requests: by
  /// `RateLimit-Remaining` and its older spellings, or by `r=0` in `RateLimit` (draft-ietf-httpapi-ratelimit-headers).
  /// Some services send it with 403.
  package var isQuotaSpent: Bool {
    guard [403, 429, 503].contains(status) else { return false }
    let remaining = Self.quotaNames.contains {
      headers["\($0)-Remaining"].map { Int($0.filter { $0 != " " }) == 0 } ?? false
    }
    return remaining || ["r", "remaining"].contains { quotaParameter($0) == 0 }
  }

  private static let quotaNames = ["RateLimit", "X-RateLimit", "X-Rate-Limit"]

  /// The seconds until the quota is whole again: a number of seconds, or a time in seconds or milliseconds since 1970.
  private var quotaReset: Double? {
    let values = Self.quotaNames.compactMap { headers["\($0)-Reset"].flatMap(Double.init) }
    guard let value = values.first ?? quotaParameter("t") ?? quotaParameter("reset"), value.isFinite else { return nil }
    // No quota lasts three years.
    if value < 1e8 { return value }
    return seconds(until: value < 1e12 ? value : value / 1000)
  }

  /// A parameter of `RateLimit`: `"default";r=0;t=5`, in an older draft `limit=10, remaining=0, reset=5`.
  private func quotaParameter(_ name: String) -> Double? {
    for part in (headers["RateLimit"] ?? "").lowercased().split(whereSeparator: { $0 == ";" || $0 == "," }) {
      let pair = part.filter { $0 != " " }.split(separator: "=")
      if pair.count == 2, pair[0] == name { return Double(pair[1]) }
    }
    return nil
  }

  /// By the server's clock, if it tells the time: this machine's may be off.
  private func seconds(until time: Double) -> Double { time - (date ?? UnixTime.now.seconds.rounded(.down)) }

  private static let months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(separator: " ")

  /// A date of HTTP in any of its three forms (RFC 9110, 5.6.7), in seconds since 1970: `Sun, 06 Nov 1994 08:49:37 GMT`,
  /// `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`. By hand: Swift does not see `strptime`.
  private static func time(_ text: String) -> Double? {
    let parts = text.split { $0 == " " || $0 == "," || $0 == "-" }
    let order: (day: Int, month: Int, year: Int, time: Int)
    switch parts.count {
    case 6 where parts[5] == "GMT": order = (1, 2, 3, 4)
    case 5: order = (2, 1, 4, 3)
    default: return nil
    }
    guard let day = Int32(parts[order.day]), let month = months.firstIndex(of: parts[order.month]),
      var year = Int32(parts[order.year])
    else { return nil }
    // The form with hyphens has two digits.
    if parts[order.year].count == 2 { year += year < 70 ? 2000 : 1900 }
    guard (1970...9999).contains(year) else { return nil }
    let time = parts[order.time].split(separator: ":").compactMap { Int32($0) }
    guard time.count == 3 else { return nil }
    return UnixTime(
      year: year, month: Int32(month) + 1, day: day, hour: time[0], minute: time[1], second: Double(time[2])
    ).seconds
  }
}
