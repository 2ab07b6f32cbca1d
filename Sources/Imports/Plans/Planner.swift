import Automation
import Core
import Files
import Glibc
package import HostLoop
import ImportEngine
import ImportFormats
import ImportJournal
import JSON
import Permissions
import SharedImport
import TaskAPI
import TaskPlans

/// Makes the plan of an import: reads the source and the tasks of the account, and writes nothing but the plan.
@HostActor
package final class Planner {
  let plan: ImportPlan
  let options: PlannerOptions
  let imports: RunImports
  private var notes: [String] = []
  private var console: Console { imports.session.console }

  package init(_ plan: ImportPlan, _ options: PlannerOptions, _ imports: RunImports) {
    self.options = options
    self.imports = imports
    var plan = plan
    // Looks for earlier imports as a dry run does, and takes up one of a source that has another name now.
    plan.options.isDryRun = true
    plan.options.resume = .match
    plan.files.plan = options.file
    plan.files.failedRows = .nowhere
    self.plan = plan
  }

  package func run() async throws -> PlanSummary {
    let path = plan.source.path.flatMap { ImportRun.isKnownAgain($0) ? $0 : nil }
    let file =
      if let file = options.file { try imports.session.permissions.write(file, by: plan.call) } else {
        OutputPlace(try imports.file(ofPlan: id))
      }
    let page = try options.page.map { try imports.session.permissions.write($0, by: plan.call) }
    try plan.checkPlaces(source: path)
    // Nobody signs in for a file that cannot be read, and standard input is read after somebody has signed in.
    let early = path == nil && plan.source.path != nil ? try await plan.place() : nil
    let opened = try plan.source.open(true)
    if let summary = opened.summary { console.log(.info, summary) }
    try refuseFailedRows(opened)
    let columns = SourceColumns(opened.rows)
    let key = try key(columns, opened)
    let place = if let early { early } else { try await plan.place() }
    try ImportRun.checkDedupe(plan.options.dedupe, opened.rows, place, plan)
    let identity = try place.identity(of: path, named: ImportRun.name(ofUnknown: plan.source.path), imports)
    let isLasting = try path != nil && place.keepsTasks(imports)
    let history = try await history(identity, opened, isLasting: isLasting, place, key)
    let source = PlannerSource(
      opened, identity.sourceName, isKept: path == nil, isFresh: !history.hasOldHashes
    ) { [plan] in try plan.source.open(true).rows }
    let summary = try await StableHash.$isOfOldJournal.withValue(history.hasOldHashes) {
      try await write(file, source, columns, key, place, identity, history)
    }
    if let page {
      try PlanPage.write(PlanReader(file), to: page, file: file.path)
    }
    return summary
  }

  private func write(
    _ file: OutputPlace, _ source: PlannerSource, _ columns: SourceColumns, _ known: PlannerKey?, _ place: ImportPlace,
    _ identity: ImportIdentity, _ history: PlannerHistory
  ) async throws -> PlanSummary {
    let rows = source.opened.rows
    let terms = try await terms(rows, place, try known.map { try keeping($0, place, source.opened) })
    let canHaveParents =
      place.service.unkept(among: [TaskField.parent.rawValue]).isEmpty
      && rows.fields?.contains(TaskField.parent.rawValue) ?? true
    let survey = try await PlannerSurvey.of(source, columns, terms.key, areNamed: canHaveParents)
    // Only the rows themselves tell the members of some sources.
    if columns.names.isEmpty, !survey.columns.names.isEmpty { _ = try key(survey.columns, source.opened) }
    if survey.columns.others > 0 {
      notes.append("the plan has the values of the first \(survey.columns.names.count) members of the objects alone")
    }
    let tasks = try await tasks(rows, terms)
    let removals = try removals(tasks, survey, history)
    tellVersions(tasks)
    let parents = canHaveParents && survey.hasNames ? PlannerParents(survey) : nil
    if let parents {
      let learning = PlannerRows(terms, tasks, survey, history, parents, isLearning: true)
      try await source.each { _ = try await learning.plan($0) }
      parents.findCircles()
    }
    let output = try PlannerOutput(header(identity, place, terms.key, survey.columns.names), to: file)
    let planner = PlannerRows(terms, tasks, survey, history, parents)
    try await source.each { try output.add(try await planner.plan($0)) }
    try add(removals, after: survey.rows, to: output, place)
    return PlanSummary(path: options.file, id: id, digest: try output.finish(), notes: notes, output.table)
  }

  /// Notes a fact for the person.
  func note(_ sentence: String) { notes.append(sentence) }

  /// Notes a fact that the plan's header does not have any more.
  func tell(_ sentence: String) {
    notes.append(sentence)
    console.log(.warn, sentence)
  }

  /// The member of a plan's place that allows to make lists.
  static let makesLists = "make_lists"

  private let id = PlanHeader.makeID()

  private func header(
    _ identity: ImportIdentity, _ place: ImportPlace, _ key: PlannerKey?, _ columns: [String]
  ) -> PlanHeader {
    var header = PlanHeader(
      .import, id: id, created: time(nil), source: identity.source, account: identity.account,
      accountName: identity.accountName, api: identity.api)
    header.place = place.planned
    if plan.options.missing.makesLists { header.place[Self.makesLists] = true }
    (header.keyColumn, header.keyField) = (key?.column, key?.field)
    header.columns = columns
    header.notes = notes
    return header
  }

  // MARK: The source

  /// The rows of such a file are to be settled in their import, which only an import does.
  private func refuseFailedRows(_ opened: ImportSource.Opened) throws(ImportRefusal) {
    guard opened.rows.beginning.contains(where: { !$0.origins.isEmpty }) else { return }
    throw plan.failure(
      option: "plan", "the source has rows that failed in an earlier import, and a plan would not settle them there",
      hint: "import the file without a plan")
  }

  /// The key of the call; nil without one. A source without columns may have the members of its rows.
  private func key(_ columns: SourceColumns, _ opened: ImportSource.Opened) throws(ImportRefusal) -> PlannerKey? {
    guard let given = options.key else { return nil }
    let named = opened.facts?.columns.first { $0.field == TaskDraft.sourceIDName }?.name
    if let column = columns.find(given) {
      return PlannerKey(column: column, isName: false, hasNames: column == named ?? TaskDraft.sourceIDName)
    }
    let isName = given == TaskDraft.sourceIDName
    if isName && (opened.rows.hasSourceIDs || opened.rows.fields == nil) || columns.names.isEmpty {
      return PlannerKey(column: given, isName: isName, hasNames: isName)
    }
    let missing = columns.missing(given)
    throw plan.failure(option: "key", missing.problem, hint: missing.hint)
  }

  // MARK: Earlier imports

  private func history(
    _ identity: ImportIdentity, _ opened: ImportSource.Opened, isLasting: Bool, _ place: ImportPlace, _ key: PlannerKey?
  ) async throws -> PlannerHistory {
    let doubts = ImportDoubts(imports, plan, identity, opened)
    guard try place.keepsTasks(imports) else {
      try doubts.settle()
      return PlannerHistory()
    }
    if options.key == nil { try await refuseShared(identity) }
    let shelf = try imports.journals()
    func imported(from source: String) throws -> [JournalSummary] {
      try shelf.list().filter { journal in
        journal.trouble == nil
          && journal.identity.map {
            ($0.sourceFile, $0.account, $0.api) == (source, identity.account, identity.api)
          } ?? false
      }
    }
    var journals = isLasting ? try imported(from: identity.source) : []
    if journals.isEmpty, options.key == nil,
      let earlier = try shelf.earlier(
        identity, beginning: { try $0 ? plan.source.open(true).rows.beginning : opened.rows.beginning }),
      let source = earlier.identity?.sourceFile
    {
      journals = try imported(from: source)
      let name = imports.isVisible(earlier) ? ", from \(source.lastName)" : ""
      notes.append("its first rows were imported before\(name): rows of that import are not added again")
    }
    if journals.isEmpty { try doubts.settle() }
    return try PlannerHistory(journals, shelf, key)
  }

  /// An import in a database keeps no IDs of tasks.
  private func refuseShared(_ identity: ImportIdentity) async throws {
    guard let shared = try imports.shared() else { return }
    try await imports.prepare(shared)
    let found = try await shared.find(identity)
    await shared.close()
    guard found != nil else { return }
    throw ImportError(
      kind: .journalElsewhere,
      message: "\(identity.sourceName) was imported in \(shared.place) before, which keeps no IDs of tasks",
      hint: "name the column that tells the rows apart: --key COLUMN (key = COLUMN in a script)")
  }
}
