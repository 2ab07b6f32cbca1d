import HostLoop
import TaskAPI

/// Reads rows ahead of the workers, and journals them before the first of them is sent.
@HostActor
final class Intake {
  /// The hashes of the values of `dedupe` that tasks have already.
  var values: Set<UInt64> = []
  /// The error that the source threw behind the rows that were read.
  private(set) var problem: (any Error)?
  let source: any RowSource
  let state: RunState
  let ledger: RowLedger
  let settlement: Settlement
  let keys: IdempotencyKeys
  private let gate: Gate
  /// The rows that the journal knows, in the order of the source, after a match.
  private var matched: KnownRows?
  /// How many rows were settled, and when, as the last block was begun.
  private var lastBlock = (settled: 0, time: 0.0)
  private var hasToldFirst = false

  private static let blockSeconds = 0.05
  private static let largestBlock = 2048

  init(
    _ source: any RowSource, _ state: RunState, _ ledger: RowLedger, _ settlement: Settlement, _ gate: Gate,
    _ keys: IdempotencyKeys
  ) {
    self.source = source
    self.state = state
    self.ledger = ledger
    self.settlement = settlement
    self.gate = gate
    self.keys = keys
  }

  /// Goes on where earlier runs ended.
  func resume() async throws {
    // A match has just compared all of the source.
    if state.options.resume == .match { matched = try ledger.journal.knownRows() } else { try await resumeKnownRows() }
  }

  /// Reads until the source ends, the import stops, or the list has to be read for rows of unknown fate.
  func read() async throws {
    while !state.isStopping, !ledger.queue.sourceHasEnded, !settlement.isFull, !settlement.isDue {
      var block = Block()
      do { try await read(&block) } catch {
        // The rows before the error are good: they are sent, and then the import ends.
        problem = error
        ledger.queue.sourceHasEnded = true
      }
      try await ledger.enqueue(block.rows, journaling: block.journalRows)
      ledger.report.total += block.rows.count + block.withheld.count
      for (record, draft) in block.withheld { try await ledger.withhold(record, draft) }
      // A stop in the meantime has woken the intake already, and nobody will again.
      if !state.isStopping, !settlement.isDue { await ledger.queue.waitForRoom(below: block.rows.count / 2) }
    }
  }

  /// Reads every row and reports what would be done.
  func check() async throws {
    ledger.report.unsent += ledger.queue.drain().count
    while !state.isStopping, let record = try await source.next() {
      ledger.report.total += 1
      let draft = try await draft(of: record)
      if case .task = draft { ledger.report.unsent += 1 } else { try await ledger.withhold(record, draft) }
      await yield(at: record.number)
    }
  }

  /// Rows that are journaled together. Each block costs a write to the disk that has to be over before the first of its
  /// rows is sent; meanwhile the block before is being sent. After a power cut all rows of a block have to be looked up,
  /// so a block holds no more than a moment's work.
  private struct Block {
    var rows: [QueuedRow] = []
    /// Rows that are not sent.
    var withheld: [(record: SourceRecord, draft: RowDraft)] = []
    var journalRows: [JournalRow] = []
    var textSize = 0

    /// Bounds the memory for long texts.
    private static let largestText = 1 << 20

    func isFull(_ size: Int) -> Bool { journalRows.count >= size || textSize >= Self.largestText }
  }

  private func read(_ block: inout Block) async throws {
    let size = blockSize()
    while !state.isStopping, !block.isFull(size) {
      guard let record = try await source.next() else {
        ledger.queue.sourceHasEnded = true
        return
      }
      let known = try matched?.next()
      if let known {
        guard known.fingerprint == record.fingerprint else {
          throw ImportError.sourceChanged(at: record, ledger.journal.summary)
        }
        if try await pass(known, record) {
          await yield(at: record.number)
          continue
        }
      }
      tellFirst(record.number)
      if let known, !isFree(known) {
        try await resume(record, known, &block)
        continue
      }
      let draft = try await draft(of: record)
      guard case .task(let task) = draft else {
        block.withheld.append((record, draft))
        block.journalRows.append(record.journalRow)
        continue
      }
      let row = QueuedRow(record, task)
      block.rows.append(row)
      block.journalRows.append(row.journalRow)
      block.textSize += task.text.utf8.count
    }
  }

  /// Resumes a matched row that was sent before and is not settled.
  private func resume(_ record: SourceRecord, _ known: KnownRow, _ block: inout Block) async throws {
    let draft = isUnwanted(known) ? .skipped : try await source.draft(of: record)
    guard case .task(let task) = draft else { return block.withheld.append((record, draft)) }
    ledger.report.total += 1
    _ = isRepeated(task)
    resume(QueuedRow(record, task), known)
  }

  /// The draft that the source makes of a record; skipped if a task with the same value of `dedupe` is there already.
  private func draft(of record: SourceRecord) async throws -> RowDraft {
    let draft = try await source.draft(of: record)
    if case .task(let task) = draft, isRepeated(task) { return .skipped }
    return draft
  }

  /// Returns whether `dedupe` leaves the task out. Otherwise `dedupe` leaves out the next task with the same value.
  func isRepeated(_ task: TaskDraft) -> Bool {
    guard let field = state.options.dedupe, let value = task.value(of: field) else { return false }
    return !values.insert(StableHash.of(value)).inserted
  }

  /// As many rows as are sent in a moment, by the pace since the last block. If nobody could tell afterwards what became
  /// of them, no more rows than are about to be sent.
  private func blockSize() -> Int {
    let (time, settled) = (state.now, ledger.report.settled)
    let rate = time > lastBlock.time ? Double(settled - lastBlock.settled) / (time - lastBlock.time) : 0
    lastBlock = (settled, time)
    let canBeSettled = keys.areHonored == true || ledger.journal.baselineTotal != nil
    return min(Self.largestBlock, max(2 * gate.window.limit, canBeSettled ? Int(rate * Self.blockSeconds) : 0))
  }

  private func tellFirst(_ number: Int) {
    guard !ledger.isNew, !hasToldFirst else { return }
    hasToldFirst = true
    if ledger.report.resumedAt == nil { ledger.report.resumedAt = number }
    guard ledger.report.addedBefore > 0 else { return }
    state.emit(.notice("going on at row \(number): \(counted(ledger.report.addedBefore, "task")) added before"))
  }

  /// Lets the screen and Ctrl-C have their turn now and then.
  func yield(at number: Int) async { if number % 4096 == 0 { await Task.yield() } }
}
