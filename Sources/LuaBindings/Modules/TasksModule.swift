import Core
import HTTPClient
import HostLoop
import JSON
import Lua
import Settings
import TaskAPI

extension ScriptHost {
  var tasksModule: HostModule {
    HostModule(
      "tasks", "The task API, for the account that is signed in.", notes: Self.tasksNotes, example: Self.tasksExample,
      [tasksList, tasksEach, tasksAdd, tasksRemove, tasksImport, tasksExport],
      fields: [Parameter("formats", .list(of: .string), "The formats of files.")]
    ) { [self] name, _ in name == "formats" ? list(registry.formats.names) : .nil }
  }

  nonisolated static let accountOption = Parameter(
    "account", .object("account"), optional: true, "Whose tasks; those of the current account if not given.")

  /// Of calls that look at files first.
  nonisolated static let laterAccountOption = Parameter(
    "account",
    .either([.object("account"), .callback([], returns: [.init(.object("account"), "Whose tasks.")])]), optional: true,
    "Whose tasks; those of the current account if not given. A function is called when the file and the options have been "
      + "looked at: account = b2c.tenant.sign_in.")

  private nonisolated static let exchangeOptions = Parameter.options([accountOption, ExchangeProgress.option])

  private var tasksList: HostFunction {
    .suspending(
      "tasks.list", "All tasks.", [Self.exchangeOptions],
      returns: [.init(.list(of: .record(.task)), "The tasks.")]
    ) { [self] arguments in
      let text = try await exchange(arguments) { try await $0.listText() }
      return [.table(try table(of: text))]
    }
  }

  private var tasksEach: HostFunction {
    .suspending(
      "tasks.each", "An iterator over all tasks: for task in tasks.each() do … end.", [Self.exchangeOptions],
      returns: [
        .init(
          .callback([], returns: [.init(.record(.task), optional: true, "The next task; nil at the end.")]),
          "The iterator.")
      ],
      example: """
        b2c.tenant.sign_in()
        b2c.tasks.add "Buy milk"
        for task in b2c.tasks.each() do print(task.id, task.text, task.completed) end
        """
    ) { [self] arguments in
      let tasks = TaskCursor(try await exchange(arguments) { try await $0.pages() }, self)
      let next = HostFunction("tasks.each", "The next task.") { _ in [try tasks.next()] }
      return [.function(arguments.state.closure(next))]
    }
  }

  private var tasksAdd: HostFunction {
    .suspending(
      "tasks.add", "Adds a task.",
      [
        Parameter("task", .newTask, "Its text, or a table with text and what else the API takes."),
        Self.exchangeOptions,
      ],
      returns: [.init(.record(.task), "The task as the server has it; without an id where the server does not say.")],
      example: """
        b2c.tenant.sign_in()
        local task = b2c.tasks.add "Buy milk"
        print(task.id, task.text)
        b2c.tasks.add { text = "Water the plants", date = "2027-05-01" }
        """
    ) { [self] arguments in
      let draft = try draft(arguments[0], for: arguments.function.name + ": argument 1")
      return [value(try await exchange(arguments) { try await $0.add(draft) }.task())]
    }
  }

  private var tasksRemove: HostFunction {
    .suspending(
      "tasks.remove", "Removes a task.",
      [
        Parameter("id", .either([.string, .integer, .record(.task)]), "Its id, or a task that the API gave."),
        Self.exchangeOptions,
      ]
    ) { [self] arguments in
      if let table = arguments[0].table {
        let task = APITask(try json.json(table["raw"].isNil ? arguments[0] : table["raw"], at: "task"))
        guard let task, task.id != nil else {
          throw arguments.failure("argument 1: expected an id, or a task that the API gave, got a table without id")
        }
        try await exchange(arguments) { try await $0.remove(task) }
      } else {
        let id = arguments.state.rawText(of: arguments[0])
        try await exchange(arguments) { try await $0.remove(id: id) }
      }
      return []
    }
  }

  // MARK: Parts of these

  /// The task API, called with the token of the account of the options, else of the current one.
  /// - Parameters:
  ///   - timeout: seconds for each request.
  ///   - onProgress: told how far each is.
  func taskClient(
    _ arguments: Arguments, timeout: Double = TaskAPIClient.usualTimeout, onProgress: ExchangeProgress.Listener? = nil
  ) throws -> TaskAPIClient {
    try taskClient(of: try requiredAccount(arguments), timeout: timeout, onProgress: onProgress)
  }

  func taskClient(
    of account: LuaAccount, timeout: Double = TaskAPIClient.usualTimeout, onProgress: ExchangeProgress.Listener? = nil
  ) throws -> TaskAPIClient {
    let settings = try settings()
    return try TaskAPIClient(
      http: http, tokens: AccountTokens(account: account), baseURL: settings.taskAPI, path: settings.tasksPath,
      contentType: settings.contentType,
      customHeaders: HTTPHeaders(settings.customHeaders.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }),
      tokenType: tokenTypeSetting(of: account.account) ?? settings.tokenType, timeout: timeout, onProgress: onProgress)
  }

  /// What the task API answers to one call, whose progress the option `on_progress` is told.
  private func exchange<Answer: Sendable>(
    _ arguments: Arguments, _ body: @escaping @HostActor @Sendable (TaskAPIClient) async throws -> Answer
  ) async throws -> Answer {
    try await ExchangeProgress.run(arguments) { [self] listener in
      try await body(try taskClient(arguments, onProgress: listener))
    }
  }

  /// What to add: a text, or a table with `text`. `place` begins the message about anything else.
  func draft(_ value: LuaValue, for place: String) throws -> TaskDraft {
    if let text = try value.text(at: "\(place): the text") { return TaskDraft(text: text) }
    guard let table = value.table, let text = try table["text"].text(at: "\(place): the text") else {
      let got = value.table.map { "a table whose text is \($0["text"].typeName)" } ?? value.typeName
      throw LuaError(
        code: "invalid_argument", message: "\(place): expected a text, or a table with a text, got \(got)",
        hint: "for example { text = \"Buy milk\" }")
    }
    var fields: [String: JSON] = [:]
    for pair in table.pairs {
      guard let name = try pair.key.text(at: "\(place): the name of a field"), name != "text" else { continue }
      fields[name] = try json.json(pair.value, at: "\(place): task.\(name)")
    }
    return TaskDraft(text: text, fields: fields)
  }

  /// The list as a table of tables.
  fileprivate func table(of list: consuming TaskListText) throws -> LuaTable {
    if let table = quickTable(of: &list) { return table }
    let table = state.makeTable()
    table.metatable = json.arrayMetatable
    for (offset, task) in try list.tasks().enumerated() { table[.integer(Int64(offset + 1))] = value(task) }
    return table
  }

  /// The same, made without a detour; nil when the list is not quite what task APIs send.
  private func quickTable(of list: inout TaskListText) -> LuaTable? {
    struct NoTask: Error {}
    guard let table = json.quickValue(&list.body)?.table, table.metatable?.isSame(as: json.arrayMetatable) == true
    else { return nil }
    do {
      try table.replaceElements(by: Self.taskShape) { element in
        guard let task = APITask(try json.json(element)) else { throw NoTask() }
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
    ], whole: "raw")

  private func value(_ task: APITask) -> LuaValue {
    .record([
      ("id", json.optional(task.id)), ("text", .string(task.text)), ("owner", .string(task.owner)),
      ("completed", .boolean(task.completed)), ("date", .string(task.date)), ("raw", json.optional(task.raw)),
    ])
  }
}

/// The tasks of a list, as a script asks for them: no more than a page of it is in tables.
@HostActor
final class TaskCursor {
  private let pages: TaskListPages
  private let host: ScriptHost
  private var page: LuaTable?
  private var position = 0
  private var pageSize = 0
  /// How many it has given.
  private(set) var count = 0

  init(_ pages: TaskListPages, _ host: ScriptHost) {
    self.pages = pages
    self.host = host
  }

  /// The next task; nil at the end.
  func next() throws -> LuaValue {
    if position == pageSize {
      page = try pages.next().map { try host.table(of: $0) }
      position = 0
      pageSize = page?.count ?? 0
    }
    guard let page else { return .nil }
    position += 1
    count += 1
    return page[.integer(Int64(position))]
  }
}

/// An account's tokens for the task API.
private struct AccountTokens: TokenProvider {
  let account: LuaAccount

  func token(afterRejected rejected: Secret?) async throws -> Secret {
    try await account.token(afterRejected: rejected)
  }
}
