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
    guard isDate(field), let text = text(of: value), let date = DateText(text) else { return .other }
    if date.isAmbiguous, order == nil {
      return .unclear("\(text) may have the day or the month first: date_format = \"…\" (--date-format) decides")
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
    case .string(let text): text.utf8.prefix(5).matches("0000-") ? nil : text
    // Seconds or milliseconds.
    case .integer(let number): number > 99_999_999 ? String(number) : nil
    default: nil
    }
  }

  /// The order that the values of each column show together, and the doubts of those that show none or both.
  static func order(_ columns: [(name: String, values: [JSON])]) -> (order: DateOrder?, doubts: [ReadingDoubt]) {
    var orders: [DateOrder] = []
    var doubts: [ReadingDoubt] = []
    let remedy = "date_format = \"day-first\" or \"month-first\" (--date-format) decides"
    for (name, values) in columns {
      var column = DateColumn()
      for text in values.compactMap(text) { column.add(text) }
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
