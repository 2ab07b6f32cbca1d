package import JSON
package import TaskAPI

/// One row of a plan: what becomes of one row of a source, or of one task.
package struct PlannedRow: Sendable, Equatable {
  package enum Action: String, Sendable, CaseIterable {
    /// There is no such task: it is added.
    case create
    /// The task has other values: some of its fields are changed.
    case change
    /// The task is removed.
    case remove
    /// The task is as the row says: nothing is done.
    case same
    /// The row is empty, or the map or the format leaves it out.
    case skipped
    /// Nothing is done, because it is not clear which row or which task is meant.
    case conflict
    /// No task can be made of the row.
    case refused
    /// Undo: somebody has changed the task since. It stays as it is.
    case kept
    /// Undo: the task is not there any more.
    case gone

    /// True if the action sends a request.
    package var isWrite: Bool { [.create, .change, .remove].contains(self) }
  }

  /// The values of one field before and after; null for none.
  package struct Change: Sendable, Equatable {
    package let old: JSON
    package let new: JSON

    package init(old: JSON, new: JSON) { (self.old, self.new) = (old, new) }
  }

  /// Counting from 1: its number in the source. Tasks without a row come behind the rows of the source, and count on.
  package var row: Int
  /// Its line in the source's file; nil for a source without lines, and for a task without a row.
  package var line: Int?
  package var action: Action
  /// The text of the task, for people.
  package var text: String
  /// The value of the key column; nil for a plan without a key.
  package var key: String?
  /// The task, with the version that it had when the plan was made; nil if the row has none.
  package var task: TaskReference?
  /// The fields that change, by the names in scripts (`TaskField`) or, for others, by those of the server. A new task has all its
  /// fields, each with the old value null. A task that is removed has all its fields, each with the new value null.
  package var changes: [String: Change] = [:]
  /// The row whose task is the parent, if this plan adds that task; nil if there is none, or if `changes` have its ID.
  package var parentRow: Int?
  /// Why nothing is done, or what the service does not keep; nil if there is nothing to say.
  package var reason: String?
  /// The values of the columns of the source, in the order of `TaskPlan.columns`; empty for a task without a row.
  package var source: [String] = []

  package init(row: Int, line: Int? = nil, action: Action, text: String, task: TaskReference? = nil) {
    self.row = row
    self.line = line
    self.action = action
    self.text = text
    self.task = task
  }

  /// The row removes its task, which has these fields.
  package mutating func remove(_ fields: [String: JSON]) {
    action = .remove
    changes = fields.mapValues { Change(old: $0, new: .null) }
  }

  /// The new values of the fields that change.
  package var newValues: [String: JSON] { changes.mapValues(\.new) }
  /// The old values of the fields that change.
  package var oldValues: [String: JSON] { changes.mapValues(\.old) }
}
