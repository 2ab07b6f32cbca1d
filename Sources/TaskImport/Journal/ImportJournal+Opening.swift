package import Files
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

  /// The path of the identity's journal in `folder`.
  package nonisolated static func file(of identity: ImportIdentity, in folder: String) -> String {
    "\(folder)/\(identity.fileName)\(JournalFiles.suffix)"
  }

  /// Opens the journal in that file, or makes one. A journal of another account or API is refused with `journal_mismatch`;
  /// the source may have another name, because its rows are compared.
  package static func open(
    _ identity: ImportIdentity, file: OutputPlace, replacesDamaged: Bool = false,
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
      do { opened = try OpenedJournal(place, identity, now: now()) } catch {
        let error = ImportError.journal(error, path)
        guard replacesDamaged, error.kind == .journalDamaged else { throw error }
        JournalFiles.replaceDamaged(place)
        opened = try OpenedJournal(place, identity, now: now())
      }
      return try start(opened, lock, path: path, now)
    } catch {
      throw .journal(error, path)
    }
  }

  /// True if there is a journal, or what is left of one.
  package nonisolated static func exists(at place: OutputPlace) -> Bool {
    guard let place = try? JournalFiles.place(place) else { return false }
    return place.status() != nil || place.status(JournalSeal.ending) != nil
  }

  /// A journal that is gone with the process. Its memory is bounded: what is much goes to a file without a name.
  package static func inMemory(
    _ identity: ImportIdentity, now: @escaping @Sendable () -> Int = { time(nil) }
  ) async throws(ImportError) -> ImportJournal {
    do {
      return try start(OpenedJournal(temporary: identity, now: now()), nil, path: nil, now)
    } catch {
      throw .journal(error, "")
    }
  }

  private static func start(
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
    return ImportJournal(
      thread, record, Dictionary(keys) { first, _ in first }, path: path, isNew: isNew, ended: ended)
  }
}
