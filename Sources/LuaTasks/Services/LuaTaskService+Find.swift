import Imports
import JSON
import Lua
import TaskAPI

/// The look for tasks of earlier requests, by their keys.
extension LuaTaskService {
  var findsByKey: Bool { terms.idempotency == .find }

  func find(_ batch: [KeyedDraft]) async throws -> [Result<AddedTask?, any Error>] {
    var results: [Result<AddedTask?, any Error>] = Array(repeating: .success(nil), count: batch.count)
    var sought: [String?: [(index: Int, key: String, given: TaskDraft)]] = [:]
    for (index, item) in batch.enumerated() {
      guard let key = item.key else { continue }
      do {
        let (given, fitted) = try await fit(item)
        sought[try await listID(of: fitted), default: []].append((index, key, given))
      } catch let error as TaskAPIError where error.meaning == .refused { results[index] = .failure(error) }
    }
    var hasBegun = false
    for (list, items) in sought {
      let found = try await tasks(withKeys: items.map(\.key), in: list, hasBegun: &hasBegun)
      for item in items {
        guard let task = found[item.key] else { continue }
        do {
          let whole = try await completed(task, as: item.given)
          results[item.index] = .success(
            try AddedTask(draft: item.given, task: whole, of: declaration.name, isNew: false))
        } catch { results[item.index] = .failure(error) }
      }
    }
    return results
  }

  /// The tasks with those keys, by key. One pass over the list, if the service can give many.
  private func tasks(
    withKeys keys: [String], in list: String?, hasBegun: inout Bool
  ) async throws -> [String: APITask] {
    var found: [String: APITask] = [:]
    guard has("find_all") else {
      for key in keys {
        let answer = try await read("find", [.string(key), .string(list)], waits: hasBegun)
        hasBegun = true
        found[key] = try task(of: answer.first, by: "find")
      }
      return found
    }
    var missing = Set(keys)
    try await eachPage(of: "find_all", [self.keys(keys), .string(list)], hasBegun: &hasBegun) { page in
      for task in page {
        guard let key = task.raw[Self.rowKeyName]?.string, missing.remove(key) != nil else { continue }
        found[key] = task
      }
      return !missing.isEmpty
    }
    return found
  }

  /// An earlier request may have made the task, and not completed it.
  private func completed(_ task: APITask, as given: TaskDraft) async throws -> APITask {
    guard given.fields[TaskField.completed.rawValue] == true, !task.completed else { return task }
    return try await update(task, [TaskField.completed.rawValue: true])
  }
}
