import HostLoop
import JSON
import TaskAPI

/// The parent of a row, which is another row of the same source.
struct ParentLink {
  /// The name that the source has for the parent; nil for a row without one.
  var name: String?
  /// The row that is to be settled first.
  var row: QueuedRow?
  /// The reason why the row is added without its parent.
  var loss: String?
  /// True for a row that waits until all rows of the source are known.
  var isPostponed = false
}

/// The rows of an import that others may wait for, or that wait.
@HostActor
struct Families {
  /// The rows that are read and not settled, by the names that the source has for them.
  var named: [String: QueuedRow] = [:]
  /// The number of rows that wait for the end of the source, because their parents have not come.
  var postponed = 0
  /// Finds the parent of a row that a handler has changed.
  var onChange: @HostActor (QueuedRow) async throws -> Void = { _ in }

  mutating func forget(_ row: QueuedRow, _ name: String) { if named[name] === row { named[name] = nil } }
}

/// The outcome of a row, for the rows below it.
enum ParentFate {
  /// It is that task; nil if its ID is not known.
  case added(TaskReference?)
  /// It is not a task, for that reason.
  case lost(String)
}

extension QueuedRow {
  /// Takes the parent out of the task: it is the name of another row and means nothing to a server.
  func takeParentName() {
    guard parent.name == nil, let value = draft.fields.removeValue(forKey: TaskField.parent.rawValue) else { return }
    parent.name = TaskDraft.sourceID(value)
  }

  /// Gives the row the task of its parent, or the reason why it gets none.
  func adopt(_ fate: ParentFate) {
    parent.row = nil
    switch fate {
    case .added(let task?): draft.fields[TaskField.parent.rawValue] = .string(task.id)
    case .added(nil): lose("the ID of its parent '\(parent.name ?? "")' is not known")
    case .lost(let reason): lose(reason)
    }
  }

  private func lose(_ reason: String) {
    parent.loss = reason
    draft.unread[TaskField.parent.rawValue] = reason
  }

  /// True while the row has to wait for its parent. Otherwise it has the parent's task, or none.
  func waitsForParent() -> Bool {
    guard let parent = parent.row else { return false }
    guard let fate = parent.fate else { return true }
    adopt(fate)
    return false
  }

  /// The rows of the circle of parents that the row is a part of; nil without one.
  var circle: [QueuedRow]? {
    var rows = [self]
    while let next = rows[rows.count - 1].parent.row, next.fate == nil {
      if next === self { return rows }
      // A circle further up is that of other rows.
      if next === rows[rows.count / 2] { return nil }
      rows.append(next)
    }
    return nil
  }
}
