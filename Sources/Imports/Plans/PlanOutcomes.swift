import ImportEngine
import ImportFormats
import ImportJournal
import TaskAPI
import TaskPlans

/// The outcome of each row of a plan, in its order: the plan tells about rows that send nothing, and the journal about the others.
final class PlanOutcomes {
  /// The code of a failed row whose task or key somebody has taken or changed meanwhile.
  static let conflictCode = TaskAPIError.Kind.conflict.rawValue

  private let plan: PlanReader
  private let isUndo: Bool
  /// The rows of the journal by the stages of the plan.
  private var stages: [PlannedRow.Action: JournaledRows] = [:]

  /// The rows of the journal from a number on, with the failures among them.
  private struct JournaledRows {
    let tasks: JournaledTasks
    let failures: JournalFailures
    var failure: JournalFailure?

    init(_ shelf: JournalShelf, _ journal: JournalSummary, from first: Int) throws(ImportError) {
      tasks = try shelf.tasks(of: journal, from: first)
      failures = try shelf.failures(of: journal)
      repeat { failure = try failures.next() } while failure.map { $0.failure.row < first } ?? false
    }

    /// The next row; nil if the journal does not have it.
    mutating func next() throws(ImportError) -> (task: JournaledTask, failure: RowFailure?)? {
      guard let task = try tasks.next() else { return nil }
      guard let found = failure, found.failure.row == task.row else { return (task, nil) }
      failure = try failures.next()
      return (task, found.failure)
    }
  }

  init(_ plan: PlanReader, _ shelf: JournalShelf, _ journal: JournalSummary) throws {
    self.plan = plan
    isUndo = plan.header.kind == .undo
    var first = 1
    for action in PlanRowSource.stages {
      stages[action] = try JournaledRows(shelf, journal, from: first)
      first += plan.counts[action] ?? 0
    }
    try plan.rewind()
  }

  /// The next row of the plan, what became of it, and its row in the journal; nil at the end.
  func next() throws -> (row: PlannedRow, outcome: PlanOutcome, task: JournaledTask?)? {
    guard let row = try plan.next() else { return nil }
    switch row.action {
    case .same, .skipped, .conflict, .refused, .kept, .gone:
      return (row, PlanOutcome(row: row.row, row.action.outcome, task: row.task?.id, reason: row.reason), nil)
    case .create, .change, .remove:
      let found = try stages[row.action]?.next()
      return (row, outcome(of: row, found), found?.task)
    }
  }

  private func outcome(of row: PlannedRow, _ found: (task: JournaledTask, failure: RowFailure?)?) -> PlanOutcome {
    let id = found?.task.task?.id ?? row.task?.id
    func outcome(_ kind: PlanOutcome.Kind, _ reason: String?) -> PlanOutcome {
      PlanOutcome(row: row.row, kind, task: id, reason: reason ?? row.reason)
    }
    switch found?.task.state {
    case .added?:
      if isUndo { return outcome(.reversed, nil) }
      return outcome(row.action == .create ? .created : row.action == .change ? .changed : .removed, nil)
    case .failed?, .unsettled?:
      let failure = found?.failure
      let isGone = failure?.code == TaskAPIError.Kind.notFound.rawValue && row.action != .create
      if isGone { return outcome(isUndo ? .gone : .conflict, failure?.reason) }
      return outcome(failure?.code == Self.conflictCode ? (isUndo ? .kept : .conflict) : .failed, failure?.reason)
    case .skipped?: return outcome(.same, nil)
    case .pending?, .sent?, nil: return outcome(.failed, "it was not sent: repeat the command to continue")
    }
  }
}

extension PlannedRow.Action {
  /// The outcome of a row that sends nothing.
  fileprivate var outcome: PlanOutcome.Kind {
    switch self {
    case .same: .same
    case .skipped: .skipped
    case .conflict: .conflict
    case .kept: .kept
    case .gone: .gone
    case .refused, .create, .change, .remove: .refused
    }
  }
}
