import Core
import JSON
import TableReading
import TaskAPI

/// Makes tasks of records by the names of their columns or members.
struct RowMapper: Sendable {
  static let completedField = TaskField.completed.rawValue

  struct Place: Sendable {
    var name: String
    /// The column's position in a table.
    var column: Int?
    /// The positions of all columns with this name, if they are several.
    var all: [Int] = []
  }

  /// A column of a field, and the meanings of its words as the caller gives them.
  struct Source: Sendable {
    var field: String
    var place: Place
    var words: ValueMap.Words?
  }

  struct Completion: Sendable {
    var place: Place
    var isPercentage: Bool
    var words: ValueMap.Words?

    func word(_ value: JSON) -> CompletionValue.Word {
      CompletionValue.word(words?.meaning(of: value) ?? value, isPercentage: isPercentage)
    }

    func word(_ text: String) -> CompletionValue.Word {
      guard words == nil else { return word(.string(text)) }
      return CompletionValue.word(text, isPercentage: isPercentage)
    }
  }

  /// The mapping in words, with the names that are left out.
  let summary: String
  /// The columns or members that no field comes from.
  let leftOut: [Place]
  let text: Place
  /// The columns that say whether the task is done; the first one that says anything counts, and the others must agree.
  let completions: [Completion]
  let fields: [Source]
  /// Taskwarrior's list also has entries that are not tasks.
  let isTaskwarrior: Bool
  /// The text of a line of todo.txt has all its fields, so one that cannot be read is not lost.
  let isKeptInText: Bool
  /// True if the caller says where the fields come from. Else the columns that say whether a task is done must agree.
  let isGiven: Bool
  /// The doubt about the column with the texts.
  var doubt: ReadingDoubt?
  /// The order of day and month in dates of numbers; nil if the caller does not say it and no value decides.
  var dateOrder: DateOrder?
  /// The meaning of priorities that are numbers.
  var scale = PriorityColumn.Scale.highestFirst
  /// True to take numbers whose digits a spreadsheet has left out as they are.
  var keepsLostDigits = false

  /// - Parameter summary: nil for one made from the names and `notes`.
  init(
    _ shape: SourceShape, text: String, completions: [String], fields: [(field: String, column: String)],
    values: ValueMap = ValueMap(), isGiven: Bool = false, notes: [String] = [], summary: String? = nil
  ) {
    func place(_ name: String) -> Place {
      Place(
        name: name, column: shape.isTable ? shape.names?.firstIndex(of: name) : nil, all: shape.repeats[name] ?? [])
    }
    self.text = place(text)
    self.completions = completions.map {
      Completion(
        place: place($0), isPercentage: ColumnNames.isPercentage($0), words: values.words(of: Self.completedField))
    }
    self.fields = fields.map { Source(field: $0.field, place: place($0.column), words: values.words(of: $0.field)) }
    self.isGiven = isGiven
    isTaskwarrior = shape.format == .taskwarrior
    isKeptInText = shape.format == .todotxt && text == "text"
    let used = Set([text] + completions + fields.map(\.column))
    let others = (shape.fieldNames ?? []).filter { !used.contains($0) && !$0.isEmpty }
    leftOut = others.map(place)
    self.summary =
      summary ?? Self.summary(shape, text: text, completions: completions, fields: fields, others, notes: notes)
  }

  /// The names of the fields that tasks may have.
  var fieldNames: [String] {
    let further = fields.map(\.field).filter { $0 != TaskDraft.sourceIDName && $0 != TaskDraft.listIDName }
    // A task with the time of its completion is completed.
    let hasCompletion = !completions.isEmpty || further.contains(TaskField.completedAt.rawValue)
    return [TaskField.text.rawValue] + (hasCompletion ? [Self.completedField] : []) + further
  }

  var textName: String { text.name }

  /// The column of a field; nil if it comes from none.
  func column(of field: String) -> String? {
    field == Self.completedField ? completions.first?.place.name : fields.first { $0.field == field }?.place.name
  }

  /// The columns with dates.
  var datePlaces: [Place] { fields.filter { WrittenDate.isDate(named: $0.field) }.map(\.place) }

  /// The option that says the mapping with one more field.
  func example(adding field: String, _ column: String) -> String { example([(field, column)]) }

  /// The option that says the mapping, with `completed` from that column alone.
  func example(completedBy column: String) -> String { example([], completed: column) }

  private func example(_ more: [(field: String, column: String)], completed: String? = nil) -> String {
    let completion = (completed ?? completions.first?.place.name).map { [(Self.completedField, $0)] } ?? []
    return RowMapping.option([("text", text.name)] + completion + fields.map { ($0.field, $0.place.name) } + more)
  }

  /// The option that also takes the columns that are left out and have names of fields; nil if none has one.
  var exampleWithLeftOut: String? {
    let more = FieldNames.recognized(in: leftOut.map(\.name)).filter {
      $0.field != "text" && column(of: $0.field) == nil
    }
    return more.isEmpty ? nil : example(more)
  }

  func draft(of record: SourceRecord) -> RowDraft {
    switch record.content {
    case .row(let row): draft(row)
    case .value(.string(let text)): RowDraft(TaskDraft(text: text))
    case .value(let value): draft(value)
    case .malformed(let code, let reason, let fields):
      .unusable(code: code, reason: reason, text: fields.joined(separator: " "))
    case .opaque, .encoded: .skipped
    }
  }

  private func draft(_ row: CSVRow) -> RowDraft {
    guard let column = text.column else { return .skipped }
    var draft = TaskDraft(text: row[column])
    // Spreadsheets write the separators of empty rows, too.
    if draft.text.isEmpty, row.count > 1, (0..<row.count).allSatisfy(row.isEmpty) { return .skipped }
    let completion = completion(
      { $0.place.column.map { row.isEmpty($0) } ?? true ? .nothing : $0.word(row[$0.place.column ?? 0]) },
      value: { .string($0.column.map { row[$0] } ?? "") })
    for source in fields {
      guard let column = source.place.column else { continue }
      guard source.place.all.isEmpty else {
        draft.fields[source.field] = Self.value(of: source, row)
        continue
      }
      if !row.isEmpty(column) { draft.fields[source.field] = .string(row[column]) }
    }
    return checked(draft, completion)
  }

  /// The values of columns with one name: a list for labels, else lines; nil without a value.
  private static func value(of source: Source, _ row: CSVRow) -> JSON? {
    let values = source.place.all.map { row[$0] }.filter { !$0.isEmpty }
    if values.isEmpty { return nil }
    if source.field == TaskField.labels.rawValue { return .array(values.map { .string($0) }) }
    return .string(values.joined(separator: "\n"))
  }

  private func draft(_ object: JSON) -> RowDraft {
    guard let content = object[text.name], content != .null else {
      return .unusable(code: "empty_text", reason: "there is no \"\(text.name)\"", text: "")
    }
    guard let content = Self.text(content) else {
      return invalid("\"\(text.name)\" is \(content.kindName), expected a text", text: "")
    }
    if isTaskwarrior, let status = completions.first.flatMap({ object[$0.place.name] }),
      status == "deleted" || status == "recurring"
    {
      return .skipped
    }
    var draft = TaskDraft(text: content)
    for source in fields {
      guard let value = object[source.place.name], value != .null else { continue }
      draft.fields[source.field] = value
    }
    let completion = completion({ $0.word(object[$0.place.name] ?? .null) }, value: { object[$0.name] ?? .null })
    return checked(draft, completion)
  }

  private static func text(_ value: JSON) -> String? {
    switch value {
    case .string(let text): text
    case .integer, .number: value.encoded()
    default: nil
    }
  }

  func invalid(_ reason: String, text: String) -> RowDraft {
    .unusable(code: ImportError.Kind.invalidValue.rawValue, reason: reason, text: text)
  }
}
