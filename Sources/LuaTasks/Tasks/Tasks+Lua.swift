import Core
import HostLoop
import ImportEngine
import ImportFormats
package import ImportReport
import JSON
package import Lua
import LuaKit
import Permissions
import TaskAPI

extension JSONMarshal {
  func value(_ task: APITask) -> LuaValue {
    let further = TaskField.further.map { ($0.rawValue, optional(task.value(of: $0))) }
    return .record(
      [
        ("id", optional(task.id)), ("text", .string(task.text)), ("owner", .string(task.owner)),
        ("completed", .boolean(task.completed)), ("date", .string(task.date)),
      ] + further + [
        ("list_name", .string(task.listName)), ("etag", .string(task.entityTag)), ("raw", optional(task.raw)),
      ])
  }

  func table(of list: consuming TaskListText, _ state: LuaState) throws -> LuaTable {
    if let table = quickTable(of: &list) { return table }
    let table = state.makeTable()
    table.metatable = arrayMetatable
    for (offset, task) in try list.tasks().enumerated() { table[.integer(Int64(offset + 1))] = value(task) }
    return table
  }

  /// The same, made directly from the text; nil if the list is not quite what task APIs send.
  private func quickTable(of list: inout TaskListText) -> LuaTable? {
    struct NoTask: Error {}
    guard let table = quickValue(&list.body)?.table, table.metatable?.isSame(as: arrayMetatable) == true
    else { return nil }
    do {
      try table.replaceElements(by: Self.taskShape) { element in
        guard let task = APITask(try json(element)) else { throw NoTask() }
        return value(task)
      }
      return table
    } catch { return nil }
  }

  private static let taskShape = RecordShape(
    [
      .init("id", of: APITask.idNames, .any), .init("text", of: APITask.textNames, .requiredText),
      .init("owner", of: APITask.ownerNames, .text), .init("completed", of: APITask.completedNames, .flag),
      .init("date", of: APITask.dateNames, .text),
    ] + TaskField.further.map { .init($0.rawValue, of: $0.spellings, .any) }
      + [.init("etag", of: APITask.tagNames, .text)], whole: "raw")

  /// A task to add: a text, or a table with `text`. `place` begins the message about anything else.
  func draft(_ value: LuaValue, for place: String) throws -> TaskDraft {
    if let text = try value.text(at: "\(place): the text") { return TaskDraft(text: text) }
    guard let table = value.table, let text = try table["text"].text(at: "\(place): the text") else {
      let got = value.table.map { "a table whose text is \($0["text"].typeName)" } ?? value.typeName
      throw LuaError(
        code: "invalid_argument", message: "\(place): expected a text, or a table with a text, got \(got)",
        hint: "for example { text = \"Buy milk\" }")
    }
    var fields: [String: JSON] = [:]
    for pair in try table.pairs {
      guard let name = try pair.key.text(at: "\(place): the name of a field"), name != "text" else { continue }
      fields[name] = try json(pair.value, at: "\(place): task.\(name)")
    }
    var draft = TaskDraft(text: text, fields: fields)
    draft.takeSourceID()
    do { return try draft.normalized() } catch {
      throw LuaError(code: error.code, message: "\(place): \(error.message)", hint: error.hint)
    }
  }

  /// The draft that a script made of a row: nothing, a text, or a table with one. A row with a wrong value fails alone.
  func rowDraft(_ value: LuaValue, for place: String) throws -> RowDraft {
    do { return value.isNil ? .skipped : RowDraft(try draft(value, for: place)) } catch let error as LuaError {
      guard ["bad_time", "invalid_value"].contains(error.code) else { throw error }
      return .unusable(code: error.code, reason: error.message, text: value.table?["text"].string ?? "")
    }
  }

  /// The draft that the function `map` makes of a row. A row for which it raises an error fails alone.
  func rowDraft(_ map: LuaFunction, _ row: [LuaValue], for place: String) async throws -> RowDraft {
    let value: LuaValue
    do { value = try await map.call(row).first ?? .nil } catch let error as LuaError {
      guard error.isAboutOneRow else { throw error }
      return .unusable(code: error.code, reason: "map: \(error.description)", text: "")
    }
    return try rowDraft(value, for: "tasks.import: map, \(place)")
  }

  /// A failure as `on_row_failed` gets it.
  func value(_ failure: RowFailure) -> LuaValue {
    .record([
      ("row", .integer(failure.row)), ("line", .integer(failure.line)), ("reason", .string(failure.reason)),
      ("code", .string(failure.code)), ("status", .integer(failure.status)), ("text", .string(failure.text)),
      ("unsettled", .boolean(failure.isUnsettled)), ("original", optional(failure.original)),
    ])
  }

  func decision(_ value: LuaValue, on failure: RowFailure) throws -> FailureDecision {
    switch (value, value.string) {
    case (.nil, _): .keep
    case (_, "skip"): .skip
    case (_, "stop"): .stop
    default: .change(try draft(value, for: "tasks.import: on_row_failed, row \(failure.row)"))
    }
  }

  /// A replay gets the duration of the recorded run: its clock stands still while it works.
  private static func kept(_ seconds: Double) -> Double {
    guard let tape = CurrentTape.value else { return seconds }
    let kept = try? tape.input(.clock, "the duration of an import") { Array(String(seconds).utf8) }
    return kept.flatMap { Double(String(decoding: $0, as: UTF8.self)) } ?? seconds
  }

  /// The report; `tostring` of it is the text for people.
  package func value(_ summary: ImportSummary, _ state: LuaState) -> LuaValue {
    let report = summary.report
    let table = state.makeTable()
    let counts = [
      ("total", report.total), ("added", report.added), ("added_now", report.addedNow), ("skipped", report.skipped),
      ("failed", report.failed), ("unsettled", report.unsettled), ("unsent", report.unsent),
    ]
    for (name, count) in counts { table[name] = .integer(count) }
    table["resumed_at"] = .integer(report.resumed.at)
    table["seconds"] = .number(Self.kept(report.seconds))
    let lost = state.makeTable()
    for (field, rows) in report.lost { lost[field] = .integer(rows) }
    table["lost"] = .table(lost)
    table["left_out"] = .list((summary.leftOut?.columns ?? []).map { .string($0) }, metatable: arrayMetatable)
    table["failures"] = .list(report.failures.map(value), metatable: arrayMetatable)
    table["journal"] = .string(summary.journal)
    table["failed_rows"] = .string(summary.failedRows)
    table["failed_table"] = .string(summary.failedTable)
    let metatable = state.makeTable()
    let text = ImportSummaryText.render(summary)
    metatable["__name"] = .string("import report")
    metatable["__tostring"] = .function(
      state.closure(HostFunction("tostring", "", [.any("report")]) { _ in [.string(text)] }))
    table.metatable = metatable
    return .table(table)
  }

  /// The options of a call for its report: those that JSON can hold.
  func shown(_ options: [String: LuaValue]) -> [String: JSON] {
    options.compactMapValues { value in
      if case .object = value { return nil }
      return value.function == nil ? try? json(value) : "a function"
    }
  }
}

extension LuaError {
  /// False for an error that each row would meet, or that passes: a misspelled column, a missing permission, a lack of
  /// memory, a server that cannot be reached.
  fileprivate var isAboutOneRow: Bool {
    let others = [ImportError.Kind.missingColumn.rawValue, PermissionDenied.code, "canceled"]
    return !others.contains(code) && !isRetryable && !message.hasSuffix("not enough memory")
  }
}
