import Automation
import Core
import Crypto
import HostLoop
import JSON
import Lua
import TaskAPI

struct TasksModule: LuaModule {
  let json: JSONMarshal
  /// Knows the accounts, the plugins and the permissions.
  unowned let host: ScriptHost

  var module: HostModule {
    HostModule(
      "tasks", "The task API, for the account that is signed in.",
      notes: """
        All functions have the option `account`. If it is not given, they use the current account. The option `service` names
        a task service, such as `caldav`; the page [Task services](TaskServices.md) describes them.

        The page [Importing task lists](Import.md) describes imports: formats, failed rows, the journal, and unsettled rows. If a
        row fails or is unsettled, the exit status of the script is 5.
        """,
      example: """
        local b2c = require "b2c"

        b2c.tenant.sign_in()

        local words = { "Buy milk", "", "Water the plants" }
        local position = 0
        local report = b2c.tasks.import(function()
          position = position + 1
          return words[position]
        end, {
          map = function(text) return text ~= "" and { text = text } or nil end,
        })
        assert(report.added == 2 and report.skipped == 1)

        for task in b2c.tasks.each() do
          print(task.id, task.text)
          b2c.tasks.remove(task)
        end
        """, functions,
      fields: [
        Parameter("formats", .list(of: .string), "The formats of files."),
        Parameter("services", .list(of: .string), "The names of the task services."),
        .optional("service", .string, "The task service of the setting service; nil for the task API."),
      ]
    ) { name, _ in
      switch name {
      case "formats": host.list(host.registry.formatNames)
      case "services": host.list([ScriptHost.apiName] + host.registry.services.names)
      case "service": .string(host.chosenServiceName.flatMap { $0 == ScriptHost.apiName ? nil : $0 })
      default: .nil
      }
    }
  }

  static let functions: [ModuleFunction<Self>] = [
    list, each, get, lists, changes, fields, add, update, complete, reopen, remove, moment, vtimezone, importing, work,
    export,
  ]

  static let accountOption = Parameter(
    "account", .object("account"), optional: true, "The account of the tasks; the current account if not given.")

  /// The option `account` of functions that read their file before they need the account.
  static let laterAccountOption = Parameter(
    "account",
    .either([.object("account"), .functionReturning(.init(.object("account"), "The account."))]), optional: true,
    "The account of the tasks; the current account if not given. A function is called after the file and the options "
      + "have been checked: account = b2c.tenant.sign_in.")

  static let exchangeOptions = Parameter.options([serviceOption, accountOption, ExchangeProgress.option])

  private static let list = suspending(
    "tasks.list", "All tasks, or those that the options name.",
    .options(TaskFilter.options + [serviceOption, accountOption, ExchangeProgress.option]),
    returns: .init(.list(of: .record(.task)), "The tasks."),
    example: """
      b2c.tenant.sign_in()
      b2c.tasks.add { text = "Pay the rent", due = "2027-01-31", priority = 1 }
      for _, task in ipairs(b2c.tasks.list { completed = false, due_before = "2027-02-01" }) do print(task.due, task.text) end
      """
  ) { module, arguments in
    let filter = try TaskFilter(arguments)
    let service = try await module.host.luaService(arguments)
    guard service == nil, filter.isEmpty else {
      let tasks = try await module.all(arguments, list: service == nil ? nil : filter.list)
      let chosen = tasks.filter { filter.admits($0, isOfList: service != nil) }
      return [.list(chosen.map(module.json.value), metatable: module.json.arrayMetatable)]
    }
    let text = try await ExchangeProgress.run(arguments) { listener in
      let account = try await module.host.requiredAccount(arguments)
      return try await module.host.session.taskClient(of: account.account, onProgress: listener).listText()
    }
    return [.table(try module.json.table(of: text, module.host.state))]
  }

  private static let each = suspending(
    "tasks.each", "An iterator over all tasks: for task in tasks.each() do … end.", Self.exchangeOptions,
    returns: .init(
      .functionReturning(.init(.record(.task), optional: true, "The next task; nil at the end.")), "The iterator."),
    example: """
      b2c.tenant.sign_in()
      b2c.tasks.add "Buy milk"
      for task in b2c.tasks.each() do print(task.id, task.text, task.completed) end
      """
  ) { module, arguments in
    let tasks = try await module.cursor(arguments)
    let next = HostFunction("tasks.each", "The next task.") { _ in [try tasks.next()] }
    return [.function(arguments.state.closure(next))]
  }

  private static let add = suspending(
    "tasks.add", "Adds a task.",
    Parameter("task", .newTask, "The text, or a table with text and further fields of the API."),
    .options([
      .optional(
        "key", .string,
        "The idempotency key: a server that knows such keys adds one task for one key. If not given, a new one. An error whose request may have arrived has it in details.key."
      ), serviceOption, accountOption, ExchangeProgress.option,
    ]),
    returns: .init(.record(.task), "The task as the server returns it; without an id if the server sends none."),
    example: """
      b2c.tenant.sign_in()
      local task = b2c.tasks.add "Buy milk"
      print(task.id, task.text)
      b2c.tasks.add { text = "Water the plants", due = "2027-05-01", labels = { "home" } }
      """
  ) { module, arguments in
    let draft = try module.json.draft(arguments[0], for: arguments.function.name + ": argument 1")
    let key = arguments["key"].string ?? SecureRandom.token(16)
    guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      throw arguments.failure(option: "key", "expected 1 to 255 printable ASCII characters")
    }
    do {
      let added = try await module.exchange(arguments) { try await $0.add(draft, idempotencyKey: key) }
      let task = try added.task()
      module.tellLost(task.raw == .null ? [] : added.lostFields, arguments.function.name)
      return [module.json.value(task)]
    } catch let error as any Failure {
      var error = LuaError(error)
      error.details["key"] = key
      throw error
    }
  }

  /// A value that the server does not keep is told, because nobody would look.
  func tellLost(_ fields: [String], _ call: String) {
    guard !fields.isEmpty else { return }
    host.console.log(.warn, "\(call): the server's answer does not have \(fields.joined(separator: ", ")) as sent")
  }

  private static let remove = suspending(
    "tasks.remove", "Removes a task.",
    Parameter("id", .either([.string, .integer, .record(.task)]), "The ID, or a task that the API returned."),
    Self.exchangeOptions
  ) { module, arguments in
    let task = try module.task(arguments)
    try await module.exchange(arguments) { try await $0.remove(task) }
    return []
  }

  /// The answer of the task service to one call. The option `on_progress` is told how far a request of the task API is.
  func exchange<Answer: Sendable>(
    _ arguments: Arguments, _ body: @escaping @HostActor @Sendable (any TaskService) async throws -> Answer
  ) async throws -> Answer {
    try await ExchangeProgress.run(arguments) { listener in
      try await body(try await host.taskService(arguments, onProgress: listener))
    }
  }

  /// The tasks of a list, or of all lists.
  func all(_ arguments: Arguments, list: String? = nil) async throws -> [APITask] {
    try await exchange(arguments) { service in
      var tasks: [APITask] = []
      try await service.each(list: list) { tasks.append($0) }
      return tasks
    }
  }

  /// All tasks, of which few are in tables at a time.
  func cursor(_ arguments: Arguments) async throws -> TaskCursor {
    if try await host.luaService(arguments) != nil { return TaskCursor(try await all(arguments), json) }
    let pages = try await ExchangeProgress.run(arguments) { listener in
      let account = try await host.givenAccount(arguments)
      return try await host.session.taskClient(of: account.account, onProgress: listener).pages()
    }
    return TaskCursor(pages, json, arguments.state)
  }
}

/// The position of a script in a list of tasks. Of a list of the task API, no more than a page is in tables.
@HostActor
final class TaskCursor {
  private let nextPage: @HostActor () throws -> [LuaValue]?
  private var page: [LuaValue] = []
  private var position = 0
  private(set) var count = 0

  init(_ pages: TaskListPages, _ json: JSONMarshal, _ state: LuaState) {
    nextPage = { try pages.next().map { try json.table(of: $0, state).elements } }
  }

  init(_ tasks: [APITask], _ json: JSONMarshal) {
    var rest = tasks[...]
    nextPage = {
      defer { rest = rest.dropFirst(500) }
      return rest.isEmpty ? nil : rest.prefix(500).map(json.value)
    }
  }

  func next() throws -> LuaValue {
    if position == page.count {
      page = try nextPage() ?? []
      position = 0
    }
    guard position < page.count else { return .nil }
    position += 1
    count += 1
    return page[position - 1]
  }
}

extension LuaType {
  static let newTask = LuaType.either([.string, .record(.newTask)])
}

extension LuaRecord {
  static let task = LuaRecord(
    "task", "A task, with the same field names for every server.",
    .optional("id", .any, "The ID on the server: a number or a string."),
    Parameter("text", .string, "The text of the task."), .optional("owner", .string, "The owner."),
    Parameter("completed", .boolean, "True if the task is done."),
    .optional("date", .string, "The time of the last change, as the server sends it."),
    .optional("notes", .string, "More text."),
    .optional("completed_at", .string, "The time at which the task was done."),
    .optional(
      "due", .string, "When the task is due: a day such as 2027-01-31, or a time such as 2027-01-31T08:00:00Z."),
    .optional("start", .string, "When the task begins."),
    .optional("priority", .integer, "The priority, from 1, the highest, to 9."),
    .optional("labels", .list(of: .string), "The labels."), .optional("list", .string, "The ID of the task's list."),
    .optional("parent", .string, "The ID of the task that this one is a part of."),
    .optional("recurrence", .string, "The rule of a repeated task, such as FREQ=WEEKLY;BYDAY=MO."),
    .optional("url", .string, "An address that belongs to the task."),
    .optional("etag", .string, "The version of the task, which tasks.update compares."),
    .optional("raw", .map(of: .any), "All fields, by the server's names."))

  static let newTask = LuaRecord(
    "new task", "A task to add.",
    Parameter("text", .string, "The text of the task."),
    .optional("owner", .string, "The owner."),
    .optional("completed", .boolean, "True if the task is done."), .optional("notes", .string, "More text."),
    .optional("completed_at", .string, "The time at which the task was done."),
    .optional(
      "due", .string,
      "When the task is due: 2027-01-31, 2027-01-31T08:00:00Z, or 2027-01-31T09:00[Europe/Berlin] (RFC 9557)."),
    .optional("start", .string, "When the task begins."),
    .optional("priority", .integer, "The priority, from 1, the highest, to 9."),
    .optional("labels", .list(of: .string), "The labels."), .optional("list", .string, "The ID of the task's list."),
    .optional("parent", .string, "The ID of the task that this one is a part of."),
    .optional("recurrence", .string, "The rule of a repeated task (RFC 5545), such as FREQ=WEEKLY;BYDAY=MO."),
    .optional("url", .string, "An address that belongs to the task."), others: .any)

  static let columnMap = LuaRecord(
    "map of columns", "The columns of a file, by the names of the task's fields.",
    .optional("text", .string, "The column of the text."), others: .string)

  static let exportReport = LuaRecord(
    "export report", "The result of an export.",
    Parameter("tasks", .integer, "The number of tasks."), Parameter("bytes", .integer, "The number of bytes."),
    Parameter("seconds", .number, "The duration in seconds."),
    Parameter("path", .string, "The file."),
    Parameter("format", .string, "The format."))

  static let importReport = LuaRecord(
    "import report", "The result of an import, in rows. tostring returns it as text.",
    Parameter("total", .integer, "All rows."),
    Parameter("added", .integer, "The rows that are tasks now, by this run or an earlier one."),
    Parameter("added_now", .integer, "The rows that this run added."),
    Parameter("skipped", .integer, "The rows skipped by map, or because the task exists already."),
    Parameter("failed", .integer, "The rows that were not added."),
    Parameter("unsettled", .integer, "The unsettled rows: the server may have added them."),
    Parameter("unsent", .integer, "The rows that were not sent, because the import ended."),
    Parameter("lost", .map(of: .integer), "The number of rows by each field that the server did not keep."),
    Parameter("left_out", .list(of: .string), "The columns that no field comes from."),
    .optional("resumed_at", .integer, "The row at which the import resumed after an earlier run."),
    Parameter("seconds", .number, "The duration in seconds."),
    Parameter("failures", .list(of: .record(rowFailure)), "The first thousand failures of this run."),
    .optional("journal", .string, "The file or the database of the journal."),
    .optional("failed_rows", .string, "The file with the rows that failed."),
    .optional("failed_table", .string, "The file with the rows that failed as a table, if the source is one."))

  static let rowFailure = LuaRecord(
    "row failure", "A row that failed, or that may have been added.",
    Parameter("row", .integer, "The number of the row."),
    .optional("line", .integer, "The line of the row in the file."),
    Parameter("reason", .string, "The reason in a sentence."),
    Parameter("code", .string, "The code of the reason, which never changes."),
    .optional("status", .integer, "The HTTP status of the answer."), .optional("text", .string, "The task's text."),
    Parameter("unsettled", .boolean, "True if the row may have been added nevertheless."),
    .optional("original", .any, "The row as it was read."))
}
