import Core
import Files
import HostLoop
package import ImportEngine
import ImportJournal
import TaskPlans

/// The undos of imports.
extension RunImports {
  /// The undo that has taken rows of an import back and was not taken back itself; nil if nobody has undone the import.
  package func undo(of journal: JournalSummary) throws -> JournalSummary? {
    guard journal.shared == nil, var identity = journal.identity, let path = journal.path else { return nil }
    identity.source = Undo.source(identity.sourceFile, ofJournal: path)
    let file = OutputPlace(ImportJournal.file(of: identity, in: try folder(ofUndo: journal)))
    guard ImportJournal.exists(at: file) else { return nil }
    let found = try journals().summary(file: file)
    // A later import of the same source has a journal of its own.
    guard found.trouble == nil, found.counts.added > 0, found.created >= journal.created else { return nil }
    return try undo(of: found) == nil ? found : nil
  }

  /// The journal with the facts about its plan and its undo.
  func described(_ journal: JournalSummary) throws -> JournalSummary {
    var journal = journal
    if journal.identity?.isOfPlan == true, let path = journal.path {
      let plan = OutputPlace(ImportJournal.planFile(of: path))
      // A plan that is gone or damaged is the matter of its undo.
      let rows = (try? PlanReader.rowCount(of: plan)) ?? journal.rows
      journal.plan = JournalSummary.PlanFacts(isUndo: journal.identity?.isOfUndo ?? false, rows: rows)
    }
    journal.undoneBy = try undo(of: journal)?.shortID
    return journal
  }

  /// The imports of files of failed rows of an import, which have the tasks of the corrected rows.
  func corrections(of journal: JournalSummary) throws -> [JournalSummary] {
    guard let identity = journal.identity else { return [] }
    return try journals().list().filter { other in
      guard other.trouble == nil, other.counts.added > 0, let own = other.identity, !own.isOfPlan else { return false }
      return (own.account, own.api) == (identity.account, identity.api)
        && own.source.hasPrefix("\(identity.sourceFile).failed.")
    }
  }
}
