import HostLoop
import ImportFormats
import TaskAPI

/// Reads rows ahead of the workers, and journals them before the first of them is sent.
@HostActor
final class Intake {
  /// The hashes of the values of `dedupe` that tasks have already.
  var values: Set<UInt64> = []
  /// The error of the source behind the rows that were read.
  private(set) var problem: (any Error)?
  let source: any RowSource
  let state: RunState
  let ledger: RowLedger
  let settlement: Settlement
  let parents: Parents
  private let gate: Gate
  let lists: RowLists
  private var service: any TaskService { lists.service }
  /// The rows that the journal knows, in the order of the source, after a match.
  private var matched: (any KnownRowReader)?
  private var lastBlock = (settled: 0, time: 0.0)
  private var hasTold = (first: false, unkept: false)

  private static let blockSeconds = 0.05
  private static let largestBlock = 2048
  /// The rows that are read before the first is sent, to show the fields that the service does not keep.
  private static let lookahead = 256

  init(
    _ source: any RowSource, _ state: RunState, _ ledger: RowLedger, _ settlement: Settlement, _ gate: Gate,
    _ service: any TaskService
  ) {
    self.source = source
    self.state = state
    self.ledger = ledger
    self.settlement = settlement
    self.gate = gate
    lists = RowLists(service, state)
    parents = Parents(source, service, ledger)
  }

  func resume() async throws {
    try parents.begin()
    // A match has just compared all of the source.
    if state.options.resume == .match {
      matched = try ledger.earlier?.knownRows()
    } else {
      try await resumeKnownRows()
    }
  }

  func read() async throws {
    while !state.isStopping, !ledger.queue.sourceHasEnded, !settlement.isFull, !settlement.isDue,
      !ledger.queue.isCrowded
    {
      let block = try await nextBlock()
      lists.isBeginning = false
      try await ledger.enqueue(block.rows, journaling: block.rows.map(\.journalRow) + block.journalRows)
      for (row, draft) in block.withheld { try await ledger.withhold(row, draft) }
      // A stop in the meantime has woken the intake already; nothing wakes it again.
      if !state.isStopping, !settlement.isDue { await ledger.queue.waitForRoom(below: block.rows.count / 2) }
    }
  }

  /// The next rows of the source; after its end, the next rows that have waited for their parents.
  private func nextBlock() async throws -> Block {
    var block = Block()
    if parents.areAllRead {
      try await readPostponed(&block)
      return block
    }
    do { try await read(&block) } catch {
      // The rows before the error are good: they are sent, and then the import ends.
      problem = error
      ledger.queue.sourceHasEnded = true
    }
    ledger.report.total += block.rows.count + block.withheld.count
    let postponed = try await parents.place(block.rows, block.withheld.map(\.row))
    if !postponed.isEmpty { block.rows.removeAll { postponed.contains($0.number) } }
    return block
  }

  private func readPostponed(_ block: inout Block) async throws {
    for waiting in try await parents.next(blockSize()) {
      // Rows of earlier runs were read before the tasks on the server were.
      if waiting.isResumed, isRepeated(waiting.row.draft) {
        ledger.skipped(waiting.row)
      } else {
        block.rows.append(waiting.row)
      }
    }
    if ledger.families.postponed == 0 { ledger.queue.sourceHasEnded = true }
  }

  /// Reads every row and reports what would be done.
  func check(_ onChecked: (@HostActor (SourceRecord, RowDraft) throws -> Void)?) async throws {
    for row in ledger.queue.drain() {
      ledger.report.unsent += 1
      try onChecked?(row.record, .task(row.draft))
    }
    while !state.isStopping, let record = try await source.next() {
      await yield(at: record.number)
      let known = try matched?.next()
      if let known, try await pass(known, record) { continue }
      ledger.report.total += 1
      tellUnkeptColumns()
      let draft = try await draft(of: record)
      try onChecked?(record, draft)
      let row = row(record, draft)
      guard case .task(let task) = draft else {
        try await parents.check(row, isTask: false)
        try await ledger.withhold(row, draft)
        continue
      }
      try await parents.check(row, isTask: true)
      if let known, !isFree(known) {
        resume(row, known)
        continue
      }
      ledger.report.unsent += 1
      try ledger.noteLosses(ofUnsent: task, record, service)
    }
    if !state.isStopping { try await parents.checked(ledger.noteLostParent) }
  }

  /// The row of a record, with the name that the source has for it.
  func row(_ record: SourceRecord, _ draft: RowDraft) -> QueuedRow {
    var task: TaskDraft
    switch draft {
    case .task(let made): task = made
    case .skipped: task = TaskDraft(text: "")
    case .unusable(_, _, let text): task = TaskDraft(text: text)
    }
    task.sourceID = task.sourceID ?? source.sourceID(of: record)
    return QueuedRow(record, task)
  }

  /// Rows that are journaled together by one write to the disk. It ends before the first of them is sent; meanwhile the
  /// block before is sent. After a power cut, all rows of a block are looked up, so blocks are small.
  private struct Block {
    var rows: [QueuedRow] = []
    var withheld: [(row: QueuedRow, draft: RowDraft)] = []
    /// The rows among `withheld` that are to be journaled.
    var journalRows: [JournalRow] = []
    var textSize = 0

    private static let largestText = 1 << 20

    var isEmpty: Bool { rows.isEmpty && withheld.isEmpty }
    func isFull(_ size: Int) -> Bool { rows.count + journalRows.count >= size || textSize >= Self.largestText }
  }

  private func read(_ block: inout Block) async throws {
    let size = blockSize()
    while !state.isStopping, !block.isFull(size), block.isEmpty || source.isReady {
      guard let record = try await source.next() else {
        parents.areAllRead = true
        return
      }
      let known = try matched?.next() ?? source.known(record)
      if let known {
        guard known.fingerprint == record.fingerprint else {
          throw ImportError.sourceChanged(at: record, ledger.earlier?.source ?? "the source")
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
      let row = row(record, draft)
      guard case .task(let task) = draft else {
        block.withheld.append((row, draft))
        block.journalRows.append(row.withheldRow)
        continue
      }
      block.rows.append(row)
      block.textSize += task.text.utf8.count
    }
  }

  /// Resumes a matched row that was sent before and is not settled.
  private func resume(_ record: SourceRecord, _ known: KnownRow, _ block: inout Block) async throws {
    let draft = isUnwanted(known) ? .skipped : try await source.draft(of: record)
    let row = row(record, draft)
    guard case .task(let task) = draft else { return block.withheld.append((row, draft)) }
    ledger.report.total += 1
    _ = isRepeated(task)
    try await parents.placeSent([row])
    resume(row, known)
  }

  private func draft(of record: SourceRecord) async throws -> RowDraft {
    let draft = try await source.draft(of: record)
    guard case .task(let task) = draft else { return draft }
    do {
      let unkept = try service.unkept(of: task)
      if !unkept.isEmpty || !task.unread.isEmpty { ledger.tellLosses(task, unkept, record) }
    } catch {
      return .unusable(
        code: error.code, reason: error.message + (error.hint.map { "; \($0)" } ?? ""), text: task.text)
    }
    if let refusal = try await lists.refusal(of: task, record) { return refusal }
    return isRepeated(task) ? .skipped : draft
  }

  /// Returns whether `dedupe` leaves the task out. Otherwise `dedupe` leaves out the next task with the same value.
  func isRepeated(_ task: TaskDraft) -> Bool {
    guard let field = state.options.dedupe, let value = task.value(of: field) else { return false }
    return !values.insert(StableHash.of(value)).inserted
  }

  /// The number of rows sent in a moment, by the pace since the last block. If the fate of rows could not be found out
  /// later, the block has only the rows that are about to be sent.
  private func blockSize() -> Int {
    let (time, settled) = (state.now, ledger.report.settled)
    let rate = time > lastBlock.time ? Double(settled - lastBlock.settled) / (time - lastBlock.time) : 0
    lastBlock = (settled, time)
    let canBeSettled = ledger.keys.areHonored == true || ledger.history.hasBaseline
    let least = 2 * gate.window.limit * service.batchSize
    let isFirst = ledger.report.settled == 0 && state.options.keys.areHonored == true
    return min(
      Self.largestBlock,
      max(least, isFirst ? Self.lookahead : 0, canBeSettled ? Int(rate * Self.blockSeconds) : 0))
  }

  private func tellUnkeptColumns() {
    if hasTold.unkept { return }
    hasTold.unkept = true
    // Only the columns of a table tell before the first row.
    ledger.tellUnkept(service.unkept(among: source.table == nil ? [] : source.fields ?? []))
  }

  private func tellFirst(_ number: Int) {
    if hasTold.first { return }
    hasTold.first = true
    tellUnkeptColumns()
    guard ledger.earlier != nil else { return }
    if ledger.report.resumed.at == nil { ledger.report.resumed.at = number }
    guard ledger.report.addedBefore > 0 else { return }
    state.emit(.notice("continuing at row \(number): \(counted(ledger.report.addedBefore, "task")) added before"))
  }

  /// Lets the screen and Ctrl-C take their turn.
  func yield(at number: Int) async { if number % 4096 == 0 { await Task.yield() } }
}
