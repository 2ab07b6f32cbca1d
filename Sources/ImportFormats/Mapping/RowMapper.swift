import Core
import JSON
import TableReading
import TaskAPI

/// Makes tasks of records by the names of their columns or members.
struct RowMapper: Sendable {
  private static let completedField = TaskField.completed.rawValue

  struct Place: Sendable {
    var name: String
    /// The column's position in a table.
    var column: Int?
  }

  /// The mapping in words, with the names that are left out.
  let summary: String
  /// The columns or members that no field comes from.
  let leftOut: [String]
  private let text: Place
  private let completion: Place?
  private let isPercentage: Bool
  private let fields: [(field: String, place: Place)]
  /// Taskwarrior's list also has entries that are no tasks.
  private let isTaskwarrior: Bool
  /// The text of a line of todo.txt has all its fields, so one that cannot be read is not lost.
  private let isKeptInText: Bool
  /// The order of day and month in dates of numbers; nil if the caller does not say it and no value decides.
  var dateOrder: DateOrder?

  /// - Parameter summary: nil for one made from the names and `notes`.
  init(
    _ shape: SourceShape, text: String, completion: String?, fields: [(field: String, column: String)],
    notes: [String] = [], summary: String? = nil
  ) {
    func place(_ name: String) -> Place {
      Place(name: name, column: shape.isTable ? shape.names?.firstIndex(of: name) : nil)
    }
    self.text = place(text)
    self.completion = completion.map(place)
    isPercentage = completion.map(ColumnNames.isPercentage) ?? false
    self.fields = fields.map { ($0.field, place($0.column)) }
    isTaskwarrior = shape.format == .taskwarrior
    isKeptInText = shape.format == .todotxt && text == "text"
    let used = Set([text, completion].compactMap(\.self) + fields.map(\.column))
    leftOut = (shape.fieldNames ?? []).filter { !used.contains($0) && !$0.isEmpty }
    self.summary =
      summary ?? Self.summary(shape, text: text, completion: completion, fields: fields, leftOut, notes: notes)
  }

  /// The names of the fields that tasks may have.
  var fieldNames: [String] {
    let further = fields.map(\.field)
    // A task with the time of its completion is completed.
    let hasCompletion = completion != nil || further.contains(TaskField.completedAt.rawValue)
    return [TaskField.text.rawValue] + (hasCompletion ? [Self.completedField] : []) + further
  }

  var textName: String { text.name }

  /// The column of a field; nil if it comes from none.
  func column(of field: String) -> String? {
    field == Self.completedField ? completion?.name : fields.first { $0.field == field }?.place.name
  }

  /// The columns with dates.
  var datePlaces: [Place] { fields.filter { WrittenDate.isDate(named: $0.field) }.map(\.place) }

  /// The option that says the mapping with one more field.
  func example(adding field: String, _ column: String) -> String { example(adding: [(field, column)]) }

  private func example(adding more: [(field: String, column: String)]) -> String {
    let pairs =
      [("text", text.name)] + (completion.map { [(Self.completedField, $0.name)] } ?? [])
      + fields.map { ($0.field, $0.place.name) }
    return RowMapping.option(pairs + more)
  }

  /// The option that also takes the columns that are left out and have names of fields; nil if none has one.
  var exampleWithLeftOut: String? {
    let more = FieldNames.recognized(in: leftOut).filter { $0.field != "text" && column(of: $0.field) == nil }
    return more.isEmpty ? nil : example(adding: more)
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
    var word = CompletionValue.Word.nothing
    if let column = completion?.column, !row.isEmpty(column) {
      word = CompletionValue.word(row[column], isPercentage: isPercentage)
      if word == .unclear { return unclear(.string(row[column]), text: draft.text) }
    }
    for (field, place) in fields {
      guard let column = place.column, !row.isEmpty(column) else { continue }
      draft.fields[field] = .string(row[column])
    }
    return checked(draft, word)
  }

  /// The draft with the values of the common fields in their one form, and done as `word` says, else by the time of its
  /// completion.
  private func checked(_ draft: TaskDraft, _ word: CompletionValue.Word) -> RowDraft {
    var draft = draft
    if word == .done { draft.fields[Self.completedField] = true }
    guard !fields.isEmpty, !draft.fields.isEmpty, case .task(var draft) = RowDraft(draft) else {
      return RowDraft(draft)
    }
    for (name, place) in fields {
      guard let value = draft.fields[name], let field = TaskField(rawValue: name) else { continue }
      var read = isTaskwarrior ? FieldValue.day(value, for: field) : value
      switch WrittenDate.read(read, for: field, dateOrder) {
      case .other: break
      case .date(let text): read = .string(text)
      case .unclear(let reason):
        return .unusable(
          code: ImportError.Kind.invalidValue.rawValue, reason: "\"\(place.name)\": \(reason)", text: draft.text)
      }
      do { draft.fields[name] = try field.normalized(FieldValue.read(read, for: field)) } catch {
        if isKeptInText {
          draft.fields[name] = nil
          continue
        }
        return .unusable(
          code: error.code, reason: "\"\(place.name)\": \(error.message)" + (error.hint.map { "; \($0)" } ?? ""),
          text: draft.text)
      }
    }
    if word == .nothing { draft.inferCompletion() }
    return RowDraft(draft)
  }

  private func draft(_ object: JSON) -> RowDraft {
    guard let content = object[text.name], content != .null else {
      return .unusable(code: "empty_text", reason: "there is no \"\(text.name)\"", text: "")
    }
    guard let content = Self.text(content) else {
      return .unusable(
        code: ImportError.Kind.invalidValue.rawValue,
        reason: "\"\(text.name)\" is \(content.kindName), expected a text", text: "")
    }
    let status = completion.flatMap { object[$0.name] } ?? .null
    if isTaskwarrior, status == "deleted" || status == "recurring" { return .skipped }
    let word = CompletionValue.word(status, isPercentage: isPercentage)
    if word == .unclear { return unclear(status, text: content) }
    var draft = TaskDraft(text: content)
    for (field, place) in fields {
      guard let value = object[place.name], value != .null else { continue }
      draft.fields[field] = value
    }
    return checked(draft, word)
  }

  private static func text(_ value: JSON) -> String? {
    switch value {
    case .string(let text): text
    case .integer, .number: value.encoded()
    default: nil
    }
  }

  private func unclear(_ value: JSON, text: String) -> RowDraft {
    .unusable(
      code: ImportError.Kind.invalidValue.rawValue,
      reason: "\"\(completion?.name ?? "")\" is \(value.encoded()), expected yes or no, done or open, true or false",
      text: text)
  }
}
