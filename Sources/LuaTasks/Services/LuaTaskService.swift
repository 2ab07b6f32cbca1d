import HTTPClient
import HostLoop
import Imports
import JSON
import Lua
import LuaKit
import TaskAPI

/// A task service whose functions are Lua.
@HostActor
final class LuaTaskService: TaskFinder, DeclaredService {
  let declaration: PluginService
  /// The name by which the settings know it.
  let name: String
  /// The name of the service and its options without secrets, which tell two services apart.
  let identity: String
  /// The ID or the name of the list for tasks that name none; nil for the service's own default.
  let list: String?
  var catalog = ListCatalog()
  lazy var place: [String: JSON] = ["service": .string(name)]
  private let functions: LuaTable
  private let json: JSONMarshal
  /// The end of the pause that the service has asked for, and the failure that says so.
  private var hold: (until: Double, failure: TaskAPIError)?
  /// Tells a person that a reading waits.
  private let onWait: @HostActor (String) -> Void

  /// - Parameter functions: the result of the function `open`.
  init(
    _ declaration: PluginService, named name: String, _ functions: LuaTable, list: String?, identity: String,
    _ json: JSONMarshal, onWait: @escaping @HostActor (String) -> Void
  ) {
    self.onWait = onWait
    self.name = name
    self.declaration = declaration
    self.functions = functions
    self.list = list
    self.identity = identity
    self.json = json
  }

  var terms: ServiceTerms { declaration.terms }
  var batchSize: Int { terms.batch }

  // MARK: Adding

  func add(_ draft: TaskDraft, idempotencyKey: String?) async throws -> AddedTask {
    try await add([KeyedDraft(draft, key: idempotencyKey, isAgain: false)])[0].get()
  }

  func unkept(of draft: TaskDraft) throws(TaskAPIError) -> [String] { try declaration.fit(draft).lost }

  func unkept(among fields: [String]) -> [String] {
    fields.filter { $0 != TaskDraft.listIDName && !(TaskField(rawValue: $0).map(declaration.fields.contains) ?? false) }
  }

  func add(_ batch: [KeyedDraft]) async -> [Result<AddedTask, any Error>] {
    var results: [Result<AddedTask, any Error>?] = Array(repeating: nil, count: batch.count)
    var open: [(index: Int, given: TaskDraft, item: KeyedDraft)] = []
    for (index, item) in batch.enumerated() {
      do {
        let (given, fitted) = try await fit(item)
        open.append((index, given, fitted))
      } catch { results[index] = .failure(error) }
    }
    if !open.isEmpty {
      for (row, answer) in zip(open, await create(open.map(\.item))) {
        results[row.index] = Result {
          // Somebody may have changed the task of an earlier request.
          try AddedTask(draft: row.given, task: answer.get(), of: declaration.name, isNew: !row.item.isAgain)
        }
      }
    }
    return results.map { $0 ?? .failure(TaskAPIError.brokenService("\(declaration.name): a task has no result")) }
  }

  /// The task as the service is to keep it, and as it is sent.
  func fit(_ item: KeyedDraft) async throws -> (given: TaskDraft, fitted: KeyedDraft) {
    // Answers have the ID of a list that was given by its name.
    let given = TaskDraft(
      text: item.draft.text, fields: try await resolved(item.draft.fields, listID: item.draft.listID))
    return (given, KeyedDraft(try declaration.fit(given).draft, key: item.key, isAgain: item.isAgain))
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
    if let list = try await id(ofList: list ?? self.list) {
      chosen = [list]
    } else {
      chosen = try await lists().map(\.id)
    }
    var hasBegun = false
    for list in chosen {
      try await eachPage(of: "pages", [.string(list)], hasBegun: &hasBegun) { page in
        try page.forEach(body)
        return true
      }
    }
  }

  /// Calls a function for page after page, until there is none or `body` returns false.
  /// - Parameter hasBegun: true if something was read before: then the reading waits where the service asks for it, because it
  ///   would have to begin anew.
  func eachPage(
    of function: String, _ arguments: [LuaValue], hasBegun: inout Bool, _ body: @HostActor ([APITask]) throws -> Bool
  ) async throws {
    var cursor = LuaValue.nil
    var end = EndOfPages(declaration.name)
    repeat {
      let answer = try await read(function, arguments + [cursor], waits: hasBegun)
      hasBegun = true
      let page = try (answer.first?.table?.elements ?? []).compactMap { try task(of: $0, by: function) }
      cursor = answer.count > 1 ? answer[1] : .nil
      try end.check(page, cursor.isNil ? nil : cursor.string)
      guard try body(page) else { return }
    } while !cursor.isNil
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
    let list = try await self.id(ofList: list)
    return try await task(of: call("get", [.string(id), .string(list)]).first, by: "get")
  }

  /// The changes of a list since `token`; everything without one. Nil if the service tells no changes.
  func changes(_ token: String?) async throws -> (tasks: [APITask], removed: [String], token: String)? {
    guard !functions["changes"].isNil else { return nil }
    let answer = try await call("changes", [.string(try await id(ofList: list)), .string(token)])
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
    let told = try await resolved(changes).mapValues { $0 == .null ? JSON.bool(false) : $0 }
    let whole = try await whole(task)
    guard let changed = try await self.task(of: call("update", [whole, json.value(.object(told))]).first, by: "update")
    else {
      throw TaskAPIError.brokenService("\(declaration.name): update returned no task")
    }
    return changed
  }

  func remove(_ task: APITask) async throws { _ = try await call("delete", [whole(task)]) }

  var canRemove: Bool { declaration.removes }

  /// The task as the service gave it.
  private func whole(_ task: APITask) async throws -> LuaValue {
    if task.raw != .null { return json.value(renamingKey(of: task.raw, from: Self.rowKeyName, to: Self.keyName)) }
    let id = task.id?.plainText ?? ""
    guard let found = try await self.task(id: id) else {
      throw TaskAPIError.ofService(
        code: "not_found", message: "\(declaration.name) has no task with the ID \(id)", hint: nil, status: 404,
        retryAfter: nil, isOfOne: true)
    }
    return json.value(renamingKey(of: found.raw, from: Self.rowKeyName, to: Self.keyName))
  }

  // MARK: Calls

  /// The functions that change something. A failure of the others leaves no task of unknown fate.
  private static let aims: [String: TaskAPIError.Aim] = ["create": .adding, "update": .changing, "delete": .removing]

  /// The gate to the service: no function is called while the service is held.
  func call(_ name: String, _ arguments: [LuaValue]) async throws -> [LuaValue] {
    guard let function = functions[name].function else {
      throw TaskAPIError.brokenService("\(declaration.name): open returned no function \(name)")
    }
    if let hold {
      let rest = hold.until - HostLoop.uptime
      if rest > 0 { throw hold.failure.notSent(again: rest) }
      self.hold = nil
    }
    do { return try await function.call(arguments) } catch let error as LuaError {
      let failure = Self.failure(of: error, declaration.name, Self.aims[name])
      if let failure = failure as? TaskAPIError {
        let wait = Wait(asked: failure.retryAfter).seconds
        if wait > 0 { self.hold = (max(self.hold?.until ?? 0, HostLoop.uptime + wait), failure) }
      }
      throw failure
    } catch is CancellationError where Self.aims[name] == .adding {
      throw HTTPError(.canceled, "\(declaration.name): the request was canceled", mayHaveBeenReceived: true)
    }
  }

  /// Calls a function that only reads.
  /// - Parameter waits: true if it waits, several times, as long as the service asks.
  func read(_ name: String, _ arguments: [LuaValue], waits: Bool) async throws -> [LuaValue] {
    var count = 0
    while true {
      do { return try await call(name, arguments) } catch let error as TaskAPIError {
        let wait = Wait(asked: error.retryAfter ?? Double(1 << count), deadline: Self.longestPause)
        guard waits, error.meaning == .notNow, wait.fits, count < Self.mostWaits else { throw error }
        count += 1
        onWait("\(error.message); the list continues in \(Int(wait.seconds.rounded(.up))) s")
        try await HostLoop.shared.sleep(seconds: wait.seconds + 0.01)
      }
    }
  }

  private static let longestPause = 300.0
  private static let mostWaits = 6

  func has(_ name: String) -> Bool { functions[name].function != nil }

  func keys(_ keys: [String]) -> LuaValue { .list(keys.map { .string($0) }, metatable: json.arrayMetatable) }

  /// A task of the service, with the names of the common fields.
  func task(of value: LuaValue?, by function: String) throws -> APITask? {
    guard let value, !value.isNil else { return nil }
    let read = (try? json.json(value)).map { renamingKey(of: $0, from: Self.keyName, to: Self.rowKeyName) }
    guard let read, let task = APITask(read), read["text"]?.string != nil else {
      throw TaskAPIError.brokenService("\(declaration.name): \(function) returned a task without text")
    }
    return task
  }

  /// The member of a task with the key of `create`, by which the host finds the task again.
  static let rowKeyName = "row_key"
  private static let keyName = TaskField.key.rawValue

  /// A service that does not keep the field `key` gives the key of `create` that name, as all did before there was the field.
  private func renamingKey(of task: JSON, from old: String, to new: String) -> JSON {
    guard !declaration.fields.contains(.key), case .object(var members) = task,
      let key = members.removeValue(forKey: old)
    else { return task }
    members[new] = key
    return .object(members)
  }
}
