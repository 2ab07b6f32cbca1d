import Core
import JSON
import Schedule

/// The time of a task: when it is due, for one. A day is not the instant of its midnight, so the two are kept apart.
package struct TaskTime: Sendable, Equatable, CustomStringConvertible {
  private enum Kind: Equatable {
    case day
    case instant
    /// The name of the zone.
    case zoned(String)
    /// The same time of the day, wherever the reader is.
    case floating
  }

  private let civil: CivilTime
  private let kind: Kind

  /// Reads `2027-01-31`, `2027-01-31T08:00:00Z`, `2027-01-31T09:00+01:00`, `2027-01-31T09:00[Europe/Berlin]` (RFC 3339,
  /// RFC 9557), a time without a zone, and the compact forms of iCalendar.
  /// - Throws: `bad_time`, also for a time that the clocks of its zone leave out.
  package init(parsing text: String) throws(TaskFieldError) {
    guard let match = text.wholeMatch(of: Self.form), let year = Int(match.1), let month = Int(match.2),
      let day = Int(match.3)
    else { throw Self.wrong(text, "is no date") }
    var civil = CivilTime(year: year, month: month, day: day)
    guard civil.isDate else { throw Self.wrong(text, "is not in the calendar") }
    guard let hour = match.4 else {
      guard match.7 == nil, match.8 == nil else { throw Self.wrong(text, "has a zone and no time") }
      (self.civil, kind) = (civil, .day)
      return
    }
    civil.second =
      (Int(hour) ?? 0) * 3600 + (match.5.flatMap { Int($0) } ?? 0) * 60 + (match.6.flatMap { Int($0) } ?? 0)
    guard Int(hour) ?? 24 < 24, civil.second < 86400 else { throw Self.wrong(text, "has no time of the day") }
    if let name = match.8 {
      let name = String(name)
      _ = try Self.moment(civil, in: name, text)
      (self.civil, kind) = (civil, .zoned(name))
    } else if let offset = match.7 {
      (self.civil, kind) = (CivilTime(seconds: civil.seconds - Self.seconds(of: offset)), .instant)
    } else {
      (self.civil, kind) = (civil, .floating)
    }
  }

  /// A regular expression that is never changed.
  nonisolated(unsafe) private static let form =
    #/(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d)(?::?(\d\d))(?::?(\d\d))?(?:\.\d+)?)? ?(Z|[+-]\d\d:?\d\d)?(?:\[([A-Za-z0-9_+\-\/]+)\])?/#

  /// `+01:00` and `-0730` in seconds; `Z` is 0.
  private static func seconds(of offset: Substring) -> Int64 {
    let digits = offset.filter(\.isNumber)
    guard digits.count == 4, let hours = Int64(digits.prefix(2)), let minutes = Int64(digits.suffix(2)) else {
      return 0
    }
    return (offset.first == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
  }

  private static func moment(_ civil: CivilTime, in name: String, _ text: String) throws(TaskFieldError) -> Int64 {
    let zone: Zone
    do { zone = try Zone(name) } catch { throw TaskFieldError(code: error.code, error.message, hint: error.hint) }
    switch zone.meaning(of: civil) {
    case .unique(let moment), .ambiguous(let moment, _): return moment
    case .missing(let moment):
      throw TaskFieldError(
        code: "bad_time", "'\(text)' is left out by the clocks in \(name)",
        hint: "they go on to \(zone.civil(at: moment * 1000).text) there")
    }
  }

  private static func wrong(_ text: String, _ problem: String) -> TaskFieldError {
    TaskFieldError(
      code: "bad_time", "'\(text)' \(problem)",
      hint: "write a date as 2027-01-31, a time as 2027-01-31T08:00:00Z or 2027-01-31T09:00[Europe/Berlin]")
  }

  /// The same instant in another zone; a day and a floating time as they are.
  /// - Throws: an error for an unknown zone.
  package func moved(to name: String) throws(TaskFieldError) -> TaskTime {
    let zone: Zone
    do { zone = try Zone(name) } catch { throw TaskFieldError(code: error.code, error.message, hint: error.hint) }
    switch kind {
    case .day, .floating: return self
    case .instant: return TaskTime(zone.civil(at: civil.seconds * 1000), name)
    case .zoned(let old): return TaskTime(zone.civil(at: try Self.moment(civil, in: old, "") * 1000), name)
    }
  }

  private init(_ civil: CivilTime, _ zone: String) { (self.civil, kind) = (civil, .zoned(zone)) }

  package var isDay: Bool { kind == .day }
  /// `2027-01-31`
  package var day: String { String(civil.iso.prefix(10)) }
  /// `09:00:00`; nil for a day.
  package var time: String? { isDay ? nil : String(civil.iso.suffix(8)) }
  /// The name of the zone: `UTC` for an instant; nil for a day and for a floating time.
  package var zone: String? {
    switch kind {
    case .zoned(let name): name
    case .instant: "UTC"
    case .day, .floating: nil
    }
  }

  /// The instant in UTC; nil for a day and for a floating time.
  package var utc: String? {
    switch kind {
    case .instant: "\(civil.iso)Z"
    case .zoned(let name): (try? Self.moment(civil, in: name, "")).map { "\(CivilTime(seconds: $0).iso)Z" }
    case .day, .floating: nil
    }
  }

  /// The form that all documents and services use.
  package var description: String {
    switch kind {
    case .day: day
    case .instant: "\(civil.iso)Z"
    case .zoned(let name): "\(civil.iso)[\(name)]"
    case .floating: civil.iso
    }
  }

  /// True if both mean the same day or the same time.
  func isSame(as other: TaskTime) -> Bool { self == other || utc != nil && utc == other.utc }
}
