import Databases
import HostLoop
import ImportEngine
import ImportFormats
import JSON
import TaskAPI

/// Reads a source and makes blocks of its rows. One machine at a time plans an import; it may be another one after each
/// interruption. Blocks that are there already are compared with the source.
@HostActor
final class BlockPlanner {
  private let imports: PatientImports
  private let record: SharedImport
  private let source: any RowSource
  private let lease: Lease
  private var dedupe: Dedupe
  let writer: BlockWriter
  /// False if the service keeps no parents, so that none can be wrong.
  var keepsParents = true
  private var areNamed = false
  private(set) var rowsRead = 0
  private var known = KnownBlocks()
  private var total = StableHash()
  /// True while the import has ended, and no row has come since.
  private var isDone = false

  private struct KnownBlocks {
    var blocks: ArraySlice<KnownBlock> = []
    var fingerprints: [UInt64] = []
    var isAtEnd = false
  }

  init(
    _ imports: PatientImports, _ record: SharedImport, _ source: any RowSource, _ lease: Lease, _ dedupe: Dedupe,
    _ load: WorkerLoad = WorkerLoad(), _ signals: SharedSignals? = nil
  ) {
    self.imports = imports
    self.record = record
    self.source = source
    self.lease = lease
    self.dedupe = dedupe
    writer = BlockWriter(imports, lease, load, signals)
  }

  var bytesRead: Int { source.bytesRead }
  var totalBytes: Int? { source.totalBytes }

  /// Reads the source to its end. Throws `source_changed` if the rows before are not those that were planned.
  func run() async throws {
    try await passEarlierRows()
    while let row = try await next() {
      try Task.checkCancellation()
      if try await pass(row) { continue }
      try await add(row)
      if rowsRead % 4096 == 0 { await Task.yield() }
    }
    guard known.fingerprints.isEmpty, try await nextKnown() == nil else {
      throw changed("it ends before a row that was planned")
    }
    // Nothing has come since the import ended.
    guard !isDone else { return }
    try await writer.finish()
    try await imports.endPlan(blocks: writer.number, rows: rowsRead, digest: total.value, lease)
  }

  // MARK: Rows that are planned already

  /// The next row of the source, which is counted.
  private func next() async throws -> SourceRecord? {
    guard let row = try await source.next() else { return nil }
    rowsRead += 1
    total.add(bytesOf: row.fingerprint)
    return row
  }

  /// Reads the rows that the source had when the import ended before. Their blocks are gone; those of rows that have come
  /// since are behind them.
  private func passEarlierRows() async throws {
    let first = try await imports.knownBlocks(after: -1, limit: 1)
    isDone = record.state == .done
    let earlier: Int
    if !isDone, let first = first.first {
      (earlier, writer.number) = (first.firstRow - 1, first.number)
    } else {
      (earlier, writer.number) = (record.plan.rows ?? 0, record.plan.blocks ?? record.plan.low)
      known.isAtEnd = true
    }
    guard earlier > 0 else { return }
    while rowsRead < earlier {
      guard let row = try await next() else { throw changed("it has fewer rows than were imported") }
      try await remember(row)
      if rowsRead % 4096 == 0 { await Task.yield() }
    }
    guard rowsRead != record.plan.rows || total.value == record.plan.digest else {
      throw changed("its rows are not those that were imported")
    }
  }

  /// Compares a row with the block that it is planned in. Returns false for a row behind all blocks.
  private func pass(_ row: SourceRecord) async throws -> Bool {
    guard let expected = try await nextKnown() else { return false }
    try await remember(row)
    known.fingerprints.append(row.fingerprint)
    guard known.fingerprints.count == expected.rows else { return true }
    let rows = known.fingerprints.map { BlockRow(number: 0, fingerprint: $0) }
    guard PlannedBlock.digest(of: rows) == expected.digest else {
      throw changed("one of the rows \(expected.firstRow) to \(row.number) differs from the row planned before")
    }
    known.fingerprints = []
    known.blocks.removeFirst()
    writer.number = expected.number + 1
    return true
  }

  private func nextKnown() async throws -> KnownBlock? {
    if known.blocks.isEmpty, !known.isAtEnd {
      let found = try await imports.knownBlocks(after: writer.number - 1)
      known.blocks = found[...]
      known.isAtEnd = found.isEmpty
    }
    return known.blocks.first
  }

  /// Later drafts may depend on this one.
  private func remember(_ row: SourceRecord) async throws {
    guard source.draftsDependOnEarlier || dedupe.field != nil else { return }
    if case .task(let draft) = try await source.draft(of: row) { _ = dedupe.isRepeated(draft) }
  }

  private func changed(_ reason: String) -> ImportError {
    ImportError(
      kind: .sourceChanged,
      message: "\(record.identity.source) has changed since its import began: \(reason)",
      hint: "nothing more was planned. Bring the old file back to continue with it; or import with --resume no "
        + "(resume = \"no\" in a script), which imports every row as new")
  }

  /// Other machines settle the rows: nobody knows the task of a parent.
  private func demandNoParent(of draft: TaskDraft, _ row: SourceRecord) throws(ImportError) {
    areNamed = areNamed || source.hasSourceIDs || draft.sourceID != nil
    guard areNamed, keepsParents, let parent = draft.fields[TaskField.parent.rawValue] else { return }
    throw .sharedParents(record.identity.sourceName, "\(row.place) names its parent \(parent.encoded())")
  }

  // MARK: New rows

  private func add(_ row: SourceRecord) async throws {
    if isDone {
      try await imports.reopen()
      isDone = false
    }
    var planned = BlockRow(number: row.number, line: row.line, fingerprint: row.fingerprint)
    var state = RowState.pending
    var failure: JournalFailure?
    switch try await source.draft(of: row) {
    case .task(let draft) where dedupe.isRepeated(draft): state = .skipped
    case .task(let draft):
      try demandNoParent(of: draft, row)
      planned.draft = draft
      planned.original = row.original?.encoded()
    case .skipped: state = .skipped
    case .unusable(let code, let reason, let text):
      state = .failed
      failure = JournalFailure(
        RowFailure(row: row.number, line: row.line, reason: reason, code: code, text: text, original: row.original))
    }
    try await writer.add(planned, state, failure)
  }
}

/// Leaves out rows whose value in a field a task or an earlier row has.
struct Dedupe {
  /// Nil to leave out none.
  let field: String?
  /// The hashes of the values.
  var values: Set<UInt64> = []

  /// Returns true if the task is to be left out. Otherwise its value is known from now on.
  mutating func isRepeated(_ draft: TaskDraft) -> Bool {
    guard let field, let value = draft.value(of: field) else { return false }
    return !values.insert(StableHash.of(value)).inserted
  }
}
