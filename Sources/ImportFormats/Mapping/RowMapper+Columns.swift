import TaskAPI

/// The columns or members from which a mapper takes the fields.
extension RowMapper {
  private static let mostLeftOut = 12

  /// A mapping in words: `text from column "Title", completed from "Done"; left out: "Due"`.
  static func summary(
    _ shape: SourceShape, text: String, completions: [String], fields: [(field: String, column: String)],
    _ others: [String], notes: [String]
  ) -> String {
    var parts = ["text from \(shape.noun) \"\(text)\""]
    if !completions.isEmpty { parts.append("completed from \(completions.quotedList)") }
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

  /// Maps by the usual names, and by the values. Throws if no column has texts.
  init(guessingFor shape: SourceShape, values: ValueMap = ValueMap()) throws(ImportError) {
    guard let names = shape.fieldNames else {
      // Each text is a task.
      self.init(
        shape, text: "text", completions: [], fields: [], values: values,
        summary: shape.format == .text ? "each line is a task" : "each text is a task")
      return
    }
    switch shape.format {
    case .taskwarrior:
      let fields = FieldNames.taskwarrior.filter { names.contains($0.column) }
      self.init(
        shape, text: "description", completions: ["status"], fields: fields, values: values,
        notes: [Self.taskwarriorNote])
    case .todotxt:
      self.init(
        shape, text: "text", completions: ["completed"], fields: FieldNames.todotxt, values: values,
        summary: "text from each line, completed where it begins with \"x \", and due, start, priority and labels")
    case .csv, .tsv, .json, .ndjson, .text:
      let choice = try ColumnChoice(shape)
      self.init(
        shape, text: choice.text.name, completions: choice.completions, fields: choice.fields, values: values,
        notes: choice.text.note.map { [$0] } ?? [])
      doubt = choice.text.doubt
    }
  }

  /// Maps as the user says. Throws for missing columns.
  init(_ mapping: RowMapping, for shape: SourceShape, values: ValueMap = ValueMap()) throws(ImportError) {
    guard shape.names != nil else {
      throw ImportError(
        kind: .invalidMap,
        message: "\(shape.name) has neither columns nor members, so a map has nothing to take from it",
        hint: "each task's text is what there is")
    }
    var text = ""
    var completions: [String] = []
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
        completions.append(column)
      } else {
        fields.append((TaskField(spelled: pair.field)?.rawValue ?? pair.field, column))
      }
    }
    if shape.format == .taskwarrior { notes.append(Self.taskwarriorNote) }
    self.init(
      shape, text: text, completions: completions, fields: fields, values: values, isGiven: !mapping.isKept,
      notes: notes)
  }
}
