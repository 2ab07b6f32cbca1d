import Schedule

/// The order of day, month and year in a date of numbers.
package enum DateOrder: String, Sendable, CaseIterable {
  case dayFirst = "day-first"
  case monthFirst = "month-first"
}

/// A date as people and programs write it, with or without a time.
///
/// The forms: `2026-10-01`, `2026/10/01`, `2026.10.01`, `20261001`, `1.10.2026`, `1/10/2026`, `1-10-2026`, each with a year of
/// two digits, `1 October 2026`, `October 1, 2026`, `28/Feb/25`, `2026年10月1日`, an Excel serial, and seconds or milliseconds
/// since 1970. A time follows or precedes: `15:30`, `3:30 PM`, `T15:30:00.000Z`, with `+01:00`, `CET` or `Europe/Berlin` behind it.
package struct DateText: Sendable, Equatable {
  /// How the day and the month were found.
  package enum Form: Sendable, Equatable {
    /// The text says it: a year first, a name of a month, or dots, which stand behind the day everywhere.
    case certain
    /// Two numbers, of which the first may be a day, the second, or each.
    case numbers(first: Int, second: Int)
    case serial, seconds, milliseconds
  }

  package let form: Form
  private let year: Int
  private let month: Int
  private let day: Int
  /// `T15:30:00`, with fraction and offset as far as the text has them; empty for a day.
  private var time: String

  /// Nil for any other text, and for a day that does not exist.
  package init?(_ text: some StringProtocol) {
    self.init(form: text)
    guard isPossible else { return nil }
  }

  /// True for a text in the form of a date whose day does not exist: `30.02.2027`.
  package static func isImpossible(_ text: some StringProtocol) -> Bool {
    DateText(form: text).map { !$0.isPossible } ?? false
  }

  private init?(form text: some StringProtocol) {
    guard text.utf8.count <= 60 else { return nil }
    if text.utf8.contains(UInt8(ascii: "/")), let (plain, zone) = ZoneNames.split(text) {
      guard let date = DateText(form: plain), date.hasTime else { return nil }
      self = date
      time += "[\(zone)]"
      return
    }
    guard let parts = DateParts(text) else { return nil }
    let found: Found?
    if let month = parts.month {
      found = Self.named(month, parts.numbers).map { (.certain, $0.year, month, $0.day, parts.time) }
    } else if parts.numbers.count == 1 {
      found = Self.number(parts.numbers[0], parts.time)
    } else {
      found = Self.numbers(parts).map { ($0.form, $0.year, $0.month, $0.day, parts.time) }
    }
    guard let found else { return nil }
    (form, year, month, day, self.time) = found
  }

  private var isPossible: Bool {
    if case .numbers(let first, let second) = form {
      return CivilTime(year: year, month: second, day: first).isDate
        || CivilTime(year: year, month: first, day: second).isDate
    }
    return CivilTime(year: year, month: month, day: day).isDate
  }

  /// The order that the numbers themselves show; nil if both are possible, or the form needs none.
  package var order: DateOrder? {
    guard case .numbers(let first, let second) = form else { return nil }
    if first > 12 { return .dayFirst }
    return second > 12 ? .monthFirst : nil
  }

  /// True if the text means another date in the other order.
  package var isAmbiguous: Bool {
    guard case .numbers(let first, let second) = form else { return false }
    return first <= 12 && second <= 12 && first != second
  }

  package var hasTime: Bool { !time.isEmpty }

  /// `2026-10-01` or `2026-10-01T15:30:00+01:00`; nil if the date does not exist in that order.
  package func text(_ order: DateOrder) -> String? {
    var (month, day) = (month, day)
    if case .numbers(let first, let second) = form {
      (day, month) = order == .dayFirst ? (first, second) : (second, first)
    }
    guard CivilTime(year: year, month: month, day: day).isDate else { return nil }
    return "\(DateParts.padded(year, 4))-\(DateParts.padded(month, 2))-\(DateParts.padded(day, 2))\(time)"
  }

  // MARK: Forms

  private typealias Found = (form: Form, year: Int, month: Int, day: Int, time: String)

  /// A single number, by its length.
  private static func number(_ number: DateParts.Number, _ time: String) -> Found? {
    switch number.digits {
    case 8:
      let (year, month, day) = (number.value / 10_000, number.value / 100 % 100, number.value % 100)
      return (1900...2199).contains(year) ? (.certain, year, month, day, time) : nil
    case 5 where time.isEmpty && (15_000...75_000).contains(number.value):
      // Days since 1899-12-30, from 1941 to 2105.
      return found(
        .serial, seconds: Int64(number.value - 25_569) * 86_400 + Int64((number.fraction * 86_400).rounded()))
    case 10 where time.isEmpty: return found(.seconds, seconds: Int64(number.value))
    case 13 where time.isEmpty: return found(.milliseconds, seconds: Int64(number.value) / 1000)
    default: return nil
    }
  }

  private static func found(_ form: Form, seconds: Int64) -> Found? {
    let civil = CivilTime(seconds: seconds)
    guard (1902...2199).contains(civil.year) else { return nil }
    let clock = [civil.second / 3600, civil.second / 60 % 60, civil.second % 60].map { DateParts.padded($0, 2) }
    let hasTime = form != .serial || civil.second != 0
    let time = hasTime ? "T\(clock.joined(separator: ":"))\(form == .serial ? "" : "Z")" : ""
    return (form, civil.year, civil.month, civil.day, time)
  }

  /// The day and the year beside the name of a month.
  private static func named(_ month: Int, _ numbers: [DateParts.Number]) -> (year: Int, day: Int)? {
    guard numbers.count == 2 else { return nil }
    let isYearFirst = numbers[0].digits == 4
    let (day, year) = isYearFirst ? (numbers[1], numbers[0]) : (numbers[0], numbers[1])
    guard day.digits <= 2, let full = fullYear(year) else { return nil }
    return (full, day.value)
  }

  private static func numbers(_ parts: DateParts) -> (form: Form, year: Int, month: Int, day: Int)? {
    let numbers = parts.numbers
    guard numbers.count == 3, parts.separators.count == 2, parts.separators[0] == parts.separators[1] || parts.isCJK
    else {
      return nil
    }
    if numbers[0].digits == 4 {
      guard numbers[1].digits <= 2, numbers[2].digits <= 2 else { return nil }
      return (.certain, numbers[0].value, numbers[1].value, numbers[2].value)
    }
    guard numbers[0].digits <= 2, numbers[1].digits <= 2, let year = fullYear(numbers[2]), !parts.isCJK else {
      return nil
    }
    if parts.separators[0] == "." { return (.certain, year, numbers[1].value, numbers[0].value) }
    return (.numbers(first: numbers[0].value, second: numbers[1].value), year, numbers[1].value, numbers[0].value)
  }

  /// The year of four digits, or of two, which POSIX puts between 1969 and 2068.
  private static func fullYear(_ number: DateParts.Number) -> Int? {
    if number.digits == 4 { return (1900...2199).contains(number.value) ? number.value : nil }
    guard number.digits == 2 else { return nil }
    return number.value + (number.value < 69 ? 2000 : 1900)
  }
}
