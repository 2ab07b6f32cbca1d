import JSON
import TableReading
import TaskAPI

/// Dates in the forms of other programs; the usual form of this one, `2026-10-01`, is read elsewhere.
enum WrittenDate {
  /// The value of a field.
  case date(String)
  /// A value in the usual form, or another text.
  case other
  case unclear(String)

  static func isDate(named field: String) -> Bool { TaskField(rawValue: field).map(isDate) ?? false }
  private static func isDate(_ field: TaskField) -> Bool { field == .due || field == .start || field == .completedAt }

  /// - Parameter order: nil if no value decides on it.
  static func read(_ value: JSON, for field: TaskField, _ order: DateOrder?) -> WrittenDate {
    guard isDate(field), let text = text(of: value) else { return .other }
    guard let date = DateText(text) else {
      return DateText.isImpossible(text) ? .unclear("the calendar has no day \(text)") : .other
    }
    if date.isAmbiguous, order == nil {
      return .unclear(
        "\(text) may have the day or the month first: --date-format day-first or month-first decides (date_format in a script)"
      )
    }
    guard let iso = date.text(order ?? .dayFirst) else {
      return .unclear(
        "\(text) does not exist with the \(order == .monthFirst ? "month" : "day") first, as in other rows")
    }
    return .date(iso)
  }

  /// The text of a value that may be a date in another form.
  static func text(of value: JSON) -> String? {
    switch value {
    case .string(let text): isUsual(text) ? nil : text
    // Seconds or milliseconds.
    case .integer(let number): number > 99_999_999 ? String(number) : nil
    default: nil
    }
  }

  /// True for `2026-10-01`, also with a time behind a `T` and without the name of a zone.
  private static func isUsual(_ text: String) -> Bool {
    let bytes = text.utf8
    guard bytes.prefix(10).matches("0000-00-00"), bytes.count > 10 else {
      return bytes.count == 10 && bytes.prefix(5).matches("0000-")
    }
    let next = bytes[bytes.index(bytes.startIndex, offsetBy: 10)]
    return next == UInt8(ascii: "T") && !bytes.contains(UInt8(ascii: " "))
  }

  /// The two dates of a range such as `October 1, 2026 → October 3, 2026`, as Notion writes it; nil for another value.
  static func range(_ value: JSON) -> (start: String, end: String)? {
    guard let text = value.string, text.utf8.count > 12, let arrow = text.firstRange(of: "→") else { return nil }
    let (start, end) = (text[..<arrow.lowerBound].trimmed, text[arrow.upperBound...].trimmed)
    return start.isEmpty || end.isEmpty ? nil : (start, end)
  }

  /// The order that the values of each column show together, and the doubts of those that show none or both.
  static func order(
    _ columns: [(name: String, values: [(value: JSON, line: Int?)])]
  ) -> (order: DateOrder?, doubts: [ReadingDoubt]) {
    var orders: [DateOrder] = []
    var doubts: [ReadingDoubt] = []
    let remedy = "--date-format day-first or month-first decides (date_format in a script)"
    for (name, values) in columns {
      var column = DateColumn()
      for (value, line) in values {
        let parts = range(value).map { [JSON.string($0.start), .string($0.end)] } ?? [value]
        for text in parts.compactMap(text) { column.add(text, line: line) }
      }
      switch column.judgment {
      case .needless: break
      case .decided(let order): orders.append(order)
      case .undecided(let example):
        doubts.append(
          ReadingDoubt("the dates in \"\(name)\", such as \(example), may have the day or the month first", remedy))
      case .mixed(let dayFirst, let monthFirst):
        return (nil, [ReadingDoubt("\"\(name)\" has dates in two orders: \(dayFirst) and \(monthFirst)", remedy)])
      }
    }
    if Set(orders.map(\.rawValue)).count == 1 { return (orders[0], []) }
    return orders.isEmpty ? (nil, doubts) : (nil, [ReadingDoubt("columns have dates in two orders", remedy)])
  }
}
