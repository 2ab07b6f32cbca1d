import Databases
package import Files
import Glibc
import HostLoop
package import ImportEngine
package import ImportFormats

extension ImportJournal {
  /// Opens a copy of the journal in that file. The copy is gone with the process, and nothing is written to the file: for a run that
  /// only looks at its result. It throws what `open` throws.
  package static func copy(_ identity: ImportIdentity, file: OutputPlace) async throws(ImportError) -> ImportJournal {
    let now: @Sendable () -> Int = { time(nil) }
    let place = try JournalFiles.place(file)
    let lock: JournalLock
    switch try JournalLock.take(place, now: now()) {
    case .taken(let taken): lock = taken
    case .held(let holder): throw .journalHeld(place.path, identity.sourceName, by: holder, now: now())
    }
    defer { lock.release() }
    do {
      return try start(OpenedJournal(copying: OpenedJournal(place, identity, now: now())), nil, path: nil, now)
    } catch { throw .journal(error, place.path) }
  }
}
