import Core
package import ImportFormats
import JSON
import TableReading
import TaskAPI

/// The reading of a source for a terminal.
package enum ReadingText {
  private static let most = 40

  /// More columns than any text has.
  private static let unlimited = 1 << 30

  /// Several lines without a final line break, of at most so many columns where that is possible. Without a number, nothing is
  /// cut.
  package static func render(_ reading: SourceReading, columns: Int? = nil) -> String {
    let columns = columns ?? unlimited
    var lines = [reading.source]
    let facts = facts(reading)
    let width = facts.map(\.name.displayWidth).max() ?? 0
    lines += facts.map { "  \($0.name.fitted(to: width))  \($0.value)" }
    if !reading.rows.isEmpty { lines += [""] + table(reading.rows, columns: max(columns, 80)) }
    if !reading.doubts.isEmpty {
      lines += ["", counted(reading.doubts.count, "doubt")]
      for doubt in reading.doubts { lines += ["  \(doubt.finding)"] + doubt.remedies.map { "    \($0)" } }
    }
    return lines.map(\.displayable).joined(separator: "\n")
  }

  /// The first rows as tasks, before a question.
  package static func preview(_ reading: SourceReading) -> [String] {
    reading.rows.isEmpty ? [] : ["It would be read as:"] + table(reading.rows, columns: 80)
  }

  /// The facts of a reading in words.
  static func facts(_ reading: SourceReading) -> [(name: String, value: String)] {
    var facts: [(name: String, value: String?)] = [
      ("app", reading.app), ("container", reading.container), ("encoding", reading.encoding),
    ]
    let separator = reading.separator.map { $0 == "\t" ? ", separated by tabs" : ", separated by '\($0)'" } ?? ""
    facts.append(("format", reading.isSheet ? "table" : reading.format + separator))
    facts.append(("header", header(reading)))
    for (index, column) in reading.columns.prefix(most).enumerated() {
      facts.append((index == 0 ? "columns" : "", "\"\(column.name)\" (\(column.kind)) → \(column.field ?? "left out")"))
    }
    if reading.columns.count > most { facts.append(("", "and \(reading.columns.count - most) more")) }
    return facts.compactMap { fact in fact.value.map { (fact.name, $0) } }
  }

  private static func header(_ reading: SourceReading) -> String? {
    guard let header = reading.header else { return nil }
    let reason = reading.reason ?? "as the option says"
    switch header {
    case .line(let line): return "line \(line): \(reason)"
    case .none: return "none: \(reason)"
    }
  }

  private static func table(_ rows: [SourceReading.Row], columns: Int) -> [String] {
    let places = rows.map { String($0.line ?? $0.number) }
    let name = rows.contains { $0.line != nil } ? "line" : "row"
    let width = max(name.count, places.map(\.count).max() ?? 0)
    let cells = rows.map { Self.cells($0.draft) }
    let longest = cells.map(\.text.displayWidth).max() ?? 0
    let texts = min(max(longest, 4), (columns - width - 6) / 2)
    let rest = columns - width - texts - 6
    func line(_ place: String, _ text: String, _ more: String) -> String {
      var line =
        "  \(place.fitted(to: width, alignedRight: true))  \(text.fitted(to: texts))  \(more.clipped(to: rest))"
      while line.last == " " { line.removeLast() }
      return line
    }
    return [line(name, "text", "fields")] + zip(places, cells).map { line($0, $1.text, $1.more) }
  }

  /// The text of a row, and its fields or the reason why it is not a task.
  static func cells(_ draft: RowDraft) -> (text: String, more: String, isTask: Bool) {
    switch draft {
    case .task(let task): (task.text.displayable, fields(task).joined(separator: ", ").displayable, true)
    case .skipped: ("", "skipped", true)
    case .unusable(_, let reason, let text): (text.displayable, "not a task: \(reason)".displayable, false)
    }
  }

  private static func fields(_ task: TaskDraft) -> [String] {
    let order = TaskField.allCases.map(\.rawValue)
    func place(_ field: String) -> Int { order.firstIndex(of: field) ?? order.count }
    return task.fields.sorted { (place($0.key), $0.key) < (place($1.key), $1.key) }.map { field, value in
      value == true ? field : "\(field) \(shown(value))"
    }
  }

  private static func shown(_ value: JSON) -> String {
    if let list = value.array { return list.map(shown).joined(separator: "+") }
    return value.string ?? value.encoded()
  }
}
