import Automation
import Core
import Files
import HostLoop
package import ImportEngine
import ImportJournal
import Permissions
package import TaskPlans

extension RunImports {
  /// Opens a plan that a script names.
  package func plan(_ path: String, by call: String) throws -> PlanReader {
    do {
      return try PlanReader(session.permissions.open(path.pathBytes, for: .reading, by: call), name: path)
    } catch let error
      as FileFailure
    {
      throw ImportRefusal(
        .invalidOption, "\(call): the plan \(path) cannot be read: \(error.reason)",
        hint: "b2c-run import FILE --plan \(path) writes a plan")
    }
  }

  /// Opens a plan without a file, which this run has made.
  package func plan(id: String, by call: String) throws -> PlanReader {
    let path = try file(ofPlan: id)
    guard id.allSatisfy({ $0.isLetter || $0.isNumber }), FileSystem.kind(of: path) != nil else {
      throw ImportRefusal(
        .invalidOption, "\(call): there is no plan \(id.prefix(20)) of this run",
        hint: "make one: tasks.plan(source, { … })")
    }
    return try PlanReader(OutputPlace(path))
  }

  /// The file of a plan that this run alone knows.
  func file(ofPlan id: String) throws -> String { "\(try temporaryFolder())/\(id).json" }

  /// Carries a plan out. Rows that need a look count as failed rows of the run.
  package func apply(_ plan: PlanReader, _ call: PlanCall) async throws -> PlanResult {
    var outputs = OutputCheck(call.call)
    outputs.keep(plan.name, "the plan")
    outputs.keep(plan.header.source, "the source of the plan")
    try outputs.take(call.receipt, "the receipt", by: "receipt")
    try outputs.take(call.report, "the report", by: "report")
    let result = try await PlanRun(plan, call, self).run()
    failedRows += result.openCount
    return result
  }

  /// The plan that a journal has carried out; nil for an import without one.
  func plan(of journal: JournalSummary) throws -> PlanReader? { try journals().plan(of: journal) }

  /// Writes the receipt of a plan that was carried out earlier.
  /// - Throws: an error for an import without a plan.
  package func writeReceipt(of journal: JournalSummary, to path: String, by call: String) throws -> PlanResult {
    guard let plan = try plan(of: journal) else {
      throw ImportRefusal(
        .cannotUndo, "\(call): the import \(journal.shortID ?? "") has no receipt, because it was made without a plan",
        hint: "b2c-run imports show \(journal.shortID ?? "") --tasks prints its rows and tasks")
    }
    return try PlanAccount(plan, journal).write(receipt: path, report: nil, self, by: call)
  }
}

extension JournalShelf {
  /// The copy of the plan that a journal has carried out; nil for an import without one.
  func plan(of journal: JournalSummary) throws -> PlanReader? {
    try journal.path.flatMap { try Self.plan(at: ImportJournal.planFile(of: $0)) }
  }

  /// The copy of a plan; nil if there is none.
  static func plan(at path: String) throws -> PlanReader? {
    FileSystem.kind(of: path) == nil ? nil : try PlanReader(OutputPlace(path))
  }
}
