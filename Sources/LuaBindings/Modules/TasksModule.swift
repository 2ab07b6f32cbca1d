import Automation
import Core
import HTTPClient
import HostLoop
import JSON
import Lua
import Settings
import TaskAPI

/// `b2c.tasks`
struct TasksModule: LuaModule {
  let json: JSONMarshal
  /// Knows the accounts, the plugins and the permissions.
  unowned let host: ScriptHost

  var module: HostModule {
    HostModule(
      "tasks", "The task API, for the account that is signed in.", notes: Self.notes, example: Self.example, functions,
      fields: [Parameter("formats", .list(of: .string), "The formats of files.")]
    ) { name, _ in name == "formats" ? host.list(host.registry.formats.names) : .nil }
  }

  static let functions: [ModuleFunction<Self>] = [list, each, add, remove, importing, export]

  private static let accountOption = Parameter(
    "account", .object("account"), optional: true, "The account of the tasks; the current account if not given.")

  /// The option `account` of functions that read their file before they need the account.
  static let laterAccountOption = Parameter(
    "account",
    .either([.object("account"), .functionReturning(.init(.object("account"), "The account."))]), optional: true,
    "The account of the tasks; the current account if not given. A function is called after the file and the options "
      + "have been checked: account = b2c.tenant.sign_in.")

  private static let exchangeOptions = Parameter.options([accountOption, ExchangeProgress.option])

  private static let list = suspending(
    "tasks.list", "All tasks.", Self.exchangeOptions, returns: .init(.list(of: .record(.task)), "The tasks.")
  ) { module, arguments in
    let text = try await module.exchange(arguments) { try await $0.listText() }
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
    let tasks = TaskCursor(try await module.exchange(arguments) { try await $0.pages() }, module.json, arguments.state)
    let next = HostFunction("tasks.each", "The next task.") { _ in [try tasks.next()] }
    return [.function(arguments.state.closure(next))]
  }

  private static let add = suspending(
    "tasks.add", "Adds a task.",
    Parameter("task", .newTask, "The text, or a table with text and further fields of the API."), Self.exchangeOptions,
    returns: .init(.record(.task), "The task as the server returns it; without an id if the server sends none."),
    example: """
      b2c.tenant.sign_in()
      local task = b2c.tasks.add "Buy milk"
      print(task.id, task.text)
      b2c.tasks.add { text = "Water the plants", date = "2027-05-01" }
      """
  ) { module, arguments in
    let draft = try module.json.draft(arguments[0], for: arguments.function.name + ": argument 1")
    return [module.json.value(try await module.exchange(arguments) { try await $0.add(draft) }.task())]
  }

  private static let remove = suspending(
    "tasks.remove", "Removes a task.",
    Parameter("id", .either([.string, .integer, .record(.task)]), "The ID, or a task that the API returned."),
    Self.exchangeOptions
  ) { module, arguments in
    if let table = arguments[0].table {
      let task = APITask(try module.json.json(table["raw"].isNil ? arguments[0] : table["raw"], at: "task"))
      guard let task, task.id != nil else {
        throw arguments.failure("argument 1: expected an id, or a task that the API gave, got a table without id")
      }
      try await module.exchange(arguments) { try await $0.remove(task) }
    } else {
      let id = arguments.state.rawText(of: arguments[0])
      try await module.exchange(arguments) { try await $0.remove(id: id) }
    }
    return []
  }

  /// The answer of the task API to one call. The option `on_progress` is told how far it is.
  private func exchange<Answer: Sendable>(
    _ arguments: Arguments, _ body: @escaping @HostActor @Sendable (TaskAPIClient) async throws -> Answer
  ) async throws -> Answer {
    try await ExchangeProgress.run(arguments) { listener in
      try await body(try host.taskClient(of: try host.requiredAccount(arguments), onProgress: listener))
    }
  }
}

extension ScriptHost {
  /// The task API, called with the tokens of that account.
  /// - Parameters:
  ///   - timeout: seconds for each request.
  ///   - onProgress: told how far each is.
  func taskClient(
    of account: LuaAccount, timeout: Double = TaskAPIClient.usualTimeout, onProgress: ExchangeProgress.Listener? = nil
  ) throws -> TaskAPIClient {
    let settings = try settings()
    return try TaskAPIClient(
      http: automation.network.client, tokens: account, baseURL: settings.taskAPI, path: settings.tasksPath,
      contentType: settings.contentType,
      customHeaders: HTTPHeaders(settings.customHeaders.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }),
      tokenType: automation.accounts.tokenTypeSetting(of: account.account) ?? settings.tokenType, timeout: timeout,
      onProgress: onProgress)
  }
}

/// The position of a script in a list of tasks. No more than a page of the list is in tables.
@HostActor
final class TaskCursor {
  private let pages: TaskListPages
  private let json: JSONMarshal
  private let state: LuaState
  private var page: LuaTable?
  private var position = 0
  private var pageSize = 0
  /// The number of tasks that it has given.
  private(set) var count = 0

  init(_ pages: TaskListPages, _ json: JSONMarshal, _ state: LuaState) {
    self.pages = pages
    self.json = json
    self.state = state
  }

  /// The next task; nil at the end.
  func next() throws -> LuaValue {
    if position == pageSize {
      page = try pages.next().map { try json.table(of: $0, state) }
      position = 0
      pageSize = page?.count ?? 0
    }
    guard let page else { return .nil }
    position += 1
    count += 1
    return page[.integer(Int64(position))]
  }
}
