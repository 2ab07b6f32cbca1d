import Databases
import HostLoop
import ImportEngine
import ImportFormats
import TaskAPI

/// The journal of the blocks that this worker has claimed, in a database that several machines share. Before a row is
/// sent, the database has an intent for it: with idempotency keys the claim itself, otherwise the number of rows up to
/// it. Outcomes are written within a second, and at the end of each block.
@HostActor
final class BlockJournal: RowJournal, ImportHistory {
  private let imports: PatientImports
  /// Writes outcomes, while `imports` claims and writes intents.
  private let outcomes: PatientImports
  private let record: SharedImport
  let worker: String
  private var blocks = ClaimedBlocks()
  private(set) var honorsIdempotencyKey: Bool?
  /// The tasks that were there and that were added, when nobody else works on the import any more.
  private var known: KnownTasks?
  /// The error after which nothing is written any more.
  private var failure: ImportError?
  private var writing: Task<Void, any Error>?
  private var bell: CancellableWait<Void>?
  private var hasEnded = false
  private let signals: SharedSignals?

  init(
    _ imports: PatientImports, _ record: SharedImport, worker: String, outcomes: PatientImports,
    known: KnownTasks? = nil, _ signals: SharedSignals? = nil
  ) {
    self.imports = imports
    self.outcomes = outcomes
    self.record = record
    self.worker = worker
    self.known = known
    self.signals = signals
    honorsIdempotencyKey = record.server.honorsKey
  }

  /// The claimed blocks by their numbers.
  var held: [Int: HeldBlock] { blocks.held }

  func hold(_ new: [HeldBlock]) { for block in new { blocks.held[block.number] = block } }

  // MARK: RowJournal

  /// Rows of earlier claims come with their fate from the source.
  var earlier: (any EarlierRuns)? { nil }
  var names: (any NamedRows)? { nil }

  func keyStem(of row: Int) -> String { "\(record.id)-\(row)" }

  func willSend(_ rows: [JournalRow]) async throws(ImportError) {
    if let failure { throw failure }
    var intents: [Int: Int] = [:]
    for row in rows {
      guard let block = blocks.block(ofRow: row.row) else { throw .fenced(imports.place) }
      block.willSend(row: row.row)
      intents[block.number] = max(intents[block.number] ?? block.intent, row.row - block.firstRow + 1)
    }
    let grown = intents.filter { $0.value > held[$0.key]?.intent ?? .max }.sorted { $0.key < $1.key }
    let changed = grown.compactMap { held[$0.key] }
    guard !changed.isEmpty else { return }
    do { try await imports.writeIntents(changed, grown.map(\.value), for: worker) } catch { throw lost(error) }
    for (block, intent) in zip(changed, grown.map(\.value)) { block.intent = intent }
  }

  func settle(_ row: JournalRow, _ outcome: RowOutcome) {
    guard let block = blocks.block(ofRow: row.row) else { return }
    switch outcome {
    case .addedAs:
      known?.totalAdded += 1
      known?.added[row.textHash, default: 0] += 1
      close(block, row, .added)
    case .skipped: close(block, row, .skipped)
    case .failed(let failure): close(block, row, .failed, failure)
    case .unsettled(let failure): close(block, row, .unsettled, failure)
    case .notSent: block.wasNotSent(row: row.row)
    // It is sent again. If this worker dies before that, the row is looked up once more.
    case .absent: break
    }
  }

  func leaveUnknown(_ row: JournalRow) {
    if let block = blocks.block(ofRow: row.row) { close(block, row, .sent) }
  }

  private func close(_ block: HeldBlock, _ row: JournalRow, _ state: RowState, _ failure: JournalFailure? = nil) {
    block.close(row: row.row, state, failure)
    if block.open == 0 { ring() }
  }

  func flush() async throws(ImportError) {
    if let failure { throw failure }
  }

  func setHonorsIdempotencyKey(_ honors: Bool) {
    guard honorsIdempotencyKey != honors else { return }
    honorsIdempotencyKey = honors
    HostActor.task { [imports] in try await imports.setHonorsKey(honors) }
  }

  var hasBaseline: Bool { record.server.baselineTotal != nil }

  func knownTasks(of hashes: Set<UInt64>) async throws(ImportError) -> KnownTasks? { known }

  func setBaseline(total: Int, counts: [UInt64: Int]) async throws(ImportError) {
    do { try await imports.setBaseline(total: total, counts: counts) } catch { throw lost(error) }
  }

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
    var left = held.values.filter { $0.open == 0 || isLast || $0.isDirty }.sorted { $0.number < $1.number }
    while !left.isEmpty {
      let part = left.prefix(Self.mostBlocks)
      left.removeFirst(part.count)
      let outcomes = part.map { block in
        let end: SharedImports.Outcome.End = block.open == 0 ? .done : isLast ? .free : .claimed
        return SharedImports.Outcome(
          number: block.number, epoch: block.epoch, states: block.states, failures: block.takeFailures(), end: end)
      }
      for block in part { block.isDirty = false }
      do {
        let written = try await self.outcomes.write(outcomes, for: worker)
        for outcome in outcomes {
          // A block that was given back may be somebody else's, and its repeated write changes nothing.
          if !written.contains(outcome.number), outcome.end != .free { throw ImportError.fenced(imports.place) }
          if outcome.end != .claimed { blocks.held[outcome.number] = nil }
        }
      } catch {
        fail(lost(error))
        return
      }
    }
    blocks.forgetLast()
  }

  private func lost(_ error: any Error) -> ImportError {
    let error = (error as? ImportError) ?? .unusable(imports.place, error)
    if error.kind == .fenced { fail(error) }
    return error
  }

  /// Writes nothing any more. The held blocks are forgotten: others have them, or take them over.
  func fail(_ error: ImportError) {
    guard failure == nil else { return }
    failure = error
    ring()
    signals?.yield(.fenced(error, worker: worker))
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

/// The blocks that a worker has claimed.
@HostActor
private struct ClaimedBlocks {
  /// The blocks by their numbers.
  var held: [Int: HeldBlock] = [:]
  /// The last block that was used: rows of one block come one after the other.
  private var last: HeldBlock?

  mutating func block(ofRow row: Int) -> HeldBlock? {
    if let last, last.contains(row: row) { return last }
    last = held.values.first { $0.contains(row: row) }
    return last
  }

  mutating func forgetLast() { last = nil }
}
