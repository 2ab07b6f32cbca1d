import JSON
import TableReading
import TaskAPI

/// The columns and members with the further fields of a task.
enum FieldNames {
  /// The usual names of columns, in lower case, their words separated by one blank. An ID of a list means something at one
  /// service alone, so it is not guessed.
  private static let usual: [(field: TaskField, names: Set<String>)] = [
    (.notes, ["notes", "note", "details", "comment", "comments", "body", "memo"]),
    (.due, ["due", "due date", "duedate", "due on", "due at", "deadline"]),
    (.start, ["start", "start date", "startdate", "scheduled", "begin", "begins"]),
    (.priority, ["priority", "prio", "importance"]),
    (.labels, ["labels", "label", "tags", "tag", "categories"]), (.list, ["list name"]),
    (.recurrence, ["recurrence", "rrule"]), (.url, ["url", "link"]),
    (
      .completedAt,
      [
        "completed at", "completed on", "completed date", "completed time", "completion date", "completion time",
        "date completed", "done at", "done on", "finished at", "finished on", "closed at", "closed on",
      ]
    ),
  ]

  /// The fields of the columns with usual names. Of several columns for a field, the only one with values is taken.
  static func guessed(in names: [String], hasValues: (String) -> Bool) -> [(field: String, column: String)] {
    let fields = usual.compactMap { field, usual -> (field: String, column: String)? in
      var found = names.filter { usual.contains(ColumnNames.plain($0)) }
      if found.isEmpty { found = names.filter { ForeignNames.field(of: $0) == field } }
      if found.count > 1 { found = found.filter(hasValues) }
      return found.count == 1 ? (field.rawValue, found[0]) : nil
    }
    return fields + lists(fields, names) + identities(in: names)
  }

  private static func lists(
    _ fields: [(field: String, column: String)], _ names: [String]
  ) -> [(field: String, column: String)] {
    // An export has the ID of a list beside its name. The service that was exported knows the list by the ID.
    guard let name = fields.first(where: { $0.field == TaskField.list.rawValue })?.column,
      let id = names.first(where: { ColumnNames.plain($0) == "list" && $0 != name })
    else { return [] }
    return [(TaskDraft.listIDName, id)]
  }

  /// The names of columns with the source's own IDs of tasks, the surest first.
  private static let sourceIDs = [
    ["source id"], ["id"], ["task id", "uuid", "uid", "gid", "key", "issue key"],
  ]
  /// A parent is guessed beside an ID only: then it is the ID of another row.
  private static let parents: Set = [
    "parent", "parent id", "parent task id", "parent uid", "parent uuid", "parent gid", "parent key",
  ]

  private static func identities(in names: [String]) -> [(field: String, column: String)] {
    let found = sourceIDs.lazy.map { ids in names.filter { ids.contains(ColumnNames.plain($0)) } }.first { !$0.isEmpty }
    guard let found, found.count == 1 else { return [] }
    let parent = names.filter { parents.contains(ColumnNames.plain($0)) }
    return [(TaskDraft.sourceIDName, found[0])] + (parent.count == 1 ? [(TaskField.parent.rawValue, parent[0])] : [])
  }

  /// The field whose usual names have `plain`, which is a plain name.
  static func usualField(_ plain: String) -> String? {
    if ColumnNames.isCompletion(plain) { return TaskField.completed.rawValue }
    return usual.first { $0.names.contains(plain) }?.field.rawValue
  }

  /// The field that is meant by a word in its place in a map, such as `done=State`. Nil for a field of tasks. Also nil for a
  /// word that may be a server's own field: `status`, and each with a capital letter.
  static func meant(by word: String) -> String? {
    guard TaskField(spelled: word) == nil, word == word.lowercased(), word != "status" else { return nil }
    if ColumnNames.isText(word) { return TaskField.text.rawValue }
    return usualField(ColumnNames.plain(word)) ?? ForeignNames.field(of: word)?.rawValue
  }

  /// The fields of columns whose names are usual, in English or in another language: for hints. A field that may be in several
  /// columns is left out.
  static func recognized(in names: [String]) -> [(field: String, column: String)] {
    var found: [String: [String]] = [:]
    for name in names {
      let field = ColumnNames.isText(name) ? "text" : usualField(ColumnNames.plain(name))
      if let field = field ?? ForeignNames.field(of: name)?.rawValue { found[field, default: []].append(name) }
    }
    return TaskField.allCases.compactMap { field in
      found[field.rawValue].flatMap { $0.count == 1 ? (field.rawValue, $0[0]) : nil }
    }
  }

  /// The fields that may be in several of the columns.
  static func ambiguous(in names: [String]) -> [(field: String, columns: [String])] {
    usual.map { field, usual in
      (field: field.rawValue, columns: names.filter { usual.contains(ColumnNames.plain($0)) })
    }.filter { $0.columns.count > 1 }
  }

  static let taskwarrior = [
    (field: "due", column: "due"), (field: "start", column: "scheduled"), (field: "priority", column: "priority"),
    (field: "labels", column: "tags"), (field: "completed_at", column: "end"), (field: "notes", column: "annotations"),
    (field: "list", column: "project"),
  ]

  /// The names of `TodoTxtLine.json`.
  static let todotxt = [
    (field: "due", column: "due"), (field: "start", column: "t"), (field: "priority", column: "priority"),
    (field: "labels", column: "labels"), (field: "completed_at", column: "completed_on"),
  ]
}
