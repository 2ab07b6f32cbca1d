import Glibc
import HostLoop
import SQLite

extension ImportJournal {
  /// `b2c-run/imports` under `$XDG_STATE_HOME`, else under `~/.local/state`.
  /// - Parameter variable: looks up an environment variable.
  package nonisolated static func standardFolder(
    variable: (String) -> String? = { getenv($0).map { String(cString: $0) } }
  ) throws(ImportError) -> String {
    try JournalFiles.standardFolder(variable: variable)
  }

  /// Opens the identity's journal in `folder`, and makes both when there is none.
  ///
  /// Throws `journal_held`, `journal_too_new`, `journal_foreign`, `journal_damaged`, `journal_full` or
  /// `journal_unusable`; what was found is left as it is.
  /// - Parameter now: Unix seconds.
  package static func open(
    _ identity: ImportIdentity, in folder: String, now: @escaping @Sendable () -> Int = { time(nil) }
  ) async throws(ImportError) -> ImportJournal {
    try JournalFiles.make(folder: folder)
    return try await open(identity, file: file(of: identity, in: folder), now: now)
  }

  /// Where the identity's journal is in `folder`, if there is one.
  package nonisolated static func file(of identity: ImportIdentity, in folder: String) -> String {
    "\(folder)/\(identity.fileName)\(JournalFiles.suffix)"
  }

  /// Opens that file, or makes it. A journal of another account or API is refused with `journal_mismatch`; that the
  /// source has another name does not matter, because its rows are compared.
  package static func open(
    _ identity: ImportIdentity, file: String, now: @escaping @Sendable () -> Int = { time(nil) }
  ) async throws(ImportError) -> ImportJournal {
    try JournalSchema.checkHeader(of: file)
    let lock = try lock(file, identity, now())
    do {
      let database = try Connection(path: file)
      return try start(database, identity, lock, path: file, now)
    } catch {
      throw .journal(error, file)
    }
  }

  /// A journal that is gone with the process. Its memory is bounded: what is much goes to a file without a name.
  package static func inMemory(
    _ identity: ImportIdentity, now: @escaping @Sendable () -> Int = { time(nil) }
  ) async throws(ImportError) -> ImportJournal {
    do {
      return try start(Connection.temporary(), identity, nil, path: nil, now)
    } catch {
      throw .journal(error, "")
    }
  }

  private static func lock(_ file: String, _ identity: ImportIdentity, _ now: Int) throws(ImportError) -> JournalLock {
    switch try JournalLock.take(journal: file, now: now) {
    case .taken(let lock): return lock
    case .held(let holder): throw .journalHeld(file, identity.sourceName, by: holder, now: now)
    }
  }

  private static func start(
    _ database: sending Connection, _ identity: ImportIdentity, _ lock: JournalLock?, path: String?,
    _ now: @escaping @Sendable () -> Int
  ) throws -> ImportJournal {
    var record = JournalRecord(identity, now: now())
    var counts = JournalCounts()
    // A log of 16 MiB is taken over at a time: each takeover waits for the disk.
    try database.executeScript("PRAGMA wal_autocheckpoint = 4000; PRAGMA synchronous = NORMAL")
    if try JournalSchema.prepare(database) {
      try record.insert(database)
    } else if let found = try JournalRecord.read(database) {
      (record, counts) = found
      try record.adopt(identity, path: path ?? "")
    } else {
      throw ImportError.journalDamaged(path ?? "", "it does not say what it is about")
    }
    let keys = try database.query("SELECT row, key FROM carried").map { (Int($0[0].integer ?? 0), $0[1].text ?? "") }
    let store = try JournalStore(database, record, counts, now: now)
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
    return ImportJournal(
      thread, record, Dictionary(uniqueKeysWithValues: keys), path: path, isNew: isNew, ended: ended)
  }
}

extension JournalRecord {
  /// Takes the names of the run that begins. Throws `journal_mismatch` when it is about another account or API.
  fileprivate mutating func adopt(_ new: ImportIdentity, path: String) throws(ImportError) {
    guard identity.account == new.account, identity.api == new.api else {
      let what = identity.api == new.api ? "account \(identity.accountName)" : "API \(identity.api)"
      throw ImportError(
        kind: .journalMismatch,
        message: "the journal \(path) is that of an import of \(identity.sourceName) for the \(what)",
        hint: "give this import a file of its own with --journal", details: ["path": path])
    }
    identity = new
  }
}
