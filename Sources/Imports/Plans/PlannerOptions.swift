package import TaskPlans

/// The options of a plan besides those that say how the source is read.
package struct PlannerOptions: Sendable {
  /// The file of the plan.
  package var file = ""
  /// The column or member that tells the rows apart, or `source_id`.
  package var key: String?
  /// The field of the task that keeps the key.
  package var keyField: String?
  /// True to remove the tasks whose keys the source does not have.
  package var deletesMissing = false
  /// True to remove also more than half of them.
  package var removesMany = false

  package init() {}
}

/// A plan that was written.
package struct PlanSummary: Sendable {
  package let path: String
  package let id: String
  package let digest: String
  package let counts: [PlannedRow.Action: Int]
  package let notes: [String]
  /// True if a row is a conflict or refused.
  package var needsEyes: Bool { counts[.conflict, default: 0] + counts[.refused, default: 0] > 0 }
}
