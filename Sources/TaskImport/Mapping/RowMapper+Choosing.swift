import Core

extension RowMapper {
  private static let taskwarriorNote = "tasks with the status \"deleted\" or \"recurring\" are left out"

  /// By the usual names of columns and members. Throws where the text is in none, or may be in several.
  init(guessingFor shape: SourceShape) throws(ImportError) {
    guard let names = shape.names else {
      // Texts are tasks as they are.
      self.init(
        shape, text: "text", completion: nil, fields: [],
        summary: shape.format == .text ? "each line is a task" : "each text is a task")
      return
    }
    switch shape.format {
    case .taskwarrior:
      self.init(shape, text: "description", completion: "status", fields: [], notes: [Self.taskwarriorNote])
    case .todotxt:
      self.init(
        shape, text: "text", completion: "completed", fields: [],
        summary: "text from each line, completed where it begins with \"x \"")
    case .csv, .tsv, .json, .ndjson, .text:
      let text = try shape.textName()
      let completion = ColumnNames.completion(in: names.filter { $0 != text })
      self.init(
        shape, text: text, completion: completion.count == 1 ? completion[0] : nil, fields: [],
        notes: completion.count > 1
          ? ["completed may be any of \(completion.map { "\"\($0)\"" }.joined(separator: ", "))"] : [])
    }
  }

  /// As a map says. Throws for columns that are not there.
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
      // Members that only later objects have are no mistake, if it is not the text.
      if found == nil, shape.isTable || isText { throw shape.missing(pair.column) }
      if found == nil { notes.append("no \"\(pair.column)\" in the first objects") }
      let column = found ?? pair.column
      if isText {
        text = column
      } else if pair.field.lowercased() == "completed" {
        completion = column
      } else {
        fields.append((pair.field, column))
      }
    }
    if shape.format == .taskwarrior { notes.append(Self.taskwarriorNote) }
    self.init(shape, text: text, completion: completion, fields: fields, notes: notes)
  }
}

extension SourceShape {
  /// The one with the text: by its name, else the only one there is.
  func textName() throws(ImportError) -> String {
    let names = names ?? []
    let candidates = ColumnNames.text(in: names)
    if candidates.count == 1 { return candidates[0] }
    let example = candidates.first ?? names.first { !$0.isEmpty } ?? ""
    guard candidates.isEmpty else {
      throw ImportError(
        kind: .ambiguousColumn,
        message: "\(name): the text may be in the \(noun)s " + candidates.map { "\"\($0)\"" }.joined(separator: " or "),
        hint: "say which: \(RowMapping.example(example))")
    }
    guard names.count == 1 else {
      throw ImportError(
        kind: .missingColumn, message: "\(name) has no \(noun) called \"Text\": its \(noun)s are \(list)",
        hint: "say which has the text: \(RowMapping.example(example))")
    }
    if let separator = names[0].first(where: { $0 == "," || $0 == ";" || $0 == "\t" || $0 == "|" }) {
      throw ImportError(
        kind: .missingColumn, message: "\(name) has a single column, called \"\(names[0])\"",
        hint: "is the separator \(separator == "\t" ? "a tab" : "'\(separator)'")?")
    }
    return names[0]
  }

  func missing(_ column: String) -> ImportError {
    ImportError(
      kind: .missingColumn, message: "\(name) has no \(noun) \"\(column)\": its \(noun)s are \(list)",
      hint: nearestName(to: column, in: names ?? []).map { "did you mean \"\($0)\"?" })
  }
}
