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
    // A later import of the same source has another journal.
    guard found.trouble == nil, found.counts.added > 0, found.created >= journal.created else { return nil }
    return try undo(of: found) == nil ? found : nil
  }

  /// The import with the facts about its plan and its undo.
  package func described(_ journal: JournalSummary) throws -> DescribedImport {
    var described = DescribedImport(journal: journal)
    if let identity = journal.identity, identity.isOfPlan, let path = journal.path {
      described.kind = identity.isOfUndo ? .undo : .plan
      // A plan that is gone or damaged is the matter of its undo.
      described.planRows = (try? PlanReader.rowCount(of: OutputPlace(ImportJournal.planFile(of: path)))) ?? journal.rows
    }
    described.undoneBy = try undo(of: journal)?.shortID
    return described
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

/// An import as its journal knows it, with the facts about its plan and its undo.
@dynamicMemberLookup
package struct DescribedImport: Sendable {
  package enum Kind: String, Sendable { case `import`, plan, undo }

  package let journal: JournalSummary
  package fileprivate(set) var kind = Kind.import
  /// All rows of the plan, also those with nothing to do; nil without a plan.
  package fileprivate(set) var planRows: Int?
  /// The ID of the undo that took rows back; nil without one.
  package fileprivate(set) var undoneBy: String?

  package subscript<Value>(dynamicMember member: KeyPath<JournalSummary, Value>) -> Value { journal[keyPath: member] }
}
