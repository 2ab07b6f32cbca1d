import Databases
import HostLoop
import TaskAPI

/// The journal of the blocks that this worker has claimed, in a database that several machines share. Before a row is
/// sent, the database has an intent for it: with idempotency keys the claim itself, otherwise the number of rows up to
/// it. Outcomes are written within a second, and at the end of each block.
@HostActor
final class BlockJournal: RowJournal {
  private let imports: SharedImports
  /// Writes outcomes, while `imports` claims and writes intents.
  private let outcomes: SharedImports
  let record: SharedImport
  let worker: String
  private let patience: DatabasePatience
  /// The claimed blocks by their numbers.
  private(set) var held: [Int: HeldBlock] = [:]
  /// The last block that was asked for: rows of one block come one after the other.
  private var last: HeldBlock?
  private(set) var honorsIdempotencyKey: Bool?
  /// The tasks that were there and that were added, when nobody else works on the import any more.
  private let settled: SettledFacts?
  /// Counts of this worker.
  private(set) var counts = BlockCounts()
  /// The error after which nothing is written any more.
  private var failure: ImportError?
  private var writing: Task<Void, any Error>?
  private var bell: CancellableWait<Void>?
  private var hasEnded = false
  /// Called once if the blocks are others' now.
  var onFailure: @HostActor (ImportError) -> Void = { _ in }

  /// The known facts about texts, for the settlement.
  struct SettledFacts {
    var baselineTotal: Int?
    var baseline: [UInt64: Int]
    var addedTotal: Int
    var added: [UInt64: Int]
  }

  init(
    _ imports: SharedImports, _ record: SharedImport, worker: String, _ patience: DatabasePatience,
    outcomes: SharedImports, settled: SettledFacts? = nil
  ) {
    self.imports = imports
    self.outcomes = outcomes
    self.record = record
    self.worker = worker
    self.patience = patience
    self.settled = settled
    honorsIdempotencyKey = record.honorsIdempotencyKey
    addedCount = settled?.addedTotal ?? 0
    addedTexts = settled?.added ?? [:]
  }

  func hold(_ blocks: [HeldBlock]) { for block in blocks { held[block.number] = block } }

  func block(ofRow row: Int) -> HeldBlock? {
    if let last, last.contains(row: row) { return last }
    last = held.values.first { $0.contains(row: row) }
    return last
  }

  // MARK: RowJournal

  /// Rows of earlier claims come with their fate from the source.
  let isNew = true
  let hasOldHashes = false

  var summary: JournalSummary {
    var summary = JournalSummary(
      shortID: String(record.id.prefix(8)), path: nil, identity: record.identity, created: record.created,
      updated: record.updated)
    (summary.added, summary.failed) = (counts.added, counts.failed)
    return summary
  }

  func keyStem(of row: Int) -> String { "\(record.id)-\(row)" }

  func knownRows() throws(ImportError) -> KnownRows { KnownRows(nil) }

  func willSend(_ rows: [JournalRow]) async throws(ImportError) {
    if let failure { throw failure }
    var intents: [Int: Int] = [:]
    for row in rows {
      guard let block = block(ofRow: row.row) else { throw .fenced(imports.place) }
      block.willSend(row: row.row)
      intents[block.number] = max(intents[block.number] ?? block.intent, row.row - block.firstRow + 1)
    }
    let grown = intents.filter { $0.value > held[$0.key]?.intent ?? .max }.sorted { $0.key < $1.key }
    let blocks = grown.compactMap { held[$0.key] }
    guard !blocks.isEmpty else { return }
    do {
      try await patience.repeating {
        try await self.imports.writeIntents(blocks, grown.map(\.value), self.record.id, worker: self.worker)
      }
    } catch { throw lost(error) }
    for (block, intent) in zip(blocks, grown.map(\.value)) { block.intent = intent }
  }

  func settle(_ row: JournalRow, _ outcome: RowOutcome) {
    guard let block = block(ofRow: row.row) else { return }
    switch outcome {
    case .added:
      counts.added += 1
      addedCount += 1
      if settled != nil { addedTexts[row.textHash, default: 0] += 1 }
      close(block, row, .added)
    case .skipped:
      counts.skipped += 1
      close(block, row, .skipped)
    case .failed(let failure):
      counts.failed += 1
      close(block, row, .failed, failure)
    case .unsettled(let failure):
      counts.unsettled += 1
      close(block, row, .unsettled, failure)
    case .notSent: block.wasNotSent(row: row.row)
    // It is sent again. If this worker dies before that, the row is looked up once more.
    case .absent: break
    }
  }

  func leaveUnknown(_ row: JournalRow) {
    counts.unknown += 1
    if let block = block(ofRow: row.row) { close(block, row, .sent) }
  }

  private func close(_ block: HeldBlock, _ row: JournalRow, _ state: RowState, _ failure: JournalFailure? = nil) {
    block.close(row: row.row, state, failure)
    if block.open == 0 { ring() }
  }

  func flush() async throws(ImportError) {
    if let failure { throw failure }
  }

  func finish(rows: Int) async throws(ImportError) {}

  func startAnew() async throws(ImportError) {}

  func setHonorsIdempotencyKey(_ honors: Bool) {
    guard honorsIdempotencyKey != honors else { return }
    honorsIdempotencyKey = honors
    let id = record.id
    HostActor.task { [imports, patience] in try await patience.repeating { try await imports.setHonorsKey(honors, id) }
    }
  }

  private(set) var addedCount: Int
  private var addedTexts: [UInt64: Int]

  func addedCounts(of hashes: Set<UInt64>) async throws(ImportError) -> [UInt64: Int] {
    addedTexts.filter { hashes.contains($0.key) }
  }

  var baselineTotal: Int? { settled == nil ? record.baselineTotal : settled?.baselineTotal }

  func baselineCounts(of hashes: Set<UInt64>) async throws(ImportError) -> [UInt64: Int] {
    settled?.baseline.filter { hashes.contains($0.key) } ?? [:]
  }

  func setBaseline(total: Int, counts: [UInt64: Int]) async throws(ImportError) {
    do {
      try await patience.repeating { try await self.imports.setBaseline(self.record.id, total: total, counts: counts) }
    } catch { throw lost(error) }
  }

  /// The source of a shared import has not changed, or its planner has refused it.
  func lostCounts(of hashes: Set<UInt64>) async throws(ImportError) -> [UInt64: Int] { [:] }

  // MARK: Writing

  /// Writes outcomes until `close`.
  func begin() { writing = HostActor.task { [weak self] in while let self, try await self.writeOnce() {} } }

  /// Waits for ended blocks, or a second, and writes. Returns false after the end.
  private func writeOnce() async throws -> Bool {
    if !hasEnded, !held.values.contains(where: { $0.open == 0 }) {
      let wait = CancellableWait<Void>()
      bell = wait
      let timer = HostLoop.shared.schedule(after: Self.pause) { wait.finish(.success(())) }
      try await wait.value()
      HostLoop.shared.cancel(timer)
      bell = nil
    }
    if failure != nil { return false }
    let isLast = hasEnded
    try await write(isLast: isLast)
    return !isLast
  }

  /// The longest time in seconds until outcomes are written.
  private static let pause = 1.0
  /// The most blocks of one statement.
  private static let mostBlocks = 32

  private func ring() { bell?.finish(.success(())) }

  private func write(isLast: Bool) async throws {
    var blocks = held.values.filter { $0.open == 0 || isLast || $0.isDirty }.sorted { $0.number < $1.number }
    while !blocks.isEmpty {
      let part = blocks.prefix(Self.mostBlocks)
      blocks.removeFirst(part.count)
      let outcomes = part.map { block in
        let end: SharedImports.Outcome.End = block.open == 0 ? .done : isLast ? .free : .claimed
        return SharedImports.Outcome(
          number: block.number, epoch: block.epoch, states: block.states, failures: block.takeFailures(), end: end)
      }
      for block in part { block.isDirty = false }
      do {
        let written = try await patience.repeating {
          try await self.outcomes.write(outcomes, self.record.id, worker: self.worker)
        }
        for outcome in outcomes {
          // A block that was given back may be somebody else's, and its repeated write changes nothing.
          if !written.contains(outcome.number), outcome.end != .free { throw ImportError.fenced(imports.place) }
          if outcome.end != .claimed { held[outcome.number] = nil }
        }
      } catch {
        fail(lost(error))
        return
      }
    }
    last = nil
  }

  private func lost(_ error: any Error) -> ImportError {
    let error = ImportError.journal(error, imports.place)
    if error.kind == .fenced { fail(error) }
    return error
  }

  /// Writes nothing any more. The held blocks are forgotten: others have them, or take them over.
  func fail(_ error: ImportError) {
    guard failure == nil else { return }
    failure = error
    ring()
    onFailure(error)
  }

  /// Writes everything and gives blocks back that are not done.
  func close() async throws {
    hasEnded = true
    ring()
    _ = await writing?.result
    writing = nil
    if let failure { throw failure }
  }
}
