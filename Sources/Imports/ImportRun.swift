import Automation
import Core
import Files
import Glibc
import HostLoop
import ImportEngine
import ImportFormats
import ImportJournal
import ImportReport
import Permissions

/// One import, from its plan to its summary.
@HostActor
final class ImportRun {
  let imports: RunImports
  var console: Console { imports.session.console }
  private(set) var plan: ImportPlan
  /// The source's file; nil for a source that no later run could know again.
  let path: String?
  /// The files that the script names for the end of the import.
  let outputs: (failedRows: OutputPlace?, report: OutputPlace?)
  let identity: ImportIdentity
  private(set) var source: any RowSource
  /// The reading of the source, as this run has found it.
  let kept: KeptReading?
  /// The source, if it is a file of failed rows.
  let corrected: CorrectedRowSource?
  private(set) var work: any ImportWork
  /// Nil for an import that sends its tasks.
  let dryRun: DryRun?
  private let startedAt = time(nil)
  private(set) var summary: ImportSummary?

  init(_ plan: ImportPlan, _ imports: RunImports) async throws {
    self.imports = imports
    var plan = plan
    let session = imports.session
    path = plan.source.path.flatMap { Self.isKnownAgain($0) ? $0 : nil }
    // The files are checked before anything is sent.
    var journalPlace = try plan.files.journal.file.map { try session.permissions.write($0, by: plan.call) }
    outputs = (
      try plan.files.failedRows.file.map { try session.permissions.write($0, by: plan.call) },
      try plan.files.report.map { try session.permissions.write($0, by: plan.call) }
    )
    let tasksPlace = try plan.files.dryRun.file.map { try session.permissions.write($0, by: plan.call) }
    try plan.checkPlaces(source: path)
    // Nobody signs in for a file that cannot be imported, and standard input is read after somebody has signed in.
    let isEarly = path == nil && plan.source.path != nil
    let early = isEarly ? try await plan.place() : nil
    let opened = try plan.source.open(plan.files.journal.file != nil)
    kept = opened.kept
    let place = if let early { early } else { try await plan.place() }
    if let summary = opened.summary { session.console.log(.info, summary) }
    try Self.checkDedupe(plan.options.dedupe, opened.rows, place, plan)
    identity = try place.identity(of: path, named: Self.name(ofUnknown: plan.source.path), imports)
    let origins = try await Self.origins(opened.rows, identity, imports)
    let skipsSettled = plan.options.resume != .no
    corrected = origins.map { CorrectedRowSource(opened.rows, $0, skipsSettled: skipsSettled) }
    // The journal of the import whose rows failed is not that of their correction.
    if let origins, let place = journalPlace, origins.adopt(place) {
      plan.files.journal = .usual
      journalPlace = nil
    }
    source = Self.probed(corrected ?? opened.rows, for: plan.options.dedupe)
    let isLasting = try path != nil && place.keepsTasks(imports)
    var options = place.fit(plan.options, isConcurrencyGiven: plan.isConcurrencyGiven)
    dryRun = options.isDryRun ? try DryRun(to: place, options, tasksPlace) : nil
    let events = Events(partOf: session.events)
    var doubts = ImportDoubts(imports, plan, identity, opened)
    try Self.tellLeftOut(of: source, plan, identity, session.console)
    if isLasting, plan.files.journal == .usual, !options.isDryRun, let shared = try imports.shared() {
      self.plan = plan
      work = try await Self.sharedWork(
        shared, plan, options, place, doubts, opened.rows, events, imports)
      return
    }
    let folder = try place.keepsTasks(imports) ? imports.folder() : nil
    let decided = try doubts.decide(at: journalPlace, in: folder, isLasting: isLasting) {
      try $0 ? plan.source.open(true).rows.beginning : opened.rows.beginning
    }
    self.plan = decided.plan
    options.resume = decided.plan.options.resume
    let journal = try await Self.journal(decided.plan.options, identity, at: decided.journal)
    work = Self.work(journal, place, options, events, dryRun)
    if let file = journal.path { imports.ownJournals.insert(file) }
  }

  func run() async throws -> ImportSummary {
    (work as? JournaledImport)?.engine.onRowFailed = plan.onRowFailed
    let progress = ImportProgress(console, plan.progress)
    let trace = ImportTrace(of: work.events, identity.sourceName)
    progress.follow(work.events) { [console] in console.log(.info, $0) }
    work.events.watch(ImportEvent.self) { [self] event, _ in
      if case .failed = event { warnOfFailedRows() }
    }
    let result: Result<ImportReport, any Error>
    do {
      try await (source as? ProbedRowSource)?.probe()
      try await readAsBefore()
      try await matchChanged()
      result = .success(try await runWork())
    } catch {
      result = .failure(error)
    }
    progress.end()
    imports.failedRows += work.report.failed + work.report.unsettled
    // A task of its own, because the end of a canceled import is recorded, too.
    let (summary, problem) = try await HostActor.task { await self.finish(result) }.value
    self.summary = summary
    trace.ended(summary)
    if plan.onRowFailed == nil, !plan.options.isDryRun { tellFailures(summary) }
    switch result {
    case .success(let report):
      if report.total > 0, report.resumed.rows == report.total, !plan.options.isDryRun {
        try tellDoneEarlier(summary)
      }
      if report.total == 0, source.bytesRead > 0 {
        console.log(.warn, "there are no rows in \(identity.sourceName)")
      }
      if let problem {
        console.write(ImportSummaryText.render(summary))
        if report.failed > 0, let id = work.shortID {
          console.log(
            .warn, "the rows that failed are in the journal: b2c-run imports show \(id) --failed prints them")
        }
        throw problem
      }
      return summary
    case .failure(let error):
      // The error of the import matters more.
      if let problem { console.log(.warn, ErrorWords(problem).message) }
      if error is CancellationError { console.write(ImportSummaryText.render(summary)) }
      throw explained(error)
    }
  }

  /// Goes on with another journal, and with the source from its beginning.
  func replaceWork(_ work: JournaledImport, _ source: any RowSource) {
    work.engine.onRowFailed = plan.onRowFailed
    self.work = work
    self.source = source
  }

  /// Opens the source once more, with the reading of an earlier run.
  func reopen(as earlier: KeptReading) throws -> ImportSource.Opened {
    plan.source.kept = earlier
    let opened = try plan.source.open(true)
    source = Self.probed(opened.rows, for: plan.options.dedupe)
    return opened
  }

  /// The source once more, for a machine that begins to plan again.
  func sourceAgain() throws -> any RowSource {
    let rows = try plan.source.open(true).rows
    return corrected?.same(rows) ?? rows
  }

  /// Writes the files about the run, and closes the journal. `problem` is the error of a file that was not written.
  private func finish(
    _ result: Result<ImportReport, any Error>
  ) async -> (summary: ImportSummary, problem: (any Error)?) {
    var summary = ImportSummary(
      source: path ?? identity.sourceName, startedAt: startedAt, ending: ending(result), report: work.report,
      statistics: work.statistics)
    summary.account = identity.accountName
    summary.api = identity.api
    summary.options = plan.shownOptions
    summary.journal = work.journalPlace
    summary.findings.leftOut = source.leftOut
    summary.findings.checked = dryRun?.first ?? []
    var problem: (any Error)?
    do {
      (summary.failedRows, summary.failedTable) = try await writeFailedRows()
      if case .success = result {
        if let dryRun { try dryRun.finish() } else { try await settleOrigins() }
      }
    } catch { problem = error }
    await work.close()
    do {
      if let report = outputs.report {
        try summary.write(to: report)
        console.log(.info, "wrote the report \(report.path)")
        try plan.onReport?(report.path)
      }
    } catch { problem = error }
    return (summary, problem)
  }

  private func ending(_ result: Result<ImportReport, any Error>) -> ImportSummary.Ending {
    switch result {
    case .success: return plan.options.isDryRun ? .dryRun : .finished
    case .failure(is CancellationError): return .interrupted
    case .failure(let error):
      let error = ErrorWords(error)
      return .stopped(code: error.code, message: error.message, hint: error.hint)
    }
  }

  private func explained(_ error: any Error) -> any Error {
    guard var error = error as? ImportError, error.kind != .sourceChanged, work.shortID != nil else {
      return error
    }
    let advice = "repeat the import: it continues there and sends no row twice"
    error.hint = [error.hint, advice].compactMap { $0 }.joined(separator: "; ")
    return error
  }

  /// Earlier runs have done all rows. Those that failed then are not tried again by themselves.
  private func tellDoneEarlier(_ summary: ImportSummary) throws {
    let report = summary.report
    let again = "to import them again: --resume no (resume = false in a script)"
    let undo = try (work as? JournaledImport).flatMap { try imports.undo(of: $0.journal.summary) }
    let takenBack = undo.map { ", and the undo \($0.shortID ?? "") took \($0.counts.added) of them back" } ?? ""
    guard report.failed > 0 else {
      return console.log(undo == nil ? .info : .warn, "all rows were imported earlier\(takenBack); \(again)")
    }
    let file = summary.failedRows ?? summary.failedTable
    let journal = work.shortID.map { "; b2c-run imports show \($0) --failed prints them" } ?? ""
    let way = file.map { "to try them again, correct them in \($0) and import that file" } ?? "\(again)\(journal)"
    console.log(
      .warn,
      "nothing was sent: of \(counted(report.total, "row")), earlier runs imported \(report.added), and \(report.failed) "
        + "failed then\(takenBack); \(way)")
  }

  /// Tells what the import does not take of the source; a strict import then ends, unless a map says what to take.
  private static func tellLeftOut(
    of source: any RowSource, _ plan: ImportPlan, _ identity: ImportIdentity, _ console: Console
  ) throws(ImportError) {
    guard let left = source.leftOut else { return }
    // Who has given a map has chosen: the summary names the columns.
    guard !plan.source.isMapped else { return }
    let fact = "\(identity.sourceName): no field comes from \(left.shown)"
    guard plan.options.isStrict else { return console.log(.warn, fact) }
    let advice = left.advice.map { ", such as \($0)" } ?? ""
    throw ImportError(
      kind: .missingField, message: "\(fact), and the import is strict",
      hint:
        "nothing was sent: --map text=COLUMN,… (map = { text = COLUMN, … } in a script) says which columns to take, and leaves out "
        + "the others\(advice)")
  }

  private func tellFailures(_ summary: ImportSummary) {
    let told = summary.report.failures.sorted { $0.row < $1.row }.prefix(10)
    for failure in told {
      let line = failure.line.map { " (line \($0))" } ?? ""
      let outcome = failure.isUnsettled ? "is unsettled" : "was not added"
      console.log(.warn, "row \(failure.row)\(line) \(outcome): \(failure.reason)")
    }
    let rest = summary.statistics.failures.values.reduce(0) { $0 + $1.count } - told.count
    if rest > 0 { console.log(.warn, "\(rest) more rows were not added") }
  }
}
