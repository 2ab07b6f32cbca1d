import Automation
import Core
import Files
import Glibc
import HostLoop
import JSON
import Lua
import Permissions
import TaskAPI
import TaskImport

@HostActor
final class ImportRun {
  private let tasks: TasksModule
  private var host: ScriptHost { tasks.host }
  private let arguments: Arguments
  private let request: ImportRequest
  /// The source's file; nil for a source that no later run could know again.
  private let path: String?
  /// The files that the script names for the end of the import.
  private let failedRows: OutputPlace?
  private let report: OutputPlace?
  private let identity: ImportIdentity
  private let source: any RowSource
  private let work: any ImportWork
  private let startedAt = time(nil)
  private(set) var summary: ImportSummary?

  init(_ arguments: Arguments, _ tasks: TasksModule) async throws {
    self.tasks = tasks
    let host = tasks.host
    self.arguments = arguments
    if let path = arguments[0].path { try await host.loadStockFormat(arguments, path: path) }
    request = try ImportRequest(arguments)
    path = arguments[0].path.flatMap { Self.isKnownAgain($0) ? $0 : nil }
    // The files are checked before anything is sent.
    let journalPlace = try request.journal.file.map { try host.permissions.write($0, for: arguments) }
    failedRows = try request.failedRows.file.map { try host.permissions.write($0, for: arguments) }
    report = try request.report.map { try host.permissions.write($0, for: arguments) }
    try request.checkPlaces(source: path, arguments)
    // Nobody signs in for a file that cannot be imported, and standard input is read after somebody has signed in.
    let isEarly = path == nil && arguments[0].path != nil
    let early = isEarly ? try await ImportPlace(arguments, host, timeout: request.timeout) : nil
    let (source, summary) = try tasks.rowSource(arguments, isKnownAgain: request.journal.file != nil)
    let place = if let early { early } else { try await ImportPlace(arguments, host, timeout: request.timeout) }
    self.source = source
    if let summary { host.console.log(.info, summary) }
    identity = try place.identity(of: path, named: Self.name(ofUnknown: arguments[0].path), host.automation)
    let isLasting = try path != nil && place.keepsTasks(host.automation)
    let options = place.fit(request.options, isConcurrencyGiven: !arguments["concurrency"].isNil)
    let events = Events(partOf: host.automation.events)
    if isLasting, request.journal == .usual, !options.isDryRun, let shared = try host.automation.sharedImports() {
      work = try await Self.sharedWork(shared, request, options, place, identity, events, arguments, host)
      return
    }
    let folder = try isLasting ? host.automation.importsFolder() : nil
    let journal = try await Self.journal(request, identity, at: journalPlace, in: folder)
    let engine = ImportEngine(service: place.service, journal: journal, options: options, events: events)
    work = JournaledImport(engine, journal)
    if let file = journal.path { host.automation.ownJournals.insert(file) }
  }

  /// The import in the database of several machines.
  private static func sharedWork(
    _ shared: SharedImports, _ request: ImportRequest, _ options: ImportOptions, _ place: ImportPlace,
    _ identity: ImportIdentity, _ events: Events, _ arguments: Arguments, _ host: ScriptHost
  ) async throws -> SharedRun {
    for name in ["on_row_failed", "unsettled"] where !arguments[name].isNil {
      throw arguments.failure(
        option: name, "it is not possible in an import that several machines share",
        hint: "leave it out, or give a journal of this machine with journal = FILE (--journal FILE)")
    }
    if options.resume == .match {
      throw arguments.failure(
        option: "resume", "an import that several machines share cannot match a changed source",
        hint: "import with resume = false (--resume no), or give a journal of this machine with --journal FILE")
    }
    try await host.automation.prepare(shared)
    let earlier = try await shared.find(identity)
    if options.resume == .no, let earlier { try await shared.forget(earlier.id) }
    if options.resume != .no, earlier == nil { try demandNoJournal(of: identity, shared, host) }
    let record = try await shared.open(
      identity, place: place.json, options: options.shared(timeout: request.timeout), rate: options.rate)
    var ofAll = options
    if record.isJoined {
      // Other machines work on it: their options hold.
      ofAll = ImportOptions(shared: record.options)
      ofAll.dedupe = options.dedupe
    }
    return SharedRun(
      shared, record, service: place.service, options: ofAll, events: events, worker: host.automation.worker)
  }

  /// Refuses to begin an import in a database that this machine has begun in a journal of its own.
  private static func demandNoJournal(
    of identity: ImportIdentity, _ shared: SharedImports, _ host: ScriptHost
  ) throws(ImportError) {
    let folder = try host.automation.importsFolder()
    let file = ImportJournal.file(of: identity, in: folder)
    guard ImportJournal.exists(at: OutputPlace(file)) else { return }
    let journal = try host.automation.journals().summary(file: OutputPlace(file))
    throw ImportError(
      kind: .journalElsewhere,
      message: "\(identity.sourceName) was imported without \(shared.place) before: this machine's journal has "
        + "\(counted(journal.added, "task")) added, and this import would add them once more",
      hint: "go on with the journal of this machine: --journal \(file); or import every row as new: resume = \"no\" "
        + "(--resume no)")
  }

  /// True if a later run can know the source again by its path. The rows of a pipe or a terminal are gone then.
  private static func isKnownAgain(_ path: String) -> Bool { path != "-" && ImportRequest.isFile(path) }

  /// - Parameter path: nil for a function.
  private static func name(ofUnknown path: String?) -> String {
    guard let path else { return "a function" }
    return ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(path) ? "standard input" : path
  }

  /// - Parameter folder: the usual folder; nil for an import that no later run can go on with.
  private static func journal(
    _ request: ImportRequest, _ identity: ImportIdentity, at place: OutputPlace?, in folder: String?
  ) async throws(ImportError) -> ImportJournal {
    let options = request.options
    let usual = request.journal == .usual ? folder : nil
    guard let file = place ?? usual.map({ OutputPlace(ImportJournal.file(of: identity, in: $0)) }),
      // A dry run looks at what has been done, and begins nothing.
      !options.isDryRun || ImportJournal.exists(at: file)
    else { return try await .inMemory(identity) }
    let replacesDamaged = options.resume == .no && !options.isDryRun
    if place == nil, let usual { return try await .open(identity, in: usual, replacesDamaged: replacesDamaged) }
    return try await .open(identity, file: file, replacesDamaged: replacesDamaged)
  }

  func run() async throws -> LuaValue {
    if let handler = arguments["on_row_failed"].function, let engine = (work as? JournaledImport)?.engine {
      engine.onRowFailed = { [host] failure in
        let (json, row) = (host.json, "row \(failure.row)")
        return try json.decision(
          try await host.call(handler, [json.value(failure)], as: "on_row_failed", row), on: failure)
      }
    }
    let progress = ImportProgress(host.console, request.progress)
    let trace = ImportTrace(of: work.events, identity.sourceName)
    work.events.watch(ImportEvent.self) { [host] event, _ in
      switch event {
      case .notice(let sentence): host.console.log(.info, sentence)
      case .progress(let snapshot): progress.show(snapshot)
      case .phase, .retry, .failed: break
      }
    }
    let result: Result<ImportReport, any Error>
    warnOfFailedRows()
    do {
      try await matchChanged()
      result = .success(
        try await work.run(source) { [tasks, arguments] in try tasks.rowSource(arguments, isKnownAgain: true).source })
    } catch {
      result = .failure(error)
    }
    progress.end()
    host.automation.failedRows += work.report.failed + work.report.unsettled
    // A task of its own, because the end of a canceled import is recorded, too.
    let (summary, problem) = try await HostActor.task { await self.finish(result) }.value
    self.summary = summary
    trace.ended(summary)
    if arguments["on_row_failed"].isNil { tellFailures(summary) }
    switch result {
    case .success(let report):
      if report.total > 0, report.resumed == report.total, !request.options.isDryRun {
        host.console.log(.info, "all rows were imported earlier; to import them again: resume = false (--resume no)")
      }
      if report.total == 0, source.bytesRead > 0 {
        host.console.log(.warn, "there are no rows in \(identity.sourceName)")
      }
      if let problem {
        host.console.write(ImportSummaryText.render(summary))
        if report.failed > 0, let id = work.shortID {
          host.console.log(
            .warn, "the rows that failed are in the journal: b2c-run imports show \(id) --failed prints them")
        }
        throw problem
      }
      return host.json.value(summary, host.state)
    case .failure(let error):
      // The error of the import matters more.
      if let problem { host.console.log(.warn, LuaError(problem).message) }
      if error is CancellationError { host.console.write(ImportSummaryText.render(summary)) }
      throw explained(error)
    }
  }

  /// With `resume = "match"`, makes the journal one of the changed source.
  private func matchChanged() async throws {
    guard request.options.resume == .match, let journal = (work as? JournaledImport)?.journal, !journal.isNew else {
      return
    }
    guard !request.options.isDryRun else {
      throw arguments.failure(
        option: "resume", "a dry run does not match a changed source, which would change the journal",
        hint: "leave out dry_run (--dry-run)")
    }
    guard path != nil else {
      throw arguments.failure(
        option: "resume", "expected a file to match, which can be read twice", hint: "give its path")
    }
    // The source is read to its end here, and again by the import.
    let known = try await journal.match(try tasks.rowSource(arguments, isKnownAgain: true).source) {
      [host, identity] known, rows in
      guard host.configuration.mayAsk, PermissionPrompt.canAsk else { return false }
      let prompt = host.automation.prompt
      let answer = prompt.confirm(
        [
          "None of the rows imported before (\(known)) is in \(identity.sourceName.displayable) as it is now.",
          "A row with another column is another row.",
        ], "Import all rows (\(rows)) as new?")
      try Task.checkCancellation()
      return answer ?? false
    }
    host.console.log(.info, "rows of earlier runs, at any position of the file: \(known)")
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
    summary.options = host.json.shown(request.shown(arguments.options))
    summary.journal = work.journalPlace
    var problem: (any Error)?
    do { summary.failedRows = try await writeFailedRows() } catch { problem = error }
    await work.close()
    do {
      if let report {
        try summary.write(to: report)
        host.console.log(.info, "wrote the report \(report.path)")
        try host.jobSession.attach(report.path)
      }
    } catch { problem = error }
    return (summary, problem)
  }

  private func ending(_ result: Result<ImportReport, any Error>) -> ImportSummary.Ending {
    switch result {
    case .success: return request.options.isDryRun ? .dryRun : .finished
    case .failure(is CancellationError): return .interrupted
    case .failure(let error):
      let error = LuaError(error)
      return .stopped(code: error.code, message: error.message, hint: error.hint)
    }
  }

  /// Warns before the first row is sent that the usual file of failed rows cannot be written.
  private func warnOfFailedRows() {
    guard let file = usualFailedRows, !request.options.isDryRun, FileSystem.access(file.parentFolder, W_OK | X_OK) != 0
    else {
      return
    }
    host.console.log(
      .warn,
      "rows that fail cannot be written to \(file): \(String(cString: strerror(errno))); name another file with "
        + "failed_rows = (--failed)")
  }

  /// Writes the file of failed rows, unless it has them all. Returns its path; nil if there is none.
  private func writeFailedRows() async throws -> String? {
    guard let file = failedRows?.path ?? usualFailedRows else { return nil }
    guard work.report.failed > 0, !request.options.isDryRun else { return nil }
    // Somebody may be about to mend what an earlier run has written.
    if work.report.failures.allSatisfy(\.isUnsettled), FileSystem.access(file, F_OK) == 0 { return file }
    guard let place = failedRows ?? placeBesideSource(file) else { return nil }
    if let kept = try await FailedRowsFile.write(to: place, try await work.failures()) {
      host.console.log(.info, "\(file) was there before, and is \(kept) now")
    }
    return file
  }

  private var usualFailedRows: String? {
    request.failedRows == .usual ? path.map { FailedRowsFile.path(besides: $0) } : nil
  }

  /// Returns nil, and warns, if nothing may be written beside the source.
  private func placeBesideSource(_ file: String) -> OutputPlace? {
    do { return try host.permissions.write(file, beside: path ?? file, for: arguments) } catch {
      let advice = error.hint.map { "; \($0)" } ?? ""
      host.console.log(.warn, "\(error.message), so the rows that failed are not written there\(advice)")
      return nil
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

  private func tellFailures(_ summary: ImportSummary) {
    let told = summary.report.failures.sorted { $0.row < $1.row }.prefix(10)
    for failure in told {
      let line = failure.line.map { " (line \($0))" } ?? ""
      let outcome = failure.isUnsettled ? "is unsettled" : "was not added"
      host.console.log(.warn, "row \(failure.row)\(line) \(outcome): \(failure.reason)")
    }
    let rest = summary.statistics.failures.values.reduce(0) { $0 + $1.count } - told.count
    if rest > 0 { host.console.log(.warn, "\(rest) more rows were not added") }
  }
}

/// Emits the phases of an import, and its rows that are sent again or fail, as events of the run.
@HostActor
final class ImportTrace {
  private let events: Events
  private var phase = ""
  private var limit = 0
  private let start = HostLoop.uptime

  init(of events: Events, _ source: String) {
    self.events = events
    guard events.isWatched(RunEvent.self) else { return }
    emit("begin", ["source": .text(source)])
    events.watch(ImportEvent.self) { [self] event, _ in tell(event) }
  }

  private func tell(_ event: ImportEvent) {
    switch event {
    case .phase(let phase): tell(phase)
    case .progress(let snapshot):
      // A phase comes before the things that are done in it.
      if !snapshot.isFinished { tell(snapshot.phase) }
      // The limit is of no interest before the first request.
      guard snapshot.limit != limit, snapshot.phase != .readingKnownRows else { return }
      limit = snapshot.limit
      emit("concurrency", ["limit": .number(limit)])
    case .retry(let row, let attempt, let error):
      emit("retry", ["row": .number(row), "attempt": .number(attempt)], error)
    case .failed(let failure):
      var facts = ["row": RunEvent.Fact.number(failure.row)]
      // `line` is that of the script.
      facts["sourceLine"] = failure.line.map { .number(Int($0)) }
      emit("row failed", facts, LuaError(code: failure.code, message: failure.reason, status: failure.status))
    case .notice: break
    }
  }

  private func tell(_ phase: ProgressSnapshot.Phase) {
    var facts: [String: RunEvent.Fact] = [:]
    let name =
      switch phase {
      case .readingKnownRows: "reading known rows"
      case .sending: "sending"
      case .settling: "settling"
      case .draining: "draining"
      case .waiting: "waiting"
      }
    guard name != self.phase else { return }
    self.phase = name
    if case .waiting(_, let reason) = phase { facts["because"] = .text(reason.description) }
    emit(name, facts)
  }

  func ended(_ summary: ImportSummary) {
    let report = summary.report
    var facts: [String: RunEvent.Fact] = ["ending": .text(summary.ending.code)]
    for (name, count) in [
      ("total", report.total), ("added", report.added), ("skipped", report.skipped), ("failed", report.failed),
      ("unsettled", report.unsettled), ("retried", report.retried),
    ] { facts[name] = .number(Int(count)) }
    events.emit(RunEvent.importing(phase: "end", facts, start: start))
  }

  private func emit(_ phase: String, _ facts: [String: RunEvent.Fact], _ error: (any Error)? = nil) {
    events.emit(RunEvent.importing(phase: phase, facts, error: error))
  }
}
