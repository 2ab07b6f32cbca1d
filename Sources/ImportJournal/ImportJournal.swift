import Core
import Databases
package import Files
import Glibc
package import HostLoop
package import ImportEngine
package import ImportFormats

/// The fate of each row of an import, in a file that outlives a crash and a power cut. A row is written before it is
/// sent (`willSend`), and again when its fate is known (`settle`). If a run finds a row sent and not settled, it has to
/// find out the fate of that row. The journal has its own thread for writing.
@HostActor
package final class ImportJournal {
  package nonisolated let path: String?
  /// True if it had no rows when it was opened; see `goOn`.
  package private(set) var isNew: Bool
  let thread: JournalThread
  /// The record after everything handed to the thread is written.
  var record: JournalRecord
  /// The beginnings of the idempotency keys of rows that were sent before the source changed.
  var carriedKeys: [Int: String]
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
    // Does nothing after `close`.
    thread.queue.end()
  }

  /// Lets a further run of the same process go on with the rows of the one before.
  package func goOn() { isNew = false }

  /// A random ID, the same in every run. `startAnew` and a match change it.
  package var id: String { record.id }

  /// The beginning of the row's idempotency key, the same in every run: `<id>-<row>`. A row that was sent before the
  /// source changed keeps the ID and the number it had then.
  package func keyStem(of row: Int) -> String { carriedKeys[row] ?? "\(record.id)-\(row)" }

  /// The summary of everything written so far. After `flush`, that is everything.
  package var summary: JournalSummary {
    JournalSummary(path: path, record: record, counts: thread.counts.withLock { $0 })
  }

  /// True if the journal's hashes of contents do not include lengths; see `StableHash`.
  package var hasOldHashes: Bool { record.version <= JournalSchema.lastWithoutLengths }

  /// The known rows in order of their number. A row has to be read before it is written.
  package func knownRows() throws(ImportError) -> any KnownRowReader { KnownRows(thread) }

  /// Begins to compare the rows with those of a changed source.
  package func match() async throws(ImportError) -> JournalMatch { try await JournalMatch(self) }

  /// Writes rows that are about to be sent. They are on the disk when it returns; when it throws, none of them may be
  /// sent. A row of unknown fate keeps that state when it is sent again.
  package func willSend(_ rows: [JournalRow]) async throws(ImportError) {
    record.finishedRows = nil
    thread.queue.add(.send(rows))
    try await flush()
  }

  /// Writes the outcome of a row within some milliseconds, and does not wait for that. If it could not be written, the
  /// next `willSend` or `flush` throws the reason.
  package func settle(_ row: JournalRow, _ outcome: RowOutcome) {
    switch outcome {
    case .failed(let failure), .unsettled(let failure):
      let bytes = failure.failure.text.utf8.count + (failure.content?.utf8.count ?? 0)
      thread.queue.add(.settle(row, outcome), bytes: bytes)
    default: thread.queue.add(.settle(row, outcome))
    }
  }

  /// Waits until everything handed over so far is on the disk.
  package func flush() async throws(ImportError) { try await flush(isDurable: true) }

  /// - Parameter isDurable: true if the data have to survive a power cut, not only the end of the process.
  private func flush(isDurable: Bool) async throws(ImportError) {
    let error = await withCheckedContinuation { continuation in
      thread.queue.flush(isDurable: isDurable) { continuation.resume(returning: $0) }
    }
    if let error { throw error }
  }

  /// Records that the source was read to its end and that all its rows are settled.
  package func finish(rows: Int) async throws(ImportError) {
    change { $0.finishedRows = rows }
    try await flush()
  }

  /// The rows that failed or are unsettled, in order of their number, as written so far.
  package func failures() async throws(ImportError) -> JournalFailures {
    try await flush()
    return JournalFailures { [thread] row throws(ImportError) in
      try thread.read { try JournalFailures.first(after: row, in: $0.database, $0.path) } ?? nil
    }
  }

  /// Forgets all rows and the tasks before them, so that everything is imported once more. The facts about the API are
  /// kept. If it throws or is cut off, nothing has changed.
  package func startAnew() async throws(ImportError) {
    let id = ImportID.random()
    record = try await ask(isDurable: true) { store in
      store.forgetRows(newID: id)
      return store.record
    }
    carriedKeys = [:]
  }

  /// True if the API honors `Idempotency-Key`; nil while that is not known.
  package var honorsIdempotencyKey: Bool? { record.honorsIdempotencyKey }

  package func setHonorsIdempotencyKey(_ honors: Bool) {
    if record.honorsIdempotencyKey != honors { change { $0.honorsIdempotencyKey = honors } }
  }

  package var hasBaseline: Bool { record.baselineTotal != nil }

  /// Returns the known tasks with these hashes of texts; nil without a baseline. Texts without a task are left out.
  package func knownTasks(of hashes: Set<UInt64>) async throws(ImportError) -> KnownTasks? {
    guard let total = record.baselineTotal else { return nil }
    return try await ask { store in
      KnownTasks(
        before: try store.baselineCounts(of: hashes), totalBefore: total, added: try store.addedCounts(of: hashes),
        totalAdded: store.counts[.added], lost: try store.lostCounts(of: hashes))
    }
  }

  /// Writes the tasks before the import, in place of an earlier count: their number, and the number of each text. It
  /// writes batch by batch, so that a list of any length takes little memory.
  package func setBaseline(total: Int, counts: [UInt64: Int]) async throws(ImportError) {
    change { $0.baselineTotal = nil }
    thread.queue.add(
      .work { store in
        store.record.digests.baseline = 0
        store.gather { try $0.execute("DELETE FROM baseline") }
      })
    var batch: [UInt64] = []
    for (hash, count) in counts {
      batch += repeatElement(hash, count: count)
      if batch.count >= 4096 {
        try await ask { [batch] in $0.addToBaseline(batch) }
        batch.removeAll()
      }
    }
    try await ask { [batch] in $0.addToBaseline(batch) }
    change { $0.baselineTotal = total }
    try await flush()
  }

  /// Changes the record here and, in its turn, on the thread.
  private func change(_ change: @escaping @Sendable (inout JournalRecord) -> Void) {
    change(&record)
    thread.queue.add(
      .work { store in
        change(&store.record)
        store.gather()
      })
  }

  /// Has the thread do some work, after everything handed to it before, and returns its result.
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
    // The wait ends early when the task is canceled; the thread continues to its end.
    _ = try? await ended.value()
  }

  /// `b2c-run/imports` under `$XDG_STATE_HOME`, else `~/.local/state`; `variable` looks up environment variables.
  package nonisolated static func standardFolder(
    variable: (String) -> String? = { getenv($0).map { String(path: $0) } }
  ) throws(ImportError) -> String {
    if let folder = UserFolder.state.path(variable) { return "\(folder)/imports" }
    throw .journalUnusable(
      "there is no place for the journal of the import: neither XDG_STATE_HOME nor HOME is an absolute path",
      hint: "set HOME, or give a file with --journal", path: "")
  }

  /// Opens the identity's journal in `folder`, and makes both if they do not exist. Throws `journal_held`,
  /// `journal_too_new`, `journal_foreign`, `journal_damaged`, `journal_full` or `journal_unusable`; an existing file is
  /// not changed then.
  /// - Parameters:
  ///   - replacesDamaged: gives a damaged journal another name, and begins a new one.
  ///   - now: Unix seconds.
  package static func open(
    _ identity: ImportIdentity, in folder: String, replacesDamaged: Bool = false,
    now: @escaping @Sendable () -> Int = { time(nil) }
  ) async throws(ImportError) -> ImportJournal {
    try JournalFiles.make(folder: folder)
    return try await open(
      identity, file: OutputPlace(file(of: identity, in: folder)), replacesDamaged: replacesDamaged, now: now)
  }

  /// Makes the folder of journals, if it is not there.
  package nonisolated static func make(folder: String) throws(ImportError) { try JournalFiles.make(folder: folder) }

  /// The file with the copy of the plan whose rows the journal in `file` has.
  package nonisolated static func planFile(of file: String) -> String { file + JournalFiles.planEnding }

  package nonisolated static func file(of identity: ImportIdentity, in folder: String) -> String {
    "\(folder)/\(identity.fileName)\(JournalFiles.suffix)"
  }

  /// Opens the journal in that file, or makes one. A journal of another account or API is refused with
  /// `journal_mismatch`; the source may have another name, because its rows are compared.
  /// - Parameter id: the ID of a new journal, from which its idempotency keys come; nil for a random one.
  package static func open(
    _ identity: ImportIdentity, file: OutputPlace, id: String? = nil, replacesDamaged: Bool = false,
    now: @escaping @Sendable () -> Int = { time(nil) }
  ) async throws(ImportError) -> ImportJournal {
    let place = try JournalFiles.place(file)
    let path = place.path
    // A file that is no journal gets no files beside it.
    do { _ = try JournalSchema.checkHeader(of: place) } catch  where error.kind == .journalDamaged && replacesDamaged {}
    let lock: JournalLock
    switch try JournalLock.take(place, now: now()) {
    case .taken(let taken): lock = taken
    case .held(let holder): throw .journalHeld(path, identity.sourceName, by: holder, now: now())
    }
    do {
      let opened: OpenedJournal
      do { opened = try OpenedJournal(place, identity, id: id, now: now()) } catch {
        let error = ImportError.journal(error, path)
        guard replacesDamaged, error.kind == .journalDamaged else { throw error }
        JournalFiles.replaceDamaged(place)
        opened = try OpenedJournal(place, identity, id: id, now: now())
      }
      return try start(opened, lock, path: path, now)
    } catch { throw .journal(error, path) }
  }

  /// True if a journal or a remaining part of a journal exists.
  package nonisolated static func exists(at place: OutputPlace) -> Bool {
    guard let place = try? JournalFiles.place(place) else { return false }
    return place.status() != nil || place.status(JournalSeal.ending) != nil
  }

  /// A journal that is gone with the process. Its memory is bounded: large data go to a file without a name.
  package static func inMemory(
    _ identity: ImportIdentity, now: @escaping @Sendable () -> Int = { time(nil) }
  ) async throws(ImportError) -> ImportJournal {
    do { return try start(OpenedJournal(temporary: identity, now: now()), nil, path: nil, now) } catch {
      throw .journal(error, "")
    }
  }

  static func start(
    _ opened: sending OpenedJournal, _ lock: JournalLock?, path: String?, _ now: @escaping @Sendable () -> Int
  ) throws -> ImportJournal {
    opened.seal?.hold()
    let record = opened.record
    let keys = try opened.database.query("SELECT row, key FROM carried").map {
      (Int($0[0].integer ?? 0), $0[1].text ?? "")
    }
    let store = try JournalStore(opened.database, record, opened.counts, seal: opened.seal, now: now)
    let isNew = store.isEmpty
    let ended = CancellableWait<Void>()
    let thread = JournalThread(
      store, freeReserve: { lock?.freeReserve() ?? false },
      onEnd: {
        lock?.release()
        HostActor.task { ended.finish(.success(())) }
      })
    guard thread.start() else {
      throw ImportError.journalUnusable(
        "the journal cannot be written: the system has no thread left", hint: "end other programs and try again",
        path: path ?? "")
    }
    return ImportJournal(thread, record, Dictionary(keys) { first, _ in first }, path: path, isNew: isNew, ended: ended)
  }
}
