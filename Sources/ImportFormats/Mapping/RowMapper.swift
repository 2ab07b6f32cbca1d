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
  let fields: [(field: String, place: Place)]
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
    let further = fields.map(\.field).filter { $0 != TaskDraft.sourceIDName }
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
    draft.takeSourceID()
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

  private static let mostLeftOut = 12

  /// A mapping in words: `text from column "Title", completed from "Done"; left out: "Due"`.
  private static func summary(
    _ shape: SourceShape, text: String, completion: String?, fields: [(field: String, column: String)],
    _ others: [String], notes: [String]
  ) -> String {
    var parts = ["text from \(shape.noun) \"\(text)\""]
    if let completion { parts.append("completed from \"\(completion)\"") }
    parts += fields.map { "\($0.field) from \"\($0.column)\"" }
    var sentences = [parts.joined(separator: ", ")]
    if !others.isEmpty {
      let names = others.prefix(mostLeftOut).quotedList
      let more = others.count - mostLeftOut
      sentences.append("left out: \(names)\(more > 0 ? " and \(more) more" : "")")
    }
    return (sentences + notes).joined(separator: "; ")
  }

  private static let taskwarriorNote = "tasks with the status \"deleted\" or \"recurring\" are left out"

  /// Maps by the usual names. Throws if the text is in no column, or may be in several.
  init(guessingFor shape: SourceShape) throws(ImportError) {
    guard let names = shape.fieldNames else {
      // Each text is a task.
      self.init(
        shape, text: "text", completion: nil, fields: [],
        summary: shape.format == .text ? "each line is a task" : "each text is a task")
      return
    }
    switch shape.format {
    case .taskwarrior:
      let fields = FieldNames.taskwarrior.filter { names.contains($0.column) }
      self.init(shape, text: "description", completion: "status", fields: fields, notes: [Self.taskwarriorNote])
    case .todotxt:
      self.init(
        shape, text: "text", completion: "completed", fields: FieldNames.todotxt,
        summary: "text from each line, completed where it begins with \"x \", and due, start, priority and labels")
    case .csv, .tsv, .json, .ndjson, .text:
      let text = try shape.textName()
      let completion = ColumnNames.completion(in: names.filter { $0 != text })
      let others = names.filter { $0 != text && !completion.contains($0) }
      self.init(
        shape, text: text, completion: completion.count == 1 ? completion[0] : nil,
        fields: FieldNames.guessed(in: others),
        notes: completion.count > 1 ? ["completed may be any of \(completion.quotedList)"] : [])
    }
  }

  /// Maps as the user says. Throws for missing columns.
  init(_ mapping: RowMapping, for shape: SourceShape) throws(ImportError) {
    guard shape.names != nil else {
      throw ImportError(
        kind: .invalidMap,
        message: "\(shape.name) has neither columns nor members, so a map has nothing to take from it",
        hint: "each task's text is what there is")
    }
    var text = ""
    var completion: String?
    var fields: [(field: String, column: String)] = []
    var notes: [String] = []
    for pair in mapping.pairs {
      let isText = pair.field.lowercased() == "text"
      let found = shape.find(pair.column)
      // Only later objects may have the member, unless it is the text.
      if found == nil, shape.isTable || isText { throw shape.missing(pair.column) }
      if found == nil { notes.append("no \"\(pair.column)\" in the first objects") }
      let column = found ?? pair.column
      if isText {
        text = column
      } else if pair.field.lowercased() == "completed" {
        completion = column
      } else {
        fields.append((TaskField(spelled: pair.field)?.rawValue ?? pair.field, column))
      }
    }
    if shape.format == .taskwarrior { notes.append(Self.taskwarriorNote) }
    self.init(shape, text: text, completion: completion, fields: fields, notes: notes)
  }
}

extension SourceShape {
  /// The name with the text: a usual name, else the only name.
  func textName() throws(ImportError) -> String {
    let names = fieldNames ?? []
    let candidates = ColumnNames.text(in: names)
    if candidates.count == 1 { return candidates[0] }
    guard candidates.isEmpty else {
      throw ImportError(
        kind: .ambiguousColumn,
        message: "\(name): the text may be in the \(noun)s " + candidates.map { "\"\($0)\"" }.joined(separator: " or "),
        hint: "say which: \(RowMapping.example(candidates))")
    }
    guard names.count == 1 else {
      throw ImportError(
        kind: .missingColumn, message: "\(name) has no \(noun) called \"Text\": its \(noun)s are \(list)",
        hint: missingTextHint(names))
    }
    if let separator = names[0].first(where: { $0 == "," || $0 == ";" || $0 == "\t" || $0 == "|" }) {
      throw ImportError(
        kind: .missingColumn, message: "\(name) has a single column, called \"\(names[0])\"",
        hint: "is the separator \(separator == "\t" ? "a tab" : "'\(separator)'")?")
    }
    return names[0]
  }

  private func missingTextHint(_ names: [String]) -> String {
    let known = FieldNames.recognized(in: names)
    guard known.contains(where: { ForeignNames.field(of: $0.column) != nil }) else {
      return "say which has the text: \(RowMapping.example([]))"
    }
    let hasText = known.contains { $0.field == TaskField.text.rawValue }
    return "say which \(noun)s have the fields: \(RowMapping.option((hasText ? [] : [("text", "COLUMN")]) + known))"
  }

  func missing(_ column: String) -> ImportError {
    ImportError(
      kind: .missingColumn, message: "\(name) has no \(noun) \"\(column)\": its \(noun)s are \(list)",
      hint: nearestName(to: column, in: names ?? []).map { "did you mean \"\($0)\"?" })
  }
}
