import Automation
import Core
import Crypto
import HostLoop
import Imports
import JSON
package import Lua
package import LuaKit
import TaskAPI

/// `b2c.tasks`
package struct TasksModule: LuaModule {
  let tasks: ScriptTasks

  package init(_ tasks: ScriptTasks) { self.tasks = tasks }

  var json: JSONMarshal { tasks.context.json }

  /// The module, for the documentation and for `b2c`.
  package var module: HostModule {
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
      case "formats": tasks.context.list(tasks.formats.names)
      case "services": tasks.context.list([Services.apiName] + tasks.services.catalog.names)
      case "service": .string(tasks.services.chosenName.flatMap { $0 == Services.apiName ? nil : $0 })
      default: .nil
      }
    }
  }

  package static let functions: [ModuleFunction<Self>] = [
    list, each, get, lists, makeList, changes, fields, add, update, complete, reopen, remove, moment, vtimezone,
    importing, planning, planChanges, apply,
    recognize, work, export,
  ]

  /// The options of a call of the task service.
  struct ExchangeOptions: LuaOptions {
    var service = ServiceOptions()
    static let fields = Field.nested(ServiceOptions.fields, in: \.service) + [ExchangeProgress.field()]
  }

  static let exchangeOptions = Parameter.options(ExchangeOptions.keys)

  private static let list = suspending(
    "tasks.list", "All tasks, or those that the options name.",
    .options(TaskFilter.keys + ExchangeOptions.keys),
    returns: .init(.list(of: .record(.task)), "The tasks."),
    example: """
      b2c.tenant.sign_in()
      b2c.tasks.add { text = "Pay the rent", due = "2027-01-31", priority = 1 }
      for _, task in ipairs(b2c.tasks.list { completed = false, due_before = "2027-02-01" }) do print(task.due, task.text) end
      """
  ) { module, arguments in
    let filter = try TaskFilter(arguments)
    let service = try await module.tasks.services.declared(arguments)
    guard service == nil, filter.isEmpty else {
      let tasks = try await module.all(arguments, list: service == nil ? nil : filter.list)
      let chosen = tasks.filter { filter.admits($0, isOfList: service != nil) }
      return [.list(chosen.map(module.json.value), metatable: module.json.arrayMetatable)]
    }
    let text = try await ExchangeProgress.run(arguments) { listener in
      let account = try await module.tasks.accounts.required(
        ServiceOptions(arguments).account, by: arguments.function.name)
      return try await module.tasks.session.taskClient(of: account.account, onProgress: listener).listText()
    }
    return [.table(try module.json.table(of: text, module.tasks.context.state))]
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
    .options(AddOptions.keys),
    returns: .init(.record(.task), "The task as the server returns it; without an id if the server sends none."),
    example: """
      b2c.tenant.sign_in()
      local task = b2c.tasks.add "Buy milk"
      print(task.id, task.text)
      b2c.tasks.add { text = "Water the plants", due = "2027-05-01", labels = { "home" } }
      """
  ) { module, arguments in
    let draft = try module.json.draft(arguments[0], for: arguments.function.name + ": argument 1")
    let key = try AddOptions(arguments).key ?? SecureRandom.token(16)
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

  private struct AddOptions: LuaOptions {
    var key: String?
    var exchange = ExchangeOptions()

    static let fields: [Field] =
      [
        .init(
          "key", \.key,
          "The idempotency key: a server that knows such keys adds one task for one key. If not given, a new one. An error whose request may have arrived has it in details.key."
        )
      ] + Field.nested(ExchangeOptions.fields, in: \.exchange)
  }

  /// Warns of values that the server does not keep, because nobody would look.
  func tellLost(_ fields: [String], _ call: String) {
    guard !fields.isEmpty else { return }
    tasks.session.console.log(
      .warn, "\(call): the server's answer does not have \(fields.joined(separator: ", ")) as sent")
  }

  private static let remove = suspending(
    "tasks.remove",
    "Removes a task, or each task of a list. A list is carried out as a plan: a task that somebody has changed since it was read "
      + "stays, and imports.undo takes all of it back.",
    Parameter("id", Self.oneOrMany, "The ID, or a task that the API returned; or a list of these."),
    Self.exchangeOptions,
    returns: .init(.record(.planResult), optional: true, "For a list, what became of its tasks."),
    example: """
      b2c.tenant.sign_in()
      for _, text in ipairs { "Milk", "Bread", "Salt" } do b2c.tasks.add(text) end
      local result = b2c.tasks.remove(b2c.tasks.list())
      assert(result.counts.removed == 3 and #b2c.tasks.list() == 0)
      b2c.imports.undo(result.id, { apply = true })
      assert(#b2c.tasks.list() == 3)
      """
  ) { module, arguments in
    if let result = try await module.changeEach(arguments, { .remove($0) }) { return [result] }
    let task = try module.task(arguments)
    try await module.exchange(arguments) { try await $0.remove(task) }
    return []
  }

  /// A task, or several of them.
  static let oneOrMany = LuaType.either([
    .string, .integer, .record(.task), .list(of: .either([.string, .integer, .record(.task)])),
  ])

  /// The response of the task service to one call. The option `on_progress` gets the progress of a request of the task API.
  func exchange<Answer: Sendable>(
    _ arguments: Arguments, _ body: @escaping @HostActor @Sendable (any TaskService) async throws -> Answer
  ) async throws -> Answer {
    try await ExchangeProgress.run(arguments) { listener in
      try await body(try await tasks.services.service(arguments, onProgress: listener))
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
    if let service = try await tasks.services.declared(arguments) {
      let lists = try await service.listNames()
      return TaskCursor(try await all(arguments).map { $0.named(by: lists) }, json)
    }
    let pages = try await ExchangeProgress.run(arguments) { listener in
      let account = try await tasks.accounts.given(ServiceOptions(arguments).account, arguments)
      return try await tasks.session.taskClient(of: account.account, onProgress: listener).pages()
    }
    return TaskCursor(pages, json, arguments.state)
  }
}
