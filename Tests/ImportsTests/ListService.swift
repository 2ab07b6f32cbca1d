import HostLoop
import Imports
import JSON
import TaskAPI

/// A task service that keeps its tasks in a list.
@HostActor
final class ListService: DeclaredService {
  let name = "list"
  let identity = "list {}"
  let terms = ServiceTerms(batch: 1, concurrency: 2, interval: 0, idempotency: .key)
  private(set) var tasks: [APITask] = []

  var batchSize: Int { terms.batch }
  let place: [String: JSON] = ["service": "list"]

  func resolved(_ fields: [String: JSON], listID: String?) async throws -> [String: JSON] { fields }
  func fixedFields() async throws -> [String] { [] }

  func add(_ draft: TaskDraft, idempotencyKey: String?) async throws -> AddedTask {
    guard draft.text != "refused" else {
      throw TaskAPIError.ofService(
        code: "refused", message: "the list does not take it", hint: nil, status: nil, retryAfter: nil, isOfOne: true)
    }
    let task = APITask(text: draft.text, id: .integer(Int64(tasks.count + 1)))
    tasks.append(task)
    return try AddedTask(draft: draft, task: task, of: name, isNew: true)
  }

  func add(_ batch: [KeyedDraft]) async -> [Result<AddedTask, any Error>] {
    var results: [Result<AddedTask, any Error>] = []
    for item in batch {
      do { results.append(.success(try await add(item.draft, idempotencyKey: item.key))) } catch {
        results.append(.failure(error))
      }
    }
    return results
  }

  func unkept(of draft: TaskDraft) throws(TaskAPIError) -> [String] { [] }
  func unkept(among fields: [String]) -> [String] { fields.filter { $0 != TaskField.text.rawValue } }
  func resolved(_ fields: [String: JSON]) async throws -> [String: JSON] { fields }
  func each(list: String?, _ body: @escaping @HostActor (APITask) throws -> Void) async throws {
    try tasks.forEach(body)
  }
  func forEachText(_ body: @escaping @HostActor (_ text: String, _ isOfNode: Bool) throws -> Void) async throws -> Int {
    for task in tasks { try body(task.text, false) }
    return tasks.count
  }
  func task(id: String) async throws -> APITask? { tasks.first { $0.id?.plainText == id } }
  func update(_ task: APITask, _ changes: [String: JSON]) async throws -> APITask { task }
  func remove(_ task: APITask) async throws { tasks.removeAll { $0.id == task.id } }
  func lists() async throws -> [TaskListName] { [] }
  func checkList(of draft: TaskDraft) async throws {}
  let usualList: String? = nil
  let makesLists = false
  func makeList(_ name: String) async throws -> TaskListName { TaskListName(id: name, name: name, isDefault: false) }
  func listNames() async throws -> [String: String] { [:] }
}
