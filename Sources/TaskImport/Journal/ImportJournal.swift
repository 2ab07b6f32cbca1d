package import HostLoop

/// What an import did and is about to do, row by row, in a file that outlives a crash and a power cut.
///
/// A row is written down before it is sent (`willSend`), and again when its fate is known (`settle`). A run that finds a
/// row sent and not settled knows that its fate is to be found out. Writing is done by a thread of the journal's own.
@HostActor
package final class ImportJournal {
  /// The file; nil for a journal in memory.
  package nonisolated let path: String?
  /// Whether nothing was known when it was opened.
  package nonisolated let isNew: Bool
  let thread: JournalThread
  /// As it stands when everything handed to the thread is written.
  var record: JournalRecord
  /// Rows whose idempotency keys begin as before the source changed.
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
    // Nothing happens when it was closed.
    thread.queue.end()
  }

  /// Random, the same in every run. `startAnew` and a match change it.
  package var id: String { record.id }

  /// When the journal was made or started anew, in Unix seconds.
  package var created: Int { record.created }

  /// What the row's idempotency key begins with, the same in every run: `<id>-<row>`, for a row that was sent before the
  /// source changed with the ID and the number it had then.
  package func keyStem(of row: Int) -> String { carriedKeys[row] ?? "\(record.id)-\(row)" }

  /// The counts are those of what has been written: after `flush`, of everything.
  package var summary: JournalSummary {
    JournalSummary(path: path, record: record, counts: thread.counts.withLock { $0 })
  }

  /// Whether its hashes of contents are without lengths, see `StableHash`.
  var hasOldHashes: Bool { record.version <= JournalSchema.lastWithoutLengths }

  // MARK: Rows

  /// What is known of the rows, in order of their number. A row is to be read before it is written.
  package func knownRows() throws(ImportError) -> KnownRows { KnownRows(thread) }

  /// Writes down rows that are about to be sent. They are on the disk when it returns; when it throws, none of them may
  /// be sent. A row whose fate is unknown stays what it is, also when it is sent again.
  package func willSend(_ rows: [JournalRow]) async throws(ImportError) {
    record.finishedRows = nil
    thread.queue.add(.send(rows))
    try await flush()
  }

  /// Writes down what became of a row, within some milliseconds; does not wait for it. Why it could not be written is
  /// thrown by the next `willSend` or `flush`.
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

  /// - Parameter isDurable: whether it is to outlive the machine, not the process alone.
  func flush(isDurable: Bool) async throws(ImportError) {
    let error = await withCheckedContinuation { continuation in
      thread.queue.flush(isDurable: isDurable) { continuation.resume(returning: $0) }
    }
    if let error { throw error }
  }

  /// The source has been read to its end, all its rows are settled.
  /// - Parameter rows: how many it has.
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

  // MARK: A changed source

  /// Begins to compare the rows with those of a changed source.
  package func match() async throws(ImportError) -> JournalMatch { try await JournalMatch(self) }

  /// Forgets all rows, and what there was before them: everything is to be imported once more. What is known of the API is
  /// kept. Either all of that happens or, when it throws or is cut off, nothing.
  package func startAnew() async throws(ImportError) {
    let id = JournalRecord.randomID()
    let result = Locked<JournalRecord?>(nil)
    thread.queue.add(
      .work { store in
        store.forgetRows(newID: id)
        let record = store.record
        result.withLock { $0 = record }
      })
    try await flush()
    if let found = result.withLock({ $0 }) { record = found }
    carriedKeys = [:]
  }

  // MARK: The API

  /// Whether the API honors `Idempotency-Key`; nil while that has not been found out.
  package var honorsIdempotencyKey: Bool? { record.honorsIdempotencyKey }

  package func setHonorsIdempotencyKey(_ honors: Bool) {
    if record.honorsIdempotencyKey != honors { change { $0.honorsIdempotencyKey = honors } }
  }

  /// Changes the record here and, in its turn, on the thread.
  func change(_ change: @escaping @Sendable (inout JournalRecord) -> Void) {
    change(&record)
    thread.queue.add(
      .work { store in
        change(&store.record)
        store.gather()
      })
  }

  // MARK: The end

  /// Writes what is gathered, closes the file and gives up the lock. What could not be written is lost without a word:
  /// call `flush` before, where that matters.
  package func close() async {
    guard !isClosed else { return }
    isClosed = true
    thread.queue.end()
    // The wait ends early when the task is canceled; the thread goes on to its end by itself.
    _ = try? await ended.value()
  }
}
