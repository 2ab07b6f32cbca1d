import Databases
import HostLoop
import JSON
import TaskAPI

/// Reads a source and makes blocks of its rows. One machine at a time plans an import; it may be another one after each
/// interruption. Blocks that are there already are compared with the source.
@HostActor
final class BlockPlanner {
  private let imports: SharedImports
  private let record: SharedImport
  private let source: any RowSource
  private let lease: Lease
  private let patience: DatabasePatience
  private let dedupe: String?
  /// The hashes of the values of `dedupe` that tasks or earlier rows have.
  private var values: Set<UInt64>
  /// Called when blocks were added.
  var onBlocks: @HostActor () -> Void = {}
  /// The rows of the last blocks that were added, for this machine's own claims.
  private(set) var recent: [Int: [BlockRow]] = [:]
  /// Some megabytes.
  private static let mostRecent = 64
  /// The blocks that are not done yet, at the last look.
  var openBlocks: @HostActor () -> Int = { 0 }
  /// The rows a second of this machine, so that a block takes at most two seconds.
  var pace: @HostActor () -> Double = { 0 }
  private(set) var rowsRead = 0
  private var known = KnownBlocks()
  private var block: [BlockRow] = []
  private var states: [RowState] = []
  private var failures: [JournalFailure] = []
  private var textSize = 0
  private var number = 0
  private var ready: [PlannedBlock] = []
  private var total = StableHash()
  private var lastWrite = HostLoop.uptime
  /// True while the import has ended, and no row has come since.
  private var isDone = false

  /// The most rows of a block, and the fewest unless the source ends.
  private static let mostRows = SharedImports.mostRows
  private static let fewestRows = 20
  private static let largestText = 1 << 20
  /// The most blocks that wait to be worked on.
  static let lookAhead = 5000
  /// The most blocks of one write, and the longest time in seconds until a block is written.
  private static let mostReady = 16
  private static let longestWait = 0.2

  private struct KnownBlocks {
    var blocks: ArraySlice<KnownBlock> = []
    var fingerprints: [UInt64] = []
    var isAtEnd = false
  }

  init(
    _ imports: SharedImports, _ record: SharedImport, _ source: any RowSource, _ lease: Lease,
    _ patience: DatabasePatience, dedupe: String?, values: Set<UInt64>
  ) {
    self.imports = imports
    self.record = record
    self.source = source
    self.lease = lease
    self.patience = patience
    self.dedupe = dedupe
    self.values = values
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
    closeBlock()
    // Nothing has come since the import ended.
    guard !isDone else { return }
    try await write()
    try await patience.repeating {
      try await self.imports.endPlan(
        self.record.id, blocks: self.number, rows: self.rowsRead, digest: self.total.value, self.lease)
    }
    onBlocks()
  }

  /// The blocks were claimed.
  func forget(_ blocks: [HeldBlock]) {
    for block in blocks { recent[block.number] = nil }
    // Others have claimed what is far behind.
    if let first = blocks.first?.number { for number in recent.keys where number < first { recent[number] = nil } }
  }

  // MARK: Rows that are planned already

  /// The next row of the source, which is counted.
  private func next() async throws -> SourceRecord? {
    guard let row = try await source.next() else { return nil }
    rowsRead += 1
    withUnsafeBytes(of: row.fingerprint.littleEndian) { if let base = $0.baseAddress { total.add(base, 8) } }
    return row
  }

  /// Reads the rows that the source had when the import ended before. Their blocks are gone; those of rows that have come
  /// since are behind them.
  private func passEarlierRows() async throws {
    let first = try await patience.repeating { try await self.imports.knownBlocks(self.record.id, after: -1, limit: 1) }
    isDone = record.state == .done
    let earlier: Int
    if !isDone, let first = first.first {
      (earlier, number) = (first.firstRow - 1, first.number)
    } else {
      (earlier, number) = (record.rows ?? 0, record.planned ?? record.low)
      known.isAtEnd = true
    }
    guard earlier > 0 else { return }
    while rowsRead < earlier {
      guard let row = try await next() else { throw changed("it has fewer rows than were imported") }
      try await remember(row)
      if rowsRead % 4096 == 0 { await Task.yield() }
    }
    guard rowsRead != record.rows || total.value == record.digest else {
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
    number = expected.number + 1
    return true
  }

  private func nextKnown() async throws -> KnownBlock? {
    if known.blocks.isEmpty, !known.isAtEnd {
      let found = try await patience.repeating { [number] in
        try await self.imports.knownBlocks(self.record.id, after: number - 1)
      }
      known.blocks = found[...]
      known.isAtEnd = found.isEmpty
    }
    return known.blocks.first
  }

  /// Later drafts may depend on this one.
  private func remember(_ row: SourceRecord) async throws {
    guard source.draftsDependOnEarlier || dedupe != nil else { return }
    if case .task(let draft) = try await source.draft(of: row) { _ = isRepeated(draft) }
  }

  private func changed(_ reason: String) -> ImportError {
    ImportError(
      kind: .sourceChanged,
      message: "\(record.identity.source) has changed since its import began: \(reason)",
      hint: "nothing more was planned. Bring the old file back to continue with it; or import with resume = \"no\" "
        + "(--resume no), which imports every row as new")
  }

  // MARK: New rows

  private func isRepeated(_ draft: TaskDraft) -> Bool {
    guard let dedupe, let value = draft.value(of: dedupe) else { return false }
    return !values.insert(StableHash.of(value)).inserted
  }

  private func add(_ row: SourceRecord) async throws {
    if isDone {
      try await patience.repeating { try await self.imports.reopen(self.record.id) }
      isDone = false
    }
    var planned = BlockRow(number: row.number, line: row.line, fingerprint: row.fingerprint)
    var state = RowState.pending
    switch try await source.draft(of: row) {
    case .task(let draft) where isRepeated(draft): state = .skipped
    case .task(let draft):
      planned.draft = draft
      planned.original = row.original?.encoded()
      textSize += draft.text.utf8.count + (planned.original?.utf8.count ?? 0)
    case .skipped: state = .skipped
    case .unusable(let code, let reason, let text):
      state = .failed
      failures.append(
        JournalFailure(
          RowFailure(row: row.number, line: row.line, reason: reason, code: code, text: text, original: row.original)))
    }
    block.append(planned)
    states.append(state)
    if block.count >= size || textSize >= Self.largestText { closeBlock() }
    if ready.count >= Self.mostReady || HostLoop.uptime - lastWrite > Self.longestWait { try await write() }
  }

  /// The number of rows of the next block.
  private var size: Int {
    let pace = pace()
    // Nothing is known before the first second: small blocks first, for all machines.
    guard pace > 0 else { return number < 64 ? 100 : Self.mostRows }
    return min(Self.mostRows, max(Self.fewestRows, Int(pace * 2)))
  }

  private func closeBlock() {
    guard !block.isEmpty else { return }
    ready.append(
      PlannedBlock(
        number: number, rows: block, states: states, failures: failures, digest: PlannedBlock.digest(of: block)))
    number += 1
    (block, states, failures, textSize) = ([], [], [], 0)
  }

  private func write() async throws {
    lastWrite = HostLoop.uptime
    guard !ready.isEmpty else { return }
    let blocks = ready
    ready = []
    try await patience.repeating { try await self.imports.add(blocks, to: self.record.id, self.lease) }
    for block in blocks where recent.count < Self.mostRecent { recent[block.number] = block.rows }
    onBlocks()
    while openBlocks() > Self.lookAhead { try await HostLoop.shared.sleep(seconds: 0.5) }
  }
}
