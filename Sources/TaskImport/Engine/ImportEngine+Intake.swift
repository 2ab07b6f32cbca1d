import HostLoop
import TaskAPI

/// Reading rows ahead of the workers.
extension ImportEngine {
  /// Reads until the source ends, the import stops, or so many rows are of unknown fate that the list has to be asked.
  func takeIn(_ source: any RowSource) async throws {
    while stopReason == nil, !sourceHasEnded, unknown.count < Self.mostUnknown, !mustSettle {
      var block = Block()
      do {
        try await read(&block, from: source)
      } catch {
        // What stands before it is good: it is sent, and then the import ends.
        sourceError = error
        sourceHasEnded = true
      }
      try await journal.willSend(block.journalRows)
      report.total += block.rows.count + block.others.count
      queue.append(block.rows)
      admit()
      for (record, draft) in block.others { try await settle(record, draft) }
      // A stop meanwhile has already asked for more, and nobody will again.
      if stopReason == nil, !mustSettle { await queue.room(below: block.rows.count / 2) }
    }
  }

  /// Rows that are journalled together. Each block costs a write to disk that has to be over before the first of its rows
  /// goes out; meanwhile the block before is being sent. What is in a block when the power goes has to be looked up
  /// afterwards, so that it holds no more than a moment's work.
  private struct Block {
    var rows: [QueuedRow] = []
    /// Those that are not to be sent.
    var others: [(record: SourceRecord, draft: RowDraft)] = []
    var journalRows: [JournalRow] = []
    var textSize = 0

    /// Long texts are not to fill the memory.
    private static let largestText = 1 << 20

    func isFull(_ size: Int) -> Bool { journalRows.count >= size || textSize >= Self.largestText }
  }

  private func read(_ block: inout Block, from source: any RowSource) async throws {
    let size = blockSize()
    while stopReason == nil, !block.isFull(size) {
      guard let record = try await source.next() else {
        sourceHasEnded = true
        return
      }
      let known = try matched?.next()
      if let known {
        guard known.fingerprint == record.fingerprint else {
          throw ImportError.sourceChanged(at: record, journal.summary)
        }
        if isDone(known) {
          try await replay(known, record, source)
          // The screen and Ctrl-C have their turn.
          if record.number % 4096 == 0 { await Task.yield() }
          continue
        }
      }
      noteFirst(record.number)
      if let known, !isFree(known) {
        try await takeUp(known, record, &block, source)
        continue
      }
      let draft = try await draft(of: record, in: source)
      guard case .task(let task) = draft else {
        block.others.append((record, draft))
        block.journalRows.append(record.journalRow)
        continue
      }
      let row = QueuedRow(record, task)
      block.rows.append(row)
      block.journalRows.append(row.journalRow)
      block.textSize += task.text.utf8.count
    }
  }

  /// Takes up a row that was sent before and is not settled.
  private func takeUp(
    _ known: KnownRow, _ record: SourceRecord, _ block: inout Block, _ source: any RowSource
  ) async throws {
    let draft = isUnwanted(known) ? .skipped : try await source.draft(of: record)
    guard case .task(let task) = draft else {
      block.others.append((record, draft))
      return
    }
    report.total += 1
    takeUp(QueuedRow(record, task), known)
  }

  /// What the source makes of a record, unless a task like it is there already.
  func draft(of record: SourceRecord, in source: any RowSource) async throws -> RowDraft {
    let draft = try await source.draft(of: record)
    guard case .task(let task) = draft, let field = options.dedupe, let value = task.value(of: field) else {
      return draft
    }
    return existing.insert(StableHash.of(value)).inserted ? draft : .skipped
  }

  /// A row that is not sent at all.
  func settle(_ record: SourceRecord, _ draft: RowDraft) async throws {
    switch draft {
    case .task: break
    case .skipped:
      report.skipped += 1
      settle(record.journalRow, .skipped)
    case .unusable(let code, let reason, let text):
      let row = QueuedRow(record, TaskDraft(text: text))
      try await fail(row.failure(code: code, reason: reason), row)
    }
  }

  /// As many rows as are sent in a moment, by the pace since the last block; where nobody could tell afterwards what
  /// became of them, no more than are about to go out.
  private func blockSize() -> Int {
    let time = now
    let (settledThen, then) = lastBlock
    lastBlock = (report.settled, time)
    let rate = time > then ? Double(report.settled - settledThen) / (time - then) : 0
    let canBeSettled = honorsKeys == true || journal.baselineTotal != nil
    return min(Self.largestBlock, max(2 * window.limit, canBeSettled ? Int(rate * Self.blockSeconds) : 0))
  }

  private func noteFirst(_ number: Int) {
    guard !isNew, !hasNotedFirst else { return }
    hasNotedFirst = true
    if report.resumedAt == nil { report.resumedAt = number }
    guard report.addedBefore > 0 else { return }
    onNotice?("going on at row \(number): \(counted(report.addedBefore, "task")) added before")
  }

  // MARK: Without sending

  /// Reads every row and says what would be done.
  func check(_ source: any RowSource) async throws {
    report.unsent += queue.drain().count
    var count = 0
    while stopReason == nil, let record = try await source.next() {
      report.total += 1
      let draft = try await draft(of: record, in: source)
      if case .task = draft { report.unsent += 1 } else { try await settle(record, draft) }
      count += 1
      // The screen and Ctrl-C have their turn.
      if count % 4096 == 0 { await Task.yield() }
    }
  }
}

extension ImportEngine {
  private static let blockSeconds = 0.05
  private static let largestBlock = 2048
  static let mostUnknown = 256
}
