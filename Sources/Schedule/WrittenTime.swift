/// A day, or a time of a day, as RFC 3339, RFC 9557 and iCalendar write them: `2027-01-31`, `2027-01-31T08:00:00Z`,
/// `2027-01-31T09:00:00+01:00[Europe/Berlin]`, `20270131T090000`. All places that read times of people use this reader.
package struct WrittenTime: Sendable, Equatable {
  /// The offset that is written behind a time.
  package enum Offset: Sendable, Equatable {
    /// `Z` and `-00:00`: the instant is given, and the offset of the place is not known (RFC 9557, 2.2).
    case utc
    /// Seconds ahead of UTC.
    case seconds(Int)
  }

  package private(set) var civil: CivilTime
  package private(set) var isDay = true
  package private(set) var offset: Offset?
  /// The name of the zone in brackets.
  package private(set) var zone: String?

  package init(parsing text: String) throws(WrittenTimeProblem) {
    var rest = Scanner(rest: text.utf8[...])
    guard let year = rest.number(4), rest.skips("-"), let month = rest.number(2), rest.skips("-"),
      let day = rest.number(2)
    else { throw .form }
    civil = CivilTime(year: year, month: month, day: day)
    guard civil.isDate else { throw .calendar }
    if let next = rest.first, next == UInt8(ascii: "T") || next == UInt8(ascii: "t") || next == UInt8(ascii: " ") {
      rest.drop()
      try readTime(&rest)
    }
    _ = rest.skips(" ")
    offset = try Self.offset(&rest)
    while rest.first == UInt8(ascii: "[") { try readSuffix(&rest) }
    guard rest.first == nil else { throw .form }
    guard !isDay || offset == nil && zone == nil else { throw .zoneWithoutTime }
  }

  private mutating func readTime(_ rest: inout Scanner) throws(WrittenTimeProblem) {
    guard let hour = rest.number(2), rest.skips(":"), let minute = rest.number(2) else { throw .form }
    var second = 0
    if rest.first == UInt8(ascii: ":") || rest.startsWithDigit {
      _ = rest.skips(":")
      guard let number = rest.number(2) else { throw .form }
      second = number
    }
    if rest.first == UInt8(ascii: ".") {
      rest.drop()
      guard rest.startsWithDigit else { throw .form }
      while rest.startsWithDigit { rest.drop() }
    }
    guard hour < 24, minute < 60, second <= 60 else { throw .timeOfDay }
    // A leap second is read as the second before it (RFC 5545, 3.3.12).
    civil.second = hour * 3600 + minute * 60 + min(second, 59)
    isDay = false
  }

  /// `Z`, `+01:00`, `-0730`, `+01`.
  private static func offset(_ rest: inout Scanner) throws(WrittenTimeProblem) -> Offset? {
    guard let sign = rest.first else { return nil }
    switch sign {
    case UInt8(ascii: "Z"), UInt8(ascii: "z"):
      rest.drop()
      return .utc
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      rest.drop()
      guard let hours = rest.number(2) else { throw .form }
      _ = rest.skips(":")
      let minutes = rest.startsWithDigit ? rest.number(2) : 0
      guard let minutes else { throw .form }
      guard hours < 24, minutes < 60 else { throw .noOffset }
      let seconds = hours * 3600 + minutes * 60
      if sign == UInt8(ascii: "-") { return seconds == 0 ? .utc : .seconds(-seconds) }
      return .seconds(seconds)
    default: return nil
    }
  }

  /// A zone, or a tag such as `[u-ca=gregory]` (RFC 9557, 3). `!` says that it must be understood.
  private mutating func readSuffix(_ rest: inout Scanner) throws(WrittenTimeProblem) {
    rest.drop()
    let isCritical = rest.first == UInt8(ascii: "!")
    if isCritical { rest.drop() }
    guard let content = rest.content(until: "]"), !content.isEmpty else { throw .form }
    if let equals = content.firstIndex(of: "=") {
      let (key, value) = (content[..<equals], content[content.index(after: equals)...])
      guard !key.isEmpty, !value.isEmpty else { throw .form }
      guard !isCritical || key == "u-ca" && (value == "gregory" || value == "iso8601") else {
        throw .critical(content)
      }
      return
    }
    guard zone == nil, content.utf8.allSatisfy(Self.isOfZoneName) else { throw .form }
    zone = content
  }

  private static func isOfZoneName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: ":"):
      true
    default: false
    }
  }

  private struct Scanner {
    var rest: Substring.UTF8View

    var first: UInt8? { rest.first }
    var startsWithDigit: Bool { rest.first.map { (0x30...0x39).contains($0) } ?? false }

    mutating func drop() { rest = rest.dropFirst() }

    /// Leaves out a separator, if it is there.
    mutating func skips(_ separator: Unicode.Scalar) -> Bool {
      if rest.first == UInt8(ascii: separator) { drop() }
      return true
    }

    /// A number of exactly so many digits.
    mutating func number(_ digits: Int) -> Int? {
      var value = 0
      for _ in 0..<digits {
        guard let byte = rest.first, (0x30...0x39).contains(byte) else { return nil }
        value = value * 10 + Int(byte - 0x30)
        drop()
      }
      return value
    }

    mutating func content(until end: Unicode.Scalar) -> String? {
      guard let index = rest.firstIndex(of: UInt8(ascii: end)) else { return nil }
      defer { rest = rest[rest.index(after: index)...] }
      return String(Substring(rest[..<index]))
    }
  }
}

// MARK: Meaning

extension WrittenTime {
  /// A time of the clocks of a zone, and its moment in seconds since 1970.
  package struct Zoned: Sendable, Equatable {
    package var civil: CivilTime
    package var moment: Int64
    /// True if the clocks show the time a second time.
    package var isSecond: Bool

    /// The time that the clocks of a zone show at a moment.
    package init(_ moment: Int64, in zone: Zone) {
      civil = zone.civil(at: moment * 1000)
      self.moment = moment
      if case .ambiguous(_, moment) = zone.meaning(of: civil) { isSecond = true } else { isSecond = false }
    }

    fileprivate init(_ civil: CivilTime, _ moment: Int64) {
      (self.civil, self.moment, isSecond) = (civil, moment, false)
    }
  }

  /// The instant of a time with an offset, or with a zone that is an offset such as `[+03:00]`; nil for other times.
  package func instant() throws(WrittenTimeProblem) -> Int64? {
    guard let zone else { return offset.map { civil.seconds - Int64($0.seconds) } }
    guard let first = zone.utf8.first, first == UInt8(ascii: "+") || first == UInt8(ascii: "-") else { return nil }
    var scanner = Scanner(rest: zone.utf8[...])
    guard let fixed = try Self.offset(&scanner), scanner.first == nil else { throw .form }
    if case .seconds(let written) = offset, written != fixed.seconds {
      throw .contradiction(Self.text(ofOffset: written), zone: zone, Self.text(ofOffset: fixed.seconds))
    }
    return civil.seconds - Int64(offset == .utc ? 0 : fixed.seconds)
  }

  /// The time in a zone. A written offset decides on the instant, and the zone must have it then (RFC 9557, 3.4).
  package func moment(in zone: Zone) throws(WrittenTimeProblem) -> Zoned {
    switch offset {
    case .utc: return Zoned(civil.seconds, in: zone)
    case .seconds(let written):
      let moment = civil.seconds - Int64(written)
      let actual = zone.offset(at: moment)
      // Offsets of long ago have seconds, for which RFC 3339 has no place.
      guard abs(actual - written) <= (actual % 60 == 0 ? 0 : 30) else {
        throw .contradiction(Self.text(ofOffset: written), zone: zone.name, Self.text(ofOffset: actual))
      }
      return Zoned(moment, in: zone)
    case nil:
      switch zone.meaning(of: civil) {
      case .unique(let moment), .ambiguous(let moment, _): return Zoned(civil, moment)
      case .missing(let end): throw .skipped(by: zone, next: zone.civil(at: end * 1000))
      }
    }
  }

  /// `+01:00`
  package static func text(ofOffset seconds: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let size = abs(seconds)
    return (seconds < 0 ? "-" : "+") + "\(two(size / 3600)):\(two(size / 60 % 60))"
      + (size % 60 == 0 ? "" : ":\(two(size % 60))")
  }
}

extension WrittenTime.Offset {
  fileprivate var seconds: Int {
    switch self {
    case .utc: 0
    case .seconds(let seconds): seconds
    }
  }
}

/// The reason why a text is no time.
package enum WrittenTimeProblem: Error, Equatable {
  /// The text has another form.
  case form
  /// The calendar does not have the day.
  case calendar
  case timeOfDay
  case noOffset
  case zoneWithoutTime
  /// A tag that must be understood, and is not.
  case critical(String)
  /// The zone has another offset then.
  case contradiction(String, zone: String, String)
  case skipped(by: Zone, next: CivilTime)
  /// There is no such zone.
  case zone(ScheduleError)

  /// The words behind the text: "is no date".
  package var words: String {
    switch self {
    case .form: "is not a date"
    case .calendar: "is not in the calendar"
    case .timeOfDay: "has no time of the day"
    case .noOffset: "has no offset of a time zone"
    case .zoneWithoutTime: "has a zone and no time"
    case .critical(let tag): "has the critical tag [!\(tag)], which is not understood"
    case .contradiction(let written, let zone, let actual):
      "has the offset \(written), but \(zone) has the offset \(actual) then"
    case .skipped(let zone, _): "is left out by the clocks in \(zone.name)"
    case .zone(let error): "has no zone: \(error.message)"
    }
  }

  package var hint: String? {
    switch self {
    case .contradiction(_, let zone, let actual): "write \(actual)[\(zone)], or leave out the offset or the zone"
    case .critical: "leave out the tag, or its '!'"
    case .skipped(_, let next): "they jump to \(next.text) there"
    case .zone(let error): error.hint
    default: nil
    }
  }
}
