import Automation
import Core
import Files
package import HostLoop
package import ImportEngine
import ImportFormats
import ImportJournal
import Permissions
import SharedImport
import TaskAPI
package import TaskPlans

/// The undo of an earlier import, plan or undo: first as a plan to look at, then carried out.
@HostActor
package final class Undo {
  private let journal: JournalSummary
  private let call: PlanCall
  private let imports: RunImports
  /// Keeps a plan that is only looked at until this object goes.
  private var folder: ScratchFolder?

  /// - Throws: `cannot_undo` for an import that keeps no IDs of tasks, or that is under way.
  package init(of journal: JournalSummary, _ call: PlanCall, _ imports: RunImports) throws {
    self.journal = journal
    self.call = call
    self.imports = imports
    let name = journal.shortID ?? journal.path ?? ""
    if let api = journal.identity?.api {
      try imports.demandTenant(of: api, "the import \(name)", "imports undo \(ShellWord.quoted(name))")
    }
    func refuse(_ problem: String, _ hint: String? = nil) -> ImportRefusal {
      ImportRefusal(.cannotUndo, "\(call.call): the import \(name) cannot be taken back: \(problem)", hint: hint)
    }
    if let trouble = journal.trouble { throw refuse(trouble.message) }
    guard journal.shared == nil, journal.identity != nil else {
      throw refuse(
        "it is shared with other machines, which keep no IDs of tasks",
        "import with a journal of this machine: --journal FILE")
    }
    if let holder = journal.holder {
      throw refuse("it is under way in the process \(holder.process)", "wait until it has ended")
    }
    // Without it, the rows that were changed look like new tasks.
    if journal.identity?.isOfPlan == true, try imports.plan(of: journal) == nil {
      throw refuse("the copy of its plan is gone: \(ImportJournal.planFile(of: journal.path ?? ""))")
    }
    guard journal.counts.added > 0 else { throw refuse("it has added and changed nothing") }
    guard try imports.journals().taskCount(of: journal) > 0 else {
      throw refuse(
        "its journal has no IDs of tasks",
        "an older version made it, or the server tells no IDs: remove the tasks with b2c-run tasks remove")
    }
  }

  /// The plan of the undo, as far as an earlier run has not carried it out.
  /// - Parameter file: the file for the plan; nil for a plan that is only looked at.
  package func plan(to file: String?) async throws -> PlanReader {
    if file == nil, let begun = try begun() { return begun }
    let place = try file.map { try imports.session.permissions.write($0, by: call.call) }
    let folder = try ScratchFolder("b2c-run-undo-")
    self.folder = folder
    return try await write(to: place ?? OutputPlace("\(folder.path)/undo.json"))
  }

  /// Carries the undo out, or goes on with it.
  package func run() async throws -> PlanResult {
    try ImportJournal.make(folder: imports.folder(ofUndo: journal))
    let plan = if let begun = try begun() { begun } else { try await write(to: OutputPlace(try copy())) }
    let result = try await imports.apply(plan, call)
    if try imports.plan(of: journal) == nil, result.counts[.reversed] ?? 0 > 0 {
      imports.session.console.log(
        .info,
        "the journal of the import still has its rows: to import them again, --resume no (resume = false in a script)")
    }
    return result
  }

  /// The plan of an earlier run that has begun to carry it out; nil without one.
  private func begun() throws -> PlanReader? { try JournalShelf.plan(at: copy()) }

  /// The path of the plan beside the journal of the undo, which is where `PlanRun` has it.
  private func copy() throws -> String {
    guard var identity = journal.identity else { return "" }
    identity.source = header.sourceName
    return ImportJournal.planFile(of: ImportJournal.file(of: identity, in: try imports.folder(ofUndo: journal)))
  }

  /// The name of the import in its undo: that of its journal, or one made of the path of a journal that a person has named.
  private static func name(ofJournal path: String) -> String {
    let stem = String(path.lastName.prefix { $0 != "." })
    if stem.wholeMatch(of: #/[0-9a-f]{16}/#) != nil { return stem }
    return ImportIdentity(source: path, account: "", accountName: "", api: "").fileName
  }

  /// The source of the undo of an import, as `PlanHeader.sourceName` has it.
  static func source(_ file: String, ofJournal path: String) -> String { "\(file) (undo \(name(ofJournal: path)))" }

  private var header: PlanHeader {
    let identity = journal.identity
    var header = PlanHeader(
      .undo, id: PlanHeader.makeID(), created: Int(UnixTime.now.seconds),
      source: identity?.sourceFile ?? "", account: identity?.account ?? "", accountName: identity?.accountName ?? "",
      api: identity?.api ?? "")
    header.undoes = journal.path.map(Self.name)
    return header
  }

  private func write(to place: OutputPlace) async throws -> PlanReader {
    var header = header
    let earlier = try imports.plan(of: journal)
    if let earlier {
      header.columns = earlier.header.columns
      header.keyColumn = earlier.header.keyColumn
      header.keyField = earlier.header.keyField
      header.place = earlier.header.place
    }
    let target = try await call.place(header)
    _ = try PlanRun.identity(header, target, imports)
    if header.place.isEmpty { header.place = target.planned }
    header.notes = notes(target.service)
    let planner = try await UndoPlanner(
      journal, try imports.journals(), earlier, target,
      corrections: try imports.corrections(of: journal).compactMap(imports.undoCommand))
    let writer = try PlanWriter(place, header)
    try planner.write(to: writer)
    _ = try writer.finish()
    return try PlanReader(place)
  }

  private func notes(_ service: any TaskService) -> [String] {
    var notes: [String] = []
    if journal.counts.unsettled + journal.counts.unknown > 0 {
      notes.append(
        "\(counted(journal.counts.unsettled + journal.counts.unknown, "row")) of the import may have been added without an ID in "
          + "the journal: their tasks stay")
    }
    if !service.canRemove { notes.append("the service removes no tasks") }
    return notes
  }
}
