import HostLoop
import JSON
import Lua
import TaskAPI

/// A task service whose functions are Lua.
@HostActor
final class LuaTaskService: TaskService {
  let declaration: PluginService
  /// The name by which the settings know it.
  let name: String
  /// The name of the service and its options without secrets, which tell two services apart.
  let identity: String
  /// The ID or the name of the list for tasks that name none; nil for the service's own default.
  private let list: String?
  private var knownLists: [TaskListName] = []
  private var listsReadAt = -Double.infinity
  /// Seconds for which a list that is not among the known ones is believed not to be there.
  private static let listsLastFor = 10.0
  private let functions: LuaTable
  private let json: JSONMarshal

  /// - Parameter functions: what the function `open` returned.
  init(
    _ declaration: PluginService, named name: String, _ functions: LuaTable, list: String?, identity: String,
    _ json: JSONMarshal
  ) {
    self.name = name
    self.declaration = declaration
    self.functions = functions
    self.list = list
    self.identity = identity
    self.json = json
  }

  var batchSize: Int { declaration.batch }

  // MARK: Adding

  func add(_ draft: TaskDraft, idempotencyKey: String?) async throws -> AddedTask {
    try await add([KeyedDraft(draft, key: idempotencyKey, isAgain: false)])[0].get()
  }

  func unkept(of draft: TaskDraft) -> [String] { (try? declaration.fit(draft).lost) ?? [] }

  func add(_ batch: [KeyedDraft]) async -> [Result<AddedTask, any Error>] {
    var results: [Result<AddedTask, any Error>?] = Array(repeating: nil, count: batch.count)
    var open: [(index: Int, given: TaskDraft, item: KeyedDraft)] = []
    for (index, item) in batch.enumerated() {
      do {
        var given = item.draft
        // Answers have the ID of a list that was given by its name.
        if let list = try await listID(given.fields["list"]?.string) { given.fields["list"] = .string(list) }
        let fitted = KeyedDraft(try declaration.fit(given).draft, key: item.key, isAgain: item.isAgain)
        if let found = try await known(fitted) {
          results[index] = .success(AddedTask(draft: given, task: found))
        } else {
          open.append((index, given, fitted))
        }
      } catch { results[index] = .failure(error) }
    }
    if !open.isEmpty {
      for (row, answer) in zip(open, await create(open.map(\.item))) {
        results[row.index] = answer.map { AddedTask(draft: row.given, task: $0) }
      }
    }
    return results.map { $0 ?? .failure(TaskAPIError.brokenService("\(declaration.name): a task has no result")) }
  }

  /// The task that an earlier request with the key has made, complete; nil if there is none, or `create` takes care of it.
  private func known(_ item: KeyedDraft) async throws -> APITask? {
    guard item.isAgain, declaration.idempotency == .find, let key = item.key,
      let found = try await task(
        of: call("find", [.string(key), .string(try await listID(of: item))]).first, by: "find")
    else { return nil }
    guard item.draft.fields["completed"] == true, !found.completed else { return found }
    return try await update(found, ["completed": true])
  }

  private func create(_ batch: [KeyedDraft]) async -> [Result<APITask, any Error>] {
    do {
      var items: [LuaValue] = []
      for item in batch {
        items.append(
          .record([
            ("task", value(item.draft)), ("key", .string(item.key)), ("list", .string(try await listID(of: item))),
            ("again", item.isAgain ? .boolean(true) : .nil),
          ]))
      }
      let answers =
        try await call("create", [.list(items, metatable: json.arrayMetatable)]).first?.table?.elements ?? []
      guard answers.count == batch.count else {
        throw TaskAPIError.brokenService(
          "\(declaration.name): create returned \(answers.count) results for \(batch.count) tasks",
          hint: "return a list with a result for each task: { task = … } or { error = { code =, message = } }")
      }
      return answers.map { answer in
        do {
          if let failure = answer.table?["error"], !failure.isNil {
            throw Self.failure(of: failure, declaration.name, isOfOne: true)
          }
          guard let task = try task(of: answer.table?["task"], by: "create") else {
            throw TaskAPIError.brokenService("\(declaration.name): create returned a result without task and error")
          }
          return .success(task)
        } catch { return .failure(error) }
      }
    } catch { return batch.map { _ in .failure(error) } }
  }

  private func value(_ draft: TaskDraft) -> LuaValue {
    json.value(.object(draft.fields.merging(["text": .string(draft.text)]) { _, text in text }))
  }

  // MARK: Reading

  func each(list: String?, _ body: @escaping @HostActor (APITask) throws -> Void) async throws {
    let chosen: [String]
    if let list = try await listID(list ?? self.list) { chosen = [list] } else { chosen = try await lists().map(\.id) }
    for list in chosen {
      var cursor = LuaValue.nil
      var end = EndOfPages(declaration.name)
      repeat {
        let answer = try await call("pages", [.string(list), cursor])
        let page = try (answer.first?.table?.elements ?? []).compactMap { try task(of: $0, by: "pages") }
        cursor = answer.count > 1 ? answer[1] : .nil
        try end.check(page, cursor.isNil ? nil : cursor.string)
        try page.forEach(body)
      } while !cursor.isNil
    }
  }

  func forEachText(_ body: @escaping @HostActor (_ text: String, _ isOfNode: Bool) throws -> Void) async throws -> Int {
    var count = 0
    try await each(list: nil) { task in
      count += 1
      try body(task.text, false)
    }
    return count
  }

  func task(id: String) async throws -> APITask? {
    try await task(of: call("get", [.string(id), .string(try await listID(list))]).first, by: "get")
  }

  func lists() async throws -> [TaskListName] {
    let answer = try await call("lists", [])
    knownLists = try (answer.first?.table?.elements ?? []).map { value in
      guard let table = value.table, let id = table["id"].string else {
        throw TaskAPIError.brokenService("\(declaration.name): lists returned a list without an id")
      }
      return TaskListName(id: id, name: table["name"].string ?? id, isDefault: table["default"].boolean == true)
    }
    listsReadAt = HostLoop.uptime
    return knownLists
  }

  private func listID(of item: KeyedDraft) async throws -> String? {
    try await listID(item.draft.fields["list"]?.string ?? list)
  }

  /// The ID of the list with that ID or name.
  private func listID(_ list: String?) async throws -> String? {
    guard let list else { return nil }
    func known() -> String? { (knownLists.first { $0.id == list } ?? knownLists.first { $0.name == list })?.id }
    if let id = known() { return id }
    // Many rows may name a list that is not there.
    if HostLoop.uptime - listsReadAt > Self.listsLastFor { _ = try await lists() }
    if let id = known() { return id }
    let names = knownLists.map { "'\($0.name)'" }.joined(separator: ", ")
    throw TaskAPIError.ofService(
      code: TaskAPIError.Kind.unknownList.rawValue, message: "\(declaration.name) has no list '\(list)'",
      hint: names.isEmpty ? "it has no lists of tasks" : "its lists are \(names)", status: nil, retryAfter: nil,
      isOfOne: true)
  }

  /// The changes of a list since `token`; everything without one. Nil if the service tells no changes.
  func changes(_ token: String?) async throws -> (tasks: [APITask], removed: [String], token: String)? {
    guard !functions["changes"].isNil else { return nil }
    let answer = try await call("changes", [.string(try await listID(list)), .string(token)])
    guard answer.count == 3, let next = answer[2].string else {
      throw TaskAPIError.brokenService("\(declaration.name): changes returned no token")
    }
    let tasks = try (answer[0].table?.elements ?? []).compactMap { try task(of: $0, by: "changes") }
    let removed = try (answer[1].table?.elements ?? []).compactMap { $0.string ?? $0.integer.map { "\($0)" } }
    return (tasks, removed, next)
  }

  // MARK: Changing

  func update(_ task: APITask, _ changes: [String: JSON]) async throws -> APITask {
    // A table of Lua holds no null.
    let told = changes.mapValues { $0 == .null ? JSON.bool(false) : $0 }
    let whole = try await whole(task)
    guard let changed = try await self.task(of: call("update", [whole, json.value(.object(told))]).first, by: "update")
    else {
      throw TaskAPIError.brokenService("\(declaration.name): update returned no task")
    }
    return changed
  }

  func remove(_ task: APITask) async throws { _ = try await call("delete", [whole(task)]) }

  /// The task as the service gave it.
  private func whole(_ task: APITask) async throws -> LuaValue {
    if task.raw != .null { return json.value(task.raw) }
    let id = task.id?.plainText ?? ""
    guard let found = try await self.task(id: id) else {
      throw TaskAPIError.ofService(
        code: "not_found", message: "\(declaration.name) has no task with the ID \(id)", hint: nil, status: 404,
        retryAfter: nil, isOfOne: true)
    }
    return json.value(found.raw)
  }

  // MARK: Calls

  /// The functions that change something. A failure of the others leaves no task of unknown fate.
  private static let aims: [String: TaskAPIError.Aim] = ["create": .adding, "update": .changing, "delete": .removing]

  private func call(_ name: String, _ arguments: [LuaValue]) async throws -> [LuaValue] {
    guard let function = functions[name].function else {
      throw TaskAPIError.brokenService("\(declaration.name): open returned no function \(name)")
    }
    do { return try await function.call(arguments) } catch let error as LuaError {
      throw Self.failure(of: error, declaration.name, Self.aims[name])
    }
  }

  /// A task of the service, with the names of the common fields.
  private func task(of value: LuaValue?, by function: String) throws -> APITask? {
    guard let value, !value.isNil else { return nil }
    let read = try? json.json(value)
    guard let read, let task = APITask(read), read["text"]?.string != nil else {
      throw TaskAPIError.brokenService("\(declaration.name): \(function) returned a task without text")
    }
    return task
  }
}
