/// The outcome of one row of a plan.
package struct PlanOutcome: Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable {
    case created, changed, removed, same, skipped, conflict, refused, failed
    /// An undo has taken it back.
    case reversed
    /// An undo has left it, because somebody has changed it since.
    case kept
    /// An undo has not found it.
    case gone
  }

  package let row: Int
  package let kind: Kind
  /// The ID of the task; nil without one.
  package let task: String?
  package let reason: String?

  package init(row: Int, _ kind: Kind, task: String? = nil, reason: String? = nil) {
    self.row = row
    self.kind = kind
    self.task = task
    self.reason = reason
  }
}
