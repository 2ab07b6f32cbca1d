import Core

/// The answer to a request, whatever its status.
package struct HTTPResponse: Sendable {
  package var status: Int
  package var headers: HTTPHeaders
  package var body: [UInt8]
  /// The address that answered, after redirects.
  package var url: String

  package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = [], url: String = "") {
    self.status = status
    self.headers = headers
    self.body = body
    self.url = url
  }

  /// The body as text, bytes that are no UTF-8 replaced.
  package var text: String { String(decoding: body, as: UTF8.self) }

  /// The server does not answer for the address: another connection may reach one that does (RFC 9110, 15.5.20).
  static let misdirected = 421

  /// The time of the answer by the server's clock (`Date`; RFC 9110, 6.6.1), in seconds since 1970; nil without the field.
  package var date: Double? { headers["Date"].flatMap(Self.time) }

  /// The seconds to wait before the next request (`Retry-After`; RFC 9110, 10.2.3), never below 0; nil without the field.
  package var retryAfter: Double? {
    guard let value = headers["Retry-After"] else { return nil }
    if let seconds = Double(value) { return seconds.isFinite ? max(0, seconds) : nil }
    guard let date = Self.time(value) else { return nil }
    // By the server's clock, if it tells the time: this machine's may be off.
    return max(0, date - (self.date ?? UnixTime.now.seconds.rounded(.down)))
  }

  private static let months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(separator: " ")

  /// An IMF-fixdate (RFC 9110, 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`. By hand: Swift does not see `strptime`.
  private static func time(_ text: String) -> Double? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let day = Int32(parts[1]), let month = months.firstIndex(of: parts[2]),
      let year = Int32(parts[3]), (1970...9999).contains(year)
    else { return nil }
    let time = parts[4].split(separator: ":").compactMap { Int32($0) }
    guard time.count == 3 else { return nil }
    return UnixTime(
      year: year, month: Int32(month) + 1, day: day, hour: time[0], minute: time[1], second: Double(time[2])
    ).seconds
  }
}
