/// What became of one row of a plan that was applied.
package struct PlanOutcome: Sendable, Equatable {
  package enum Result: String, Sendable, CaseIterable {
    /// The task was added, changed or removed, by this run or an earlier one of the same plan.
    case created, changed, removed
    /// Undo: the task is as it was before the import.
    case reversed
    /// The task was as the row says: nothing was done.
    case same
    /// Nothing was done: somebody has changed the task since the plan, or it is not clear which one is meant.
    case conflict
    /// No task can be made of the row.
    case refused
    /// Undo: somebody has changed the task since. It stays as it is.
    case kept
    /// Undo: the task is not there any more.
    case gone
    /// The request failed.
    case failed
  }

  /// The number of the row in the plan.
  package let row: Int
  package let result: Result
  /// The ID of the task; nil if there is none.
  package let task: String?
  /// Why the row is not as it was planned; nil if there is nothing to say.
  package let reason: String?

  package init(row: Int, _ result: Result, task: String? = nil, reason: String? = nil) {
    self.row = row
    self.result = result
    self.task = task
    self.reason = reason
  }
}
