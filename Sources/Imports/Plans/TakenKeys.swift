import HostLoop
import ImportEngine
import JSON
import TaskAPI
import TaskPlans

/// The tasks that have the keys of new tasks of a plan, as they are when it is carried out: somebody may have added them since.
@HostActor
final class TakenKeys {
  private let field: String?
  private let service: any TaskService
  private var tasks: [String: APITask] = [:]
  /// True if a task has a key: then the server keeps them, and a key that no task has is that of no task.
  private var areKept = false

  init(_ plan: PlanReader, _ service: any TaskService) async throws {
    field = plan.header.keyField
    self.service = service
    guard let field, plan.counts[.create] ?? 0 > 0 else { return }
    var keys: Set<String> = []
    try plan.rewind()
    while let row = try plan.next() { if row.action == .create, let key = row.key { keys.insert(key) } }
    guard !keys.isEmpty else { return }
    try await service.each(list: nil) { [self] task in
      guard let key = task.text(of: field) else { return }
      areKept = true
      if keys.contains(key) { tasks[key] = task }
    }
  }

  /// Finds the tasks of rows by their keys; nil if nothing shows that the server keeps keys.
  var find: ImportEngine.FindRows? {
    guard areKept, let field else { return nil }
    return { [service] rows in
      var found: [String: APITask] = [:]
      try await service.each(list: nil) { task in
        if let key = task.text(of: field) { found[key] = task }
      }
      return rows.map { row in
        Result {
          guard let key = row.draft.text(of: field), let task = found[key] else { return nil }
          return try AddedTask(draft: row.draft, task: task, of: "the list of tasks", isNew: false)
        }
      }
    }
  }

  /// The reason why a new task must not be added.
  /// - Parameter mayBeOwn: true if an earlier run may have added it: then a task that has all of it is its own.
  func obstacle(_ row: PlannedRow, mayBeOwn: Bool) -> String? {
    guard let key = row.key, let task = tasks[key] else { return nil }
    if mayBeOwn, row.newValues.allSatisfy({ $0.key == TaskField.list.rawValue || task.has($0.value, in: $0.key) }) {
      return nil
    }
    return "somebody has added a task with the key \(key) since the plan was made: \"\(task.text.prefix(60))\""
  }
}

extension APITask {
  /// The key in the field that keeps it; nil for none.
  @HostActor fileprivate func text(of name: String) -> String? {
    let field = TaskField(rawValue: name)
    return key(in: field == .text ? .string(text) : field.map { value(of: $0) } ?? raw[name])
  }
}

extension TaskDraft {
  /// The same of a new task.
  @HostActor fileprivate func text(of name: String) -> String? {
    key(in: name == TaskField.text.rawValue ? .string(text) : fields[name])
  }
}

@HostActor private func key(in value: JSON?) -> String? {
  guard let value, value != .null else { return nil }
  let key = PlannerKey.normal(value.plainText)
  return key.isEmpty ? nil : key
}
