import JSON
import TaskAPI

/// Makes tasks of records by the names of their columns or members.
struct RowMapper: Sendable {
  /// The field as the servers spell it.
  private static let completedField = "Completed"

  /// The column or member that has a value.
  struct Place: Sendable {
    var name: String
    /// The column's position in a table.
    var column: Int?
  }

  /// The mapping in words, with the columns that are left out.
  let summary: String
  private let text: Place
  private let completion: Place?
  private let fields: [(field: String, place: Place)]
  /// Taskwarrior's list holds tasks that are none, too.
  private let isTaskwarrior: Bool

  /// - Parameter summary: nil makes one of the names and `notes`.
  init(
    _ shape: SourceShape, text: String, completion: String?, fields: [(field: String, column: String)],
    notes: [String] = [], summary: String? = nil
  ) {
    func place(_ name: String) -> Place {
      Place(name: name, column: shape.isTable ? shape.names?.firstIndex(of: name) : nil)
    }
    self.text = place(text)
    self.completion = completion.map(place)
    self.fields = fields.map { ($0.field, place($0.column)) }
    isTaskwarrior = shape.format == .taskwarrior
    self.summary = summary ?? RowSummary(shape, text: text, completion: completion, fields: fields, notes: notes).text
  }

  func draft(of record: SourceRecord) -> RowDraft {
    switch record.content {
    case .row(let row): draft(row)
    case .value(.string(let text)): RowDraft(TaskDraft(text: text))
    case .value(let value): draft(value)
    case .malformed(let code, let reason, let fields):
      .unusable(code: code, reason: reason, text: fields.joined(separator: " "))
    case .opaque: .skipped
    }
  }

  private func draft(_ row: CSVRow) -> RowDraft {
    guard let column = text.column else { return .skipped }
    var draft = TaskDraft(text: row[column])
    if let column = completion?.column {
      guard let isCompleted = CompletionValue.isCompleted(row[column]) else {
        return unclear(.string(row[column]), text: draft.text)
      }
      if isCompleted { draft.fields[Self.completedField] = true }
    }
    for (field, place) in fields {
      guard let column = place.column, !row.isEmpty(column) else { continue }
      draft.fields[field] = .string(row[column])
    }
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
    guard let isCompleted = CompletionValue.isCompleted(status) else { return unclear(status, text: content) }
    var draft = TaskDraft(text: content)
    if isCompleted { draft.fields[Self.completedField] = true }
    for (field, place) in fields {
      guard let value = object[place.name], value != .null else { continue }
      draft.fields[field] = value
    }
    return RowDraft(draft)
  }

  /// A text, or a number as one; nil for anything else.
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

/// A mapping in words: `text from column "Title", completed from "Done"; left out: "Due"`.
struct RowSummary {
  private static let mostLeftOut = 12

  let text: String

  init(
    _ shape: SourceShape, text: String, completion: String?, fields: [(field: String, column: String)], notes: [String]
  ) {
    var parts = ["text from \(shape.noun) \"\(text)\""]
    if let completion { parts.append("completed from \"\(completion)\"") }
    parts += fields.map { "\($0.field) from \"\($0.column)\"" }
    var sentences = [parts.joined(separator: ", ")]
    let used = Set([text, completion].compactMap(\.self) + fields.map(\.column))
    let others = (shape.names ?? []).filter { !used.contains($0) && !$0.isEmpty }
    if !others.isEmpty {
      let names = others.prefix(Self.mostLeftOut).map { "\"\($0)\"" }.joined(separator: ", ")
      let more = others.count - Self.mostLeftOut
      sentences.append("left out: \(names)\(more > 0 ? " and \(more) more" : "")")
    }
    self.text = (sentences + notes).joined(separator: "; ")
  }
}
