import Core
import JSON
import Schedule

/// The time of a task: when it is due, for one. A day is not the instant of its midnight, so the two are kept apart.
package struct TaskTime: Sendable, Equatable, CustomStringConvertible {
  private enum Kind: Equatable {
    case day
    case instant
    /// The name of the zone, and the moment in seconds since 1970.
    case zoned(String, moment: Int64)
    /// The same time of the day, wherever the reader is.
    case floating
  }

  private let civil: CivilTime
  private let kind: Kind
  /// The offset of the second of two equal times of the zone's clocks; nil for other times, which need none.
  private let offset: String?

  /// Reads what `WrittenTime` reads. An offset decides on the instant of a time in a zone.
  /// - Throws: `bad_time`, also for a time that the clocks of its zone leave out, and for an offset that the zone does not have then.
  package init(parsing text: String) throws(TaskFieldError) {
    do throws(WrittenTimeProblem) {
      let written = try WrittenTime(parsing: text)
      if written.isDay {
        self.init(written.civil, .day)
      } else if let instant = try written.instant() {
        self.init(CivilTime(seconds: instant), .instant)
      } else if let name = written.zone {
        let zone: Zone
        do { zone = try Zone(name) } catch { throw WrittenTimeProblem.zone(error) }
        self.init(try written.moment(in: zone), zone)
      } else {
        self.init(written.civil, .floating)
      }
    } catch { throw Self.wrong(text, error) }
  }

  private init(_ civil: CivilTime, _ kind: Kind) { (self.civil, self.kind, offset) = (civil, kind, nil) }

  private init(_ time: WrittenTime.Zoned, _ zone: Zone) {
    (civil, kind) = (time.civil, .zoned(zone.name, moment: time.moment))
    offset = time.isSecond ? WrittenTime.text(ofOffset: zone.offset(at: time.moment)) : nil
  }

  private static func wrong(_ text: String, _ problem: WrittenTimeProblem) -> TaskFieldError {
    if case .zone(let error) = problem { return TaskFieldError(code: error.code, error.message, hint: error.hint) }
    return TaskFieldError(
      code: "bad_time", "'\(text)' \(problem.words)",
      hint: problem.hint
        ?? "write a date as 2027-01-31, a time as 2027-01-31T08:00:00Z or 2027-01-31T09:00[Europe/Berlin]")
  }

  /// The same instant in another zone; a day and a floating time as they are.
  /// - Throws: an error for an unknown zone.
  package func moved(to name: String) throws(TaskFieldError) -> TaskTime {
    let zone: Zone
    do { zone = try Zone(name) } catch { throw TaskFieldError(code: error.code, error.message, hint: error.hint) }
    switch kind {
    case .day, .floating: return self
    case .instant: return TaskTime(WrittenTime.Zoned(civil.seconds, in: zone), zone)
    case .zoned(_, let moment): return TaskTime(WrittenTime.Zoned(moment, in: zone), zone)
    }
  }

  package var isDay: Bool { kind == .day }
  /// `2027-01-31`
  package var day: String { String(civil.iso.prefix(10)) }
  /// `09:00:00`; nil for a day.
  package var time: String? { isDay ? nil : String(civil.iso.suffix(8)) }
  /// The name of the zone: `UTC` for an instant; nil for a day and for a floating time.
  package var zone: String? {
    switch kind {
    case .zoned(let name, _): name
    case .instant: "UTC"
    case .day, .floating: nil
    }
  }

  /// The instant in UTC; nil for a day and for a floating time.
  package var utc: String? {
    switch kind {
    case .instant: "\(civil.iso)Z"
    case .zoned(_, let moment): "\(CivilTime(seconds: moment).iso)Z"
    case .day, .floating: nil
    }
  }

  /// The form that all documents and services use.
  package var description: String {
    switch kind {
    case .day: day
    case .instant: "\(civil.iso)Z"
    case .zoned(let name, _): "\(civil.iso)\(offset ?? "")[\(name)]"
    case .floating: civil.iso
    }
  }

  /// True if both mean the same day or the same time.
  func isSame(as other: TaskTime) -> Bool { self == other || utc != nil && utc == other.utc }

  /// True if a service keeps this time as `other`: a time without a zone may get that of its task.
  func isKept(as other: TaskTime) -> Bool {
    isSame(as: other) || kind == .floating && !other.isDay && other.civil == civil
  }
}
