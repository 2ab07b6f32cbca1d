package import HostLoop
package import JSON

/// A place for tasks: the task API of the settings, or a service of a plugin. Errors are `TaskAPIError` and
/// `HTTPError`; other errors are those of the program or of a script.
@HostActor
package protocol TaskService: AnyObject, Sendable {
  /// The most tasks that `add` sends in one request.
  var batchSize: Int { get }

  /// Adds a task. A service that honors keys takes the same key for the same task.
  func add(_ draft: TaskDraft, idempotencyKey: String?) async throws -> AddedTask

  /// Adds several tasks by one request. The results are in the order of `batch`.
  func add(_ batch: [KeyedDraft]) async -> [Result<AddedTask, any Error>]

  /// The fields of a task that the service cannot keep, known before it is sent.
  /// - Throws: an error for a task that the service cannot take at all.
  func unkept(of draft: TaskDraft) throws(TaskAPIError) -> [String]

  /// Returns the fields among these that the service never keeps.
  func unkept(among fields: [String]) -> [String]

  /// The fields with the ID of a list in the place of its name, as answers have it.
  func resolved(_ fields: [String: JSON]) async throws -> [String: JSON]

  /// Throws `unknown_list` if the draft is for a list that the service does not have, and `ambiguous_list` if several lists have
  /// its name.
  func checkList(of draft: TaskDraft) async throws

  /// The list of the settings for tasks that name none; nil for the service's own default.
  var usualList: String? { get }

  /// True if `makeList` makes lists. A service whose lists are names that its tasks have needs none.
  var makesLists: Bool { get }

  /// Makes a list for tasks, or returns the one with that name. The list is there once, also after a call without an answer.
  func makeList(_ name: String) async throws -> TaskListName

  /// Gives the tasks of a list, or of all lists, to `body` one by one.
  func each(list: String?, _ body: @escaping @HostActor (APITask) throws -> Void) async throws

  /// Like `each`, with only the facts that tell which texts there are, and how often. Returns the number of tasks.
  /// - Parameter body: gets each text, and true if the server may show some of its tasks only.
  @discardableResult
  func forEachText(_ body: @escaping @HostActor (_ text: String, _ isOfNode: Bool) throws -> Void) async throws -> Int

  /// False if the service shows tasks in lists only: then each `task` is a list.
  var readsTasks: Bool { get }

  /// The task with that ID; nil if there is none.
  func task(id: String) async throws -> APITask?

  /// Changes fields of a task; null removes a field. A task with an entity tag is not overwritten if it has changed meanwhile.
  /// - Parameter changes: see `TaskDraft.change`.
  func update(_ task: APITask, _ changes: [String: JSON]) async throws -> APITask

  func remove(_ task: APITask) async throws

  /// False for a service that removes no tasks.
  var canRemove: Bool { get }

  func lists() async throws -> [TaskListName]

  /// The names of the lists by their IDs, if these are two things.
  func listNames() async throws -> [String: String]
}

extension TaskService {
  package var canRemove: Bool { true }
  package var readsTasks: Bool { true }
}

/// A service that is asked for the tasks of rows whose fate is not known.
@HostActor
package protocol TaskFinder: TaskService {
  /// True if the service is asked; false if it takes a key once.
  var findsByKey: Bool { get }

  /// The tasks that earlier requests with the keys of `batch` have made, in its order, completed where a step was missing; nil
  /// for a task that is not there. One pass over each list, which waits if the service asks for it.
  func find(_ batch: [KeyedDraft]) async throws -> [Result<AddedTask?, any Error>]
}

/// A task to add, with the key of its row.
package struct KeyedDraft: Sendable {
  package let draft: TaskDraft
  package let key: String?
  /// True if an earlier request with this key may have arrived.
  package let isAgain: Bool

  package init(_ draft: TaskDraft, key: String?, isAgain: Bool) {
    self.draft = draft
    self.key = key
    self.isAgain = isAgain
  }
}

/// A list of a task service.
package struct TaskListName: Sendable, Equatable {
  package let id: String
  package let name: String
  /// True for the list of tasks that name none.
  package let isDefault: Bool

  package init(id: String, name: String, isDefault: Bool) {
    self.id = id
    self.name = name
    self.isDefault = isDefault
  }
}

extension TaskAPIClient: TaskService {
  package var batchSize: Int { 1 }

  package func add(_ batch: [KeyedDraft]) async -> [Result<AddedTask, any Error>] {
    var results: [Result<AddedTask, any Error>] = []
    for item in batch {
      do { results.append(.success(try await add(item.draft, idempotencyKey: item.key))) } catch {
        results.append(.failure(error))
      }
    }
    return results
  }

  /// Its answers tell.
  package func unkept(of draft: TaskDraft) throws(TaskAPIError) -> [String] { [] }
  package func unkept(among fields: [String]) -> [String] { [] }
  package func resolved(_ fields: [String: JSON]) async throws -> [String: JSON] { fields }
  /// A list of the API is the name that its tasks have.
  package func checkList(of draft: TaskDraft) async throws {}
  package var usualList: String? { nil }
  package var makesLists: Bool { true }
  package func makeList(_ name: String) async throws -> TaskListName {
    TaskListName(id: name, name: name, isDefault: false)
  }
  package func listNames() async throws -> [String: String] { [:] }

  package func each(list: String?, _ body: @escaping @HostActor (APITask) throws -> Void) async throws {
    try await each { task in
      if list == nil || task.value(of: .list)?.string == list { try body(task) }
    }
  }

  package func update(_ task: APITask, _ changes: [String: JSON]) async throws -> APITask {
    try await update(id: task.id?.plainText ?? "", changes, entityTag: task.entityTag)
  }

  /// The lists that tasks name: the API has no others.
  package func lists() async throws -> [TaskListName] {
    let names = Set(try await list().compactMap { $0.value(of: .list)?.string })
    return names.sorted().map { TaskListName(id: $0, name: $0, isDefault: false) }
  }
}
