import Automation
import Core
import Files
import HostLoop
import ImportEngine
import ImportFormats
import ImportJournal
import JSON
import Permissions
import TaskAPI
import TaskPlans

/// Carries a plan out: does exactly what it says, or does not do it. A later run goes on where an earlier one has ended.
@HostActor
final class PlanRun {
  private let plan: PlanReader
  private let call: PlanCall
  private let place: ImportPlace
  private let imports: RunImports
  private let identity: ImportIdentity
  private let file: String

  /// - Throws: `plan_elsewhere` for a plan of another account or server.
  init(_ plan: PlanReader, _ call: PlanCall, _ imports: RunImports) async throws {
    self.plan = plan
    self.call = call
    self.imports = imports
    try imports.demandTenant(
      of: plan.header.api, "the plan \(plan.name)", "import --apply \(ShellWord.quoted(plan.name))")
    place = try await call.place(plan.header)
    identity = try Self.identity(plan.header, place, imports)
    // The tasks of a tenant in memory end with the run, and so does the journal.
    let folder = try place.keepsTasks(imports) ? imports.folder() : imports.temporaryFolder()
    try ImportJournal.make(folder: folder)
    file = ImportJournal.file(of: identity, in: folder)
  }

  static func identity(
    _ header: PlanHeader, _ place: ImportPlace, _ imports: RunImports
  ) throws -> ImportIdentity {
    var identity = try place.identity(of: nil, named: header.source, imports)
    guard identity.account == header.account, identity.api == header.api else {
      let isOtherAPI = identity.api != header.api
      if !isOtherAPI { try RunImports.demandThisRun(header.api, "the plan of \(header.source)") }
      throw ImportRefusal(
        .planElsewhere,
        "the plan of \(header.source) is for "
          + (isOtherAPI
            ? "\(header.api), and this is \(identity.api)"
            : "the account \(header.accountName), and this is another one: \(identity.accountName)"),
        hint: isOtherAPI
          ? "use the settings with which the plan was made"
          : "sign in as \(header.accountName), or choose that account with --account")
    }
    identity.source = header.sourceName
    return identity
  }

  func run() async throws -> PlanResult {
    let journal = try await openJournal()
    imports.ownJournals.insert(file)
    let wasDone = journal.summary.isFinished && !journal.isNew && journal.summary.rows >= Self.writes(plan)
    let problem: (any Error)?
    do {
      if wasDone { try checkUndo() }
      try await carryOut(journal)
      problem = nil
    } catch { problem = error }
    // A task of its own, because the receipt of a canceled run is written, too.
    let result = await HostActor.task { try await self.finish(journal) }.result
    if let problem {
      // The error of the run matters more.
      if case .failure(let error) = result { imports.session.console.log(.warn, ErrorWords(error).message) }
      throw problem
    }
    var told = try result.get()
    told.wasDone = wasDone
    return told
  }

  /// Throws if an undo took back what an earlier run had done.
  private func checkUndo() throws {
    guard let undo = try imports.undo(of: imports.journals().summary(file: OutputPlace(file))), let id = undo.shortID
    else {
      return
    }
    throw ImportRefusal(
      .planTakenBack, "an earlier run carried this plan out, and the undo \(id) took it back",
      hint: "take the undo back: b2c-run imports undo \(id) --apply; or make a new plan")
  }

  private func openJournal() async throws -> ImportJournal {
    let journal = try await ImportJournal.open(
      identity, file: OutputPlace(file), id: ImportID.made(of: plan.digest.utf8.suffix(16)))
    do {
      try keepPlan()
      return journal
    } catch {
      await journal.close()
      throw error
    }
  }

  /// Keeps a copy of the plan, for `imports undo` and for receipts: the plan's own file may go.
  private func keepPlan() throws {
    let copy = ImportJournal.planFile(of: file)
    guard let kept = try JournalShelf.plan(at: copy) else { return try plan.copy(to: OutputPlace(copy)) }
    guard kept.digest == plan.digest else {
      throw ImportRefusal(
        .planElsewhere, "\(copy) is the copy of another plan", hint: "remove the journal: b2c-run imports forget")
    }
  }

  private func carryOut(_ journal: ImportJournal) async throws {
    let parents = try PlanParents(plan)
    let known = journal.summary.rows
    let taken = try await TakenKeys(plan, place.service)
    var (rows, hasRun) = (0, false)
    for (stage, action) in PlanRowSource.stages.enumerated() {
      let count = plan.counts[action] ?? 0
      rows += count
      let isLast = rows == Self.writes(plan)
      // An earlier run has begun with the next stage.
      if !isLast, count == 0 || known > rows { continue }
      // The rows of the stages before are known rows then, which are not sent again.
      if hasRun { journal.goOn() }
      let source = try PlanRowSource(plan, parents, upTo: stage, journal: journal) { row, number in
        taken.obstacle(row, mayBeOwn: number <= known)
      }
      let unsettled = try await send(source, journal, taken.find, isLater: hasRun)
      // After a change or a removal, the list of tasks could tell nothing about them.
      if unsettled > 0, !isLast {
        return imports.session.console.log(
          .warn,
          "\(counted(unsettled, "new task")) may be there or not, so that nothing is changed yet; --unsettled resend "
            + "(unsettled = \"resend\" in a script) sends them again, skip leaves them out")
      }
      if isLast { return }
      hasRun = true
    }
  }

  /// The number of rows that send something.
  private static func writes(_ plan: PlanReader) -> Int {
    PlanRowSource.stages.reduce(0) { $0 + (plan.counts[$1] ?? 0) }
  }

  /// - Parameter isLater: true for a stage after another one of this run: nobody needs to hear that it continues.
  /// - Returns: the number of rows of unknown fate.
  private func send(
    _ source: PlanRowSource, _ journal: ImportJournal, _ find: ImportEngine.FindRows?, isLater: Bool
  ) async throws -> Int {
    var options = place.fit(call.options, isConcurrencyGiven: call.isConcurrencyGiven)
    options.resume = .yes
    options.missing.makesLists = plan.header.place[Planner.makesLists] == true
    let events = Events(partOf: imports.session.events)
    let progress = ImportProgress(imports.session.console, call.progress)
    var isKnown = isLater
    progress.follow(events) { [console = imports.session.console] sentence in
      console.log(isKnown ? .debug : .info, sentence)
      isKnown = false
    }
    defer { progress.end() }
    let engine = ImportEngine(service: place.service, journal: journal, options: options, events: events)
    engine.find = find
    return try await engine.run(source).unsettled
  }

  private func finish(_ journal: ImportJournal) async throws -> PlanResult {
    await journal.close()
    let account = PlanAccount(plan, try imports.journals().summary(file: OutputPlace(file)))
    return try account.write(receipt: call.receipt, report: call.report, imports, by: call.call)
  }
}
