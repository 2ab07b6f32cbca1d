package import JSON

/// A change or the removal of a task that is there. A row of an import has it in place of a new task. It is an object, so that the
/// drafts of new tasks stay small.
package final class TaskEdit: Sendable, Equatable {
  /// The task, with the version that it must still have.
  package let task: TaskReference
  /// The new values of fields; null removes a field. Nil if the task is removed.
  package let changes: [String: JSON]?
  /// The values that fields had when the edit was planned, to tell what somebody has changed since.
  package let old: [String: JSON]

  package init(_ task: TaskReference, changes: [String: JSON]?, old: [String: JSON]) {
    self.task = task
    self.changes = changes
    self.old = old
  }

  package static func == (one: TaskEdit, other: TaskEdit) -> Bool {
    one.task == other.task && one.changes == other.changes && one.old == other.old
  }

  /// The task as far as the edit knows it, for a service that compares the version itself.
  var known: APITask {
    var members: [String: JSON] = ["id": .string(task.id), "text": old[TaskField.text.rawValue] ?? ""]
    members["etag"] = task.entityTag.map { .string($0) }
    members["list"] = task.list.map { .string($0) }
    return APITask(.object(members)) ?? APITask(text: "", id: .string(task.id))
  }

  /// True if the task has what the edit changes: the edit was made before, or somebody has done the same.
  func isDone(in task: APITask) -> Bool {
    guard let changes else { return false }
    return changes.allSatisfy { name, value in task.has(value, in: name) }
  }

  /// The fields that do not have their old values any more.
  func differences(in task: APITask) -> [String] {
    old.filter { name, value in !task.has(value, in: name) }.map(\.key).sorted()
  }
}

extension APITask {
  /// True if a field has that value; null stands for none. Times and labels may be written in another form.
  package func has(_ wanted: JSON, in name: String) -> Bool {
    guard let field = TaskField(rawValue: name) else { return (raw[name] ?? .null) == wanted }
    switch field {
    case .text: return text == wanted.plainText
    case .completed: return completed == (wanted.flag ?? false)
    default: break
    }
    guard wanted != .null, let value = normal(field) else { return wanted == .null && normal(field) == nil }
    return field.isKept(wanted, in: value)
  }
}
