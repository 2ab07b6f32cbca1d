package import HostLoop
import Imports
import JSON
package import Lua
import LuaKit
import TaskAPI

/// A task service as a plugin or a stock script declares it.
package struct PluginService: Sendable {
  let name: String
  package let summary: String
  let fields: Set<TaskField>
  /// True if the service keeps the day of a time alone.
  let keepsDaysOnly: Bool
  /// True if a sub-task is always in the list of its parent.
  let keepsPartsInList: Bool
  /// The priorities that come back as they are; empty if all do.
  let priorities: Set<Int64>
  /// The most characters of a field.
  let longest: [TaskField: Int]
  /// False if the service removes no tasks.
  let removes: Bool
  let terms: ServiceTerms
  /// The names of the options that it takes.
  let settings: [String]
  let open: LuaFunction

  /// - Throws: an error that names the key of the declaration.
  @HostActor package init(_ name: String, _ declaration: Arguments) throws(LuaError) {
    self.name = name
    summary = declaration["summary"].string ?? ""
    var fields: Set<TaskField> = [.text]
    for value in try declaration["fields"].table?.elements ?? [] {
      guard let field = value.string.flatMap({ TaskField(rawValue: $0) }) else {
        throw declaration.failure(
          "key 'fields': there is no field \(value.string.map { "'\($0)'" } ?? "of the type \(value.typeName)")",
          hint: "the fields are \(TaskField.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      fields.insert(field)
    }
    self.fields = fields
    keepsPartsInList = declaration["parent"].string == "same_list"
    keepsDaysOnly = declaration["due"].string == "date"
    priorities = Set(try (declaration["priorities"].table?.elements ?? []).compactMap(\.integer))
    var longest: [TaskField: Int] = [:]
    for pair in try declaration["longest"].table?.pairs ?? [] {
      guard let field = pair.key.string.flatMap({ TaskField(rawValue: $0) }), let most = pair.value.integer, most > 0
      else {
        throw declaration.failure("key 'longest': expected numbers of characters by the names of fields")
      }
      longest[field] = Int(most)
    }
    self.longest = longest
    removes = declaration["removes"].boolean ?? true
    terms = ServiceTerms(
      batch: Int(declaration["batch"].integer ?? 1), concurrency: Int(declaration["concurrency"].integer ?? 4),
      interval: declaration["interval"].number ?? 0,
      idempotency: declaration["idempotency"].string.flatMap(ServiceTerms.Idempotency.init) ?? .none)
    settings = try declaration["settings"].table?.texts ?? []
    guard let open = declaration["open"].function else { throw declaration.failure("expected 'open'") }
    self.open = open
  }

  /// The task as the service can keep it, and the fields that it loses.
  /// - Throws: `too_long` for a text that would have to be cut.
  func fit(_ draft: TaskDraft) throws(TaskAPIError) -> (draft: TaskDraft, lost: [String]) {
    try checkLength(.text, .string(draft.text))
    var (fitted, lost) = (draft, [String]())
    for (name, value) in draft.fields {
      guard let field = TaskField(rawValue: name), fields.contains(field) else {
        fitted.fields[name] = nil
        lost.append(name)
        continue
      }
      try checkLength(field, value)
      if field == .priority, !priorities.isEmpty, case .integer(let priority) = value, !priorities.contains(priority) {
        lost.append(name)
      }
      if keepsDaysOnly, field == .due || field == .start, let time = try? TaskTime(parsing: value.string ?? ""),
        !time.isDay
      {
        fitted.fields[name] = .string(time.day)
        lost.append(name)
      }
    }
    return (fitted, lost.sorted())
  }

  private func checkLength(_ field: TaskField, _ value: JSON) throws(TaskAPIError) {
    guard let most = longest[field], let count = value.string?.count, count > most else { return }
    throw TaskAPIError.ofService(
      code: TaskAPIError.Kind.tooLong.rawValue,
      message: "\(field.rawValue) has \(count) characters; \(name) takes at most \(most)",
      hint: "shorten it, for example with a function as map", status: nil, retryAfter: nil, isOfOne: true)
  }
}

extension LuaRecord {
  /// A task service of a plugin.
  package static let pluginService = LuaRecord(
    "task service", "A task service, which imports, exports and the functions of tasks can use.",
    .optional("summary", .string, "A line about the service."),
    Parameter("fields", .list(of: .string), "The common fields that it keeps: { \"text\", \"due\", … }."),
    .optional("due", .choice(["date"]), "\"date\" if it keeps the day of a time alone."),
    .optional("parent", .choice(["same_list"]), "\"same_list\" if a sub-task is always in the list of its parent."),
    .optional(
      "priorities", .list(of: .integer),
      "The priorities that it keeps; it writes others as the next one. All if not given."),
    .optional("longest", .map(of: .integer), "The most characters of fields, by name."),
    .optional("removes", .boolean, "False if it removes no tasks; its function delete raises an error."),
    .optional("batch", .integer, in: 1...1000, "The most tasks that create takes at once; 1 if not given."),
    .optional("concurrency", .integer, in: 1...64, "The number of concurrent calls of create; 4 if not given."),
    .optional("interval", .number, in: 0...3600, "The seconds between two calls of create; 0 if not given."),
    .optional(
      "idempotency", .choice(ServiceTerms.Idempotency.allCases.map(\.rawValue)),
      "The way in which a task is sent again without a second one: \"key\", the service takes a key once; \"own_id\", the key is the task's ID; \"find\", the host looks for the key first; \"none\" if not given."
    ), .optional("settings", .list(of: .string), "The names of the options that open takes."),
    Parameter(
      "open",
      .callback(
        [Parameter("options", .map(of: .any), "The options of the setting services, and the account.")],
        returns: [.init(.record(openService), "The functions of the service.")]),
      "Makes the service ready for use."))

  static let openService = LuaRecord(
    "open task service", "The functions of a task service.",
    Parameter(
      "lists", .callback([], returns: [.init(.list(of: .record(taskList)), "The lists.")]), "Returns the lists."),
    Parameter(
      "pages",
      .callback(
        [
          .optional("list", .string, "The list."),
          .optional("cursor", .any, "The cursor."),
        ],
        returns: [
          .init(.list(of: .map(of: .any)), "Tasks."), .init(.any, optional: true, "The next cursor."),
        ]), "Returns the tasks of a list, page by page."),
    Parameter(
      "create",
      .callback(
        [
          Parameter(
            "batch", .list(of: .map(of: .any)),
            "The tasks to add: { task =, key =, list =, again = }.")
        ], returns: [.init(.list(of: .map(of: .any)), "For each { task = } or { error = }.")]), "Adds tasks."),
    Parameter(
      "get",
      .callback(
        [Parameter("id", .any, "The ID."), .optional("list", .string, "The ID of its list.")],
        returns: [.init(.map(of: .any), optional: true, "The task; nil if there is none.")]), "Returns a task."),
    Parameter(
      "update",
      .callback(
        [
          Parameter("task", .map(of: .any), "The task."), Parameter("changes", .map(of: .any), "The fields to change."),
        ],
        returns: [.init(.map(of: .any), "The task after the change.")]), "Changes a task."),
    Parameter("delete", .callback([Parameter("task", .map(of: .any), "The task.")]), "Removes a task."),
    .optional(
      "make_list",
      .callback([Parameter("name", .string, "The name.")], returns: [.init(.record(taskList), "The list.")]),
      "Makes a list, if there is none with that name. A call that is repeated makes no second one, as far as the service can tell."
    ),
    .optional(
      "fixed", .callback([], returns: [.init(.list(of: .string), "The names of the fields.")]),
      "Returns the fields that a task keeps from its beginning, because the service cannot change them: { \"list\" }."),
    .optional(
      "find",
      .callback(
        [Parameter("key", .string, "The key of create."), .optional("list", .string, "The ID of its list.")],
        returns: [.init(.map(of: .any), optional: true, "The task; nil if there is none.")]),
      "Finds the task of a key."),
    .optional(
      "find_all",
      .callback(
        [
          Parameter("keys", .list(of: .string), "The keys."),
          .optional("list", .string, "The list."),
          .optional("cursor", .any, "The cursor."),
        ],
        returns: [
          .init(.list(of: .map(of: .any)), "Tasks with their row_key."),
          .init(.any, optional: true, "The next cursor."),
        ]), "Finds the tasks of many keys, page by page, in place of find."),
    .optional(
      "changes",
      .callback(
        [
          .optional("list", .string, "The list."), .optional("token", .string, "The token."),
        ],
        returns: [
          .init(.list(of: .map(of: .any)), "Tasks."), .init(.list(of: .any), "IDs of removed tasks."),
          .init(.string, "The next token."),
        ]), "Returns what has changed since a token."))

  static let taskList = LuaRecord(
    "task list", "A list of tasks.",
    Parameter("id", .string, "The ID."), Parameter("name", .string, "The name."),
    .optional("default", .boolean, "True for the list of tasks that name none."))
}
