import Core
import JSON
import TableReading
import TaskAPI

/// Judges the values of priorities, of completion and of names by the first records.
struct ValueJudgment {
  /// The meaning of priorities that are numbers.
  private(set) var scale = PriorityColumn.Scale.highestFirst
  private(set) var doubts: [ReadingDoubt] = []
  /// The findings that a person may want to contradict.
  private(set) var notes: [String] = []

  private let records: [SourceRecord]

  init(_ mapper: RowMapper, _ records: [SourceRecord]) {
    self.records = records
    // The text of a line has all that its fields have.
    guard !mapper.isKeptInText else { return }
    // The status of Taskwarrior has its own words.
    for completion in mapper.isTaskwarrior ? [] : mapper.completions {
      judge(
        completion.place, RowMapper.completedField, ("says neither done nor open", "say neither done nor open"),
        "false",
        "true is done, false is open"
      ) { completion.word($0) == .unclear }
    }
    for source in mapper.fields where source.field == TaskField.priority.rawValue { judgePriorities(source) }
    judgeNames([mapper.text] + mapper.fields.filter { RowMapper.namesThings.contains($0.field) }.map(\.place))
  }

  private typealias Found = (value: JSON, line: Int?)

  private func values(_ place: RowMapper.Place) -> [Found] {
    records.compactMap { record in
      guard let value = record.value(place), value != .null, value.string?[...].trimmed != "" else { return nil }
      return (value, record.line)
    }
  }

  private mutating func judgePriorities(_ source: RowMapper.Source) {
    let priority = TaskField.priority.rawValue
    var column = PriorityColumn()
    for (value, _) in values(source.place) where source.words?.meaning(of: value) == nil {
      if let written = FieldValue.written(value) { column.add(written) }
    }
    let numbers = column.numbers.filter { $0 > 0 }.sorted()
    let most = numbers.last ?? 1
    func option(_ scale: PriorityColumn.Scale) -> String {
      ValueMap.option(priority, numbers.map { (String($0), String(scale.priority($0) ?? $0)) })
    }
    func doubt(_ fact: String) -> ReadingDoubt {
      ReadingDoubt(
        "\(fact) in \"\(source.place.name)\", and 1 may be the highest or the lowest",
        "\(option(.highestFirst)) if 1 is the highest", "\(option(.lowestFirst(most: most))) if 1 is the lowest")
    }
    switch column.judgment {
    case .needless: break
    case .decided(let found):
      scale = found
      if case .lowestFirst = found {
        notes.append("in \"\(source.place.name)\", 1 is the lowest")
      } else if most > 1, most <= 5 {
        notes.append("in \"\(source.place.name)\", 1 is the highest")
      }
    case .undecided: doubts.append(doubt("there are numbers from 0 to \(most)"))
    case .mixed: doubts.append(doubt("words beside the numbers contradict each other"))
    }
    judge(
      source.place, priority, ("is not a known priority", "are not known priorities"), "NUMBER",
      "from 1, the highest, to 9, and 0 for none"
    ) { [scale] value in
      let value = source.words?.meaning(of: value) ?? value
      return (FieldValue.priority(value, scale) ?? -1) < 0
    }
  }

  /// Adds a doubt about the values that nobody knows.
  private mutating func judge(
    _ place: RowMapper.Place, _ field: String, _ fact: (one: String, many: String), _ example: String, _ range: String,
    isUnknown: (JSON) -> Bool
  ) {
    let all = values(place)
    let unknown = all.filter { isUnknown($0.value) }
    var counts: [String: Int] = [:]
    var words: [(word: String, line: Int?)] = []
    for (value, line) in unknown {
      counts[value.plainText, default: 0] += 1
      if counts[value.plainText] == 1 { words.append((value.plainText, line)) }
    }
    // A word that occurs once among known ones is the fault of its row.
    if 2 * unknown.count <= all.count { words.removeAll { counts[$0.word] == 1 } }
    guard !words.isEmpty else { return }
    let most = 8
    let shown = words.prefix(most).map { word, line in
      "\"\(word.clipped(to: 40))\"" + (line.map { " (line \($0))" } ?? "")
    }
    let more = words.count > most ? " and \(words.count - most) more" : ""
    let option = ValueMap.option(field, words.prefix(most).map { ($0.word, example) })
    doubts.append(
      ReadingDoubt(
        "\"\(place.name)\" has \(shown.joined(separator: ", "))\(more), which \(words.count == 1 ? fact.one : fact.many)",
        "\(option) (values = { \(field) = { … } } in a script) says what each word means: \(range)"))
  }

  /// Adds a doubt about the names of things whose digits a spreadsheet has left out.
  private mutating func judgeNames(_ places: [RowMapper.Place]) {
    for place in places {
      let lost = values(place).first { $0.value.string.map(FieldValue.hasLostDigits) ?? false }
      guard let lost else { continue }
      doubts.append(
        ReadingDoubt(
          "\"\(place.name)\" has \(lost.value.plainText)" + (lost.line.map { " (line \($0))" } ?? "")
            + ", a number whose last digits a spreadsheet has left out",
          "format the column as text in the spreadsheet, and export it again"))
    }
  }
}
