package import TaskPlans

/// The options of a plan besides those that say how the source is read.
package struct PlannerOptions: Sendable {
  /// The file of the plan; nil for a plan that this run alone applies.
  package var file: String?
  /// The column or member that tells the rows apart, or `source_id`.
  package var key: String?
  /// The field of the task that keeps the key.
  package var keyField: String?
  /// True to remove the tasks whose keys the source does not have.
  package var deletesMissing = false
  /// True to remove also more than half of them.
  package var removesMany = false
  /// The file of the page about the plan; nil for none.
  package var page: String?

  package init() {}
}

/// A plan that was written.
package struct PlanSummary: Sendable {
  /// The file of the plan; nil for one that this run alone knows.
  package let path: String?
  package let id: String
  package let digest: String
  /// The numbers of rows by the names of their actions.
  package let counts: [String: Int]
  package let notes: [String]
  private let table: PlanTable

  init(path: String?, id: String, digest: String, notes: [String], _ table: PlanTable) {
    (self.path, self.id, self.digest, self.notes, self.table) = (path, id, digest, notes, table)
    counts = Dictionary(uniqueKeysWithValues: PlannedRow.Action.allCases.map { ($0.rawValue, table.counts[$0] ?? 0) })
  }

  /// The facts about a plan that is there.
  package init(_ plan: PlanReader, path: String?) throws {
    var table = PlanTable(plan.header)
    try plan.rewind()
    while let row = try plan.next() { table.add(row) }
    self.init(path: path, id: plan.header.id, digest: plan.digest, notes: plan.header.notes, table)
  }

  /// The plan as a table for a terminal of that width.
  package func text(columns: Int) -> String { table.text(width: columns, file: path) }
}
