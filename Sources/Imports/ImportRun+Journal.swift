import Core
import Files
import HostLoop
import ImportEngine
import ImportFormats
import ImportJournal
import SharedImport
import TaskAPI

extension ImportRun {
  /// The import in the database of several machines.
  static func sharedWork(
    _ shared: SharedImports, _ plan: ImportPlan, _ options: ImportOptions, _ place: ImportPlace,
    _ doubts: ImportDoubts, _ rows: any RowSource, _ events: Events, _ imports: RunImports
  ) async throws -> SharedRun {
    let identity = doubts.identity
    let ofOneMachine = [("on_row_failed", plan.onRowFailed != nil), ("unsettled", plan.options.unsettled != nil)]
    for (name, isGiven) in ofOneMachine where isGiven {
      throw plan.failure(
        option: name, "it is not possible in an import that several machines share",
        hint: "leave it out, or give a journal of this machine with --journal FILE (journal = FILE in a script)")
    }
    if options.resume == .match {
      throw plan.failure(
        option: "resume", "an import that several machines share cannot match a changed source",
        hint:
          "import with --resume no (resume = false in a script), or give a journal of this machine with --journal FILE")
    }
    if rows.hasSourceIDs, rows.fields?.contains(TaskField.parent.rawValue) == true,
      place.service.unkept(among: [TaskField.parent.rawValue]).isEmpty
    {
      throw ImportError.sharedParents(identity.sourceName, "its rows name their parents")
    }
    try await imports.prepare(shared)
    let earlier = try await shared.find(identity)
    if options.resume == .no, let earlier { try await shared.forget(earlier.id) }
    if options.resume != .no, earlier == nil { try demandNoJournal(of: identity, shared, imports) }
    let begun = SharedImport.Beginning(rows.beginning)
    if earlier == nil {
      if options.resume != .no, let other = try await shared.earlier(identity, begun) { try doubts.settle(other) }
      try doubts.settle()
    }
    let record = try await shared.open(
      identity, place: begun.added(to: place.json), options: options.shared(timeout: plan.timeout),
      rate: options.rate)
    var ofAll = options
    if record.isJoined {
      // Other machines work on it: their options hold.
      ofAll = ImportOptions(shared: record.options)
      ofAll.dedupe = options.dedupe
    }
    return SharedRun(
      shared, record, service: place.service, options: ofAll, events: events, worker: imports.worker)
  }

  /// Refuses to begin an import in a database that this machine has begun in a journal of its own.
  private static func demandNoJournal(
    of identity: ImportIdentity, _ shared: SharedImports, _ imports: RunImports
  ) throws(ImportError) {
    let folder = try imports.folder()
    let file = ImportJournal.file(of: identity, in: folder)
    guard ImportJournal.exists(at: OutputPlace(file)) else { return }
    let journal = try imports.journals().summary(file: OutputPlace(file))
    throw ImportError(
      kind: .journalElsewhere,
      message: "\(identity.sourceName) was imported without \(shared.place) before: this machine's journal has "
        + "\(counted(journal.counts.added, "task")) added, and this import would add them once more",
      hint: "continue with the journal of this machine: --journal \(file); or import every row as new: --resume no "
        + "(resume = \"no\" in a script)")
  }

  /// True if a later run can know the source again by its path. The rows of a pipe or a terminal are gone then.
  static func isKnownAgain(_ path: String) -> Bool { path != "-" && ImportPlan.isFile(path) }

  /// - Parameter path: nil for a function.
  static func name(ofUnknown path: String?) -> String {
    guard let path else { return "a function" }
    return ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(path) ? "standard input" : path
  }

  /// - Parameter place: nil for a journal in memory.
  static func journal(
    _ options: ImportOptions, _ identity: ImportIdentity, at place: OutputPlace?
  ) async throws(ImportError) -> ImportJournal {
    // A dry run looks at what has been done, and begins nothing.
    guard let place, !options.isDryRun || ImportJournal.exists(at: place) else { return try await .inMemory(identity) }
    return try await .open(identity, file: place, replacesDamaged: options.resume == .no && !options.isDryRun)
  }

  /// A source whose tasks alone tell their fields is looked at before the first row is sent.
  static func probed(_ source: any RowSource, for dedupe: String?) -> any RowSource {
    guard let dedupe, source.fields == nil, dedupe.lowercased() != TaskField.text.rawValue else { return source }
    return ProbedRowSource(source, field: dedupe)
  }

  /// Throws if no task has the field that `dedupe` compares: every row would be added again.
  static func checkDedupe(
    _ field: String?, _ source: any RowSource, _ place: ImportPlace, _ plan: ImportPlan
  ) throws(ImportRefusal) {
    guard let field else { return }
    let name = TaskField(spelled: field)?.rawValue ?? field
    if let fields = source.fields, !fields.contains(where: { $0.lowercased() == name.lowercased() }) {
      throw plan.failure(
        option: "dedupe",
        "the import has no field '\(field)', so that every row would be added again; its fields are "
          + fields.joined(separator: ", "),
        hint: didYouMean(field, among: fields)
          ?? "--map text=COLUMN,\(name)=COLUMN (map = { \(name) = COLUMN } in a script) names the column of a field")
    }
    guard !place.service.unkept(among: [name]).isEmpty else { return }
    throw plan.failure(
      option: "dedupe", "the task service does not keep '\(name)', so that every row would be added again",
      hint: "compare another field: --dedupe text (dedupe = \"text\" in a script)")
  }
}
