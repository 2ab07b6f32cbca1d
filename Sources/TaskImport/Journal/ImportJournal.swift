package import HostLoop

/// The fate of each row of an import, in a file that outlives a crash and a power cut.
///
/// A row is written before it is sent (`willSend`), and again when its fate is known (`settle`). If a run finds a row sent
/// and not settled, it has to find out the fate of that row. A thread of the journal's own writes.
@HostActor
package final class ImportJournal {
  /// The file; nil for a journal in memory.
  package nonisolated let path: String?
  /// True if nothing was known when it was opened.
  package nonisolated let isNew: Bool
  let thread: JournalThread
  /// The record as it is when everything handed to the thread is written.
  var record: JournalRecord
  /// The beginnings of the idempotency keys of rows that were sent before the source changed.
  var carriedKeys: [Int: String]
  /// Waits for the thread's end.
  private let ended: CancellableWait<Void>
  private var isClosed = false

  init(
    _ thread: JournalThread, _ record: JournalRecord, _ carriedKeys: [Int: String], path: String?, isNew: Bool,
    ended: CancellableWait<Void>
  ) {
    self.thread = thread
    self.record = record
    self.carriedKeys = carriedKeys
    self.path = path
    self.isNew = isNew
    self.ended = ended
  }

  deinit {
    // Nothing happens if it was closed.
    thread.queue.end()
  }

  /// Random, the same in every run. `startAnew` and a match change it.
  package var id: String { record.id }

  /// The beginning of the row's idempotency key, the same in every run: `<id>-<row>`. A row that was sent before the
  /// source changed keeps the ID and the number it had then.
  package func keyStem(of row: Int) -> String { carriedKeys[row] ?? "\(record.id)-\(row)" }

  /// The summary of what has been written: after `flush`, of everything.
  package var summary: JournalSummary {
    JournalSummary(path: path, record: record, counts: thread.counts.withLock { $0 })
  }

  /// True if the journal's hashes of contents do not include lengths; see `StableHash`.
  var hasOldHashes: Bool { record.version <= JournalSchema.lastWithoutLengths }

  // MARK: Rows

  /// The known rows in order of their number. A row has to be read before it is written.
  package func knownRows() throws(ImportError) -> KnownRows { KnownRows(thread) }

  /// Writes rows that are about to be sent. They are on the disk when it returns; when it throws, none of them may be
  /// sent. A row whose fate is unknown stays so, also when it is sent again.
  package func willSend(_ rows: [JournalRow]) async throws(ImportError) {
    record.finishedRows = nil
    thread.queue.add(.send(rows))
    try await flush()
  }

  /// Writes the outcome of a row within some milliseconds, and does not wait for that. If it could not be written, the next
  /// `willSend` or `flush` throws the reason.
  package func settle(_ row: JournalRow, _ outcome: RowOutcome) {
    switch outcome {
    case .failed(let failure), .unsettled(let failure):
      let bytes = failure.failure.text.utf8.count + (failure.content?.utf8.count ?? 0)
      thread.queue.add(.settle(row, outcome), bytes: bytes)
    default: thread.queue.add(.settle(row, outcome))
    }
  }

  /// Waits until everything said by now is on the disk.
  package func flush() async throws(ImportError) { try await flush(isDurable: true) }

  /// - Parameter isDurable: true if it is to outlive the machine, not the process alone.
  func flush(isDurable: Bool) async throws(ImportError) {
    let error = await withCheckedContinuation { continuation in
      thread.queue.flush(isDurable: isDurable) { continuation.resume(returning: $0) }
    }
    if let error { throw error }
  }

  /// The source has been read to its end, and all its rows are settled.
  package func finish(rows: Int) async throws(ImportError) {
    change { $0.finishedRows = rows }
    try await flush()
  }

  /// The rows that failed or are unsettled, in order of their number, as written by now.
  package func failures() async throws(ImportError) -> JournalFailures {
    try await flush()
    return JournalFailures { [thread] row throws(ImportError) in
      try thread.read { try JournalFailures.first(after: row, in: $0.database, $0.path) } ?? nil
    }
  }

  /// Forgets all rows, and the tasks there were before them: everything is to be imported once more. What is known of the
  /// API is kept. If it throws or is cut off, nothing has changed.
  package func startAnew() async throws(ImportError) {
    let id = JournalRecord.randomID()
    record = try await ask(isDurable: true) { store in
      store.forgetRows(newID: id)
      return store.record
    }
    carriedKeys = [:]
  }

  // MARK: The API

  /// True if the API honors `Idempotency-Key`; nil while that is not known.
  package var honorsIdempotencyKey: Bool? { record.honorsIdempotencyKey }

  package func setHonorsIdempotencyKey(_ honors: Bool) {
    if record.honorsIdempotencyKey != honors { change { $0.honorsIdempotencyKey = honors } }
  }

  // MARK: The thread

  /// Changes the record here and, in its turn, on the thread.
  func change(_ change: @escaping @Sendable (inout JournalRecord) -> Void) {
    change(&record)
    thread.queue.add(
      .work { store in
        change(&store.record)
        store.gather()
      })
  }

  /// Has the thread do some work, after everything handed to it by now, and returns its result.
  func ask<Answer: Sendable>(
    isDurable: Bool = false, _ work: @escaping @Sendable (JournalStore) throws -> Answer
  ) async throws(ImportError) -> Answer {
    let answer = Locked<Answer?>(nil)
    thread.queue.add(
      .work { store in
        let found = try work(store)
        answer.withLock { $0 = found }
      })
    try await flush(isDurable: isDurable)
    guard let found = answer.withLock({ $0 }) else {
      throw .journalUnusable("the journal is closed", hint: "open it again", path: path ?? "")
    }
    return found
  }

  /// Writes everything, closes the file and gives up the lock. Errors are not reported: call `flush` before, if they matter.
  package func close() async {
    guard !isClosed else { return }
    isClosed = true
    thread.queue.end()
    // The wait ends early when the task is canceled; the thread goes on to its end by itself.
    _ = try? await ended.value()
  }
}
