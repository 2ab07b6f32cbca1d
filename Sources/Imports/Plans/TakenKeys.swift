import HostLoop
import JSON
import TaskAPI
import TaskPlans

/// The tasks that have the keys of new tasks of a plan, as they are when it is carried out: somebody may have added them since.
@HostActor
final class TakenKeys {
  private let field: String?
  private var tasks: [String: APITask] = [:]

  init(_ plan: PlanReader, _ service: any TaskService) async throws {
    field = plan.header.keyField
    guard let field, plan.counts[.create] ?? 0 > 0 else { return }
    var keys: Set<String> = []
    try plan.rewind()
    while let row = try plan.next() { if row.action == .create, let key = row.key { keys.insert(key) } }
    guard !keys.isEmpty else { return }
    try await service.each(list: nil) { [self] task in
      if let key = task.text(of: field), keys.contains(key) { tasks[key] = task }
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
  /// The value of a field as a text without blanks around it; nil for none.
  func text(of name: String) -> String? {
    let field = TaskField(rawValue: name)
    let found: JSON? = field == .text ? .string(text) : field.map { value(of: $0) } ?? raw[name]
    guard let found, found != .null else { return nil }
    let words = found.plainText
    guard let first = words.firstIndex(where: { !$0.isWhitespace }),
      let last = words.lastIndex(where: { !$0.isWhitespace })
    else { return nil }
    return String(words[first...last])
  }
}
