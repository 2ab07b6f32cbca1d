import Automation
import Files
import HostLoop
import ImportEngine
import ImportJournal
import Permissions
import TaskPlans

/// The account of a plan that was carried out: its receipt, its report and its counts.
@HostActor
struct PlanAccount {
  private let plan: PlanReader
  private let journal: JournalSummary

  init(_ plan: PlanReader, _ journal: JournalSummary) {
    self.plan = plan
    self.journal = journal
  }

  /// Writes the files that are named, and counts the outcomes.
  func write(receipt: String?, report: String?, _ imports: RunImports, by call: String) throws -> PlanResult {
    let outcomes = try PlanOutcomes(plan, imports.journals(), journal)
    let receipt = try receipt.map { try ReceiptWriter(imports.session.permissions.write($0, by: call), plan.header) }
    let report = try report.map {
      try OutcomeReportWriter(imports.session.permissions.write($0, by: call), id: journal.shortID ?? plan.header.id)
    }
    var result = PlanResult(header: plan.header, id: journal.shortID)
    result.undoCommand = imports.undoCommand(of: journal)
    while let (row, outcome, _) = try outcomes.next() {
      result.counts[outcome.kind, default: 0] += 1
      if outcome.kind.needsLook, result.open.count < PlanResult.mostOpen { result.open.append((row, outcome)) }
      try receipt?.add(row, outcome)
      try report?.add(outcome)
    }
    try receipt?.finish()
    try report?.finish()
    return result
  }
}
