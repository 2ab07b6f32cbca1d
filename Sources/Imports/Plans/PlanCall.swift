import HostLoop
package import ImportEngine
import ImportFormats
package import TaskPlans

/// How a plan is carried out: the place of the tasks, the options of its requests, and the files about it.
package struct PlanCall {
  /// The name of the call in messages: `tasks.apply`.
  package let call: String
  /// Finds the place that a plan names. May sign somebody in.
  package let place: @HostActor (PlanHeader) async throws -> ImportPlace
  package var options = ImportOptions()
  /// False if the number of concurrent requests may adapt to the server.
  package var isConcurrencyGiven = false
  package var progress: ImportProgress.Form?
  /// The file for the receipt, a CSV file.
  package var receipt: String?
  /// The file for the report, in JSON.
  package var report: String?

  package init(_ call: String, at place: @escaping @HostActor (PlanHeader) async throws -> ImportPlace) {
    self.call = call
    self.place = place
  }
}

/// The outcome of a plan.
package struct PlanResult: Sendable {
  package let header: PlanHeader
  /// The ID for `imports undo`; nil if no later run could take the plan back.
  package let id: String?
  /// The command that takes the plan back, with the options of this run; nil if the journal ends with the run.
  package var undoCommand: String?
  /// The numbers of rows by their outcomes.
  package var counts: [PlanOutcome.Kind: Int] = [:]
  /// The first rows that need a look: conflicts, failures, and rows that an undo kept.
  package var open: [(row: PlannedRow, outcome: PlanOutcome)] = []
  /// True if an earlier run had carried the plan out to its end.
  package var wasDone = false

  package static let mostOpen = 100

  /// True if each row has what the plan says.
  package var isComplete: Bool { counts.allSatisfy { $0.value == 0 || !$0.key.needsLook } }
  /// The number of rows that need a look.
  package var openCount: Int { counts.reduce(0) { $0 + ($1.key.needsLook ? $1.value : 0) } }
}

extension PlanOutcome.Kind {
  /// True for a row that a person has to look at.
  var needsLook: Bool { [.conflict, .refused, .failed, .kept].contains(self) }
}

extension PlanHeader {
  /// The plan as the source of an import: its journal has this name. The undo of an import is one source, however often it is
  /// planned.
  var sourceName: String { "\(source) (\(kind == .undo ? "undo \(undoes ?? "")" : "plan \(id)"))" }
}

extension ImportIdentity {
  /// The file of the source, also for the journal of a plan: who may read it may see the import.
  var sourceFile: String {
    let form = #/(.*) \((?:undo [0-9a-f]{16}|plan [0-9a-v]{12})\)/#.dotMatchesNewlines()
    return source.wholeMatch(of: form).map { String($0.1) } ?? source
  }

  /// True for the journal of an undo.
  var isOfUndo: Bool { source.contains(#/\(undo [0-9a-f]{16}\)$/#) }

  /// True for the journal of a plan, whose rows only the copy of the plan explains.
  var isOfPlan: Bool { source != sourceFile }
}
