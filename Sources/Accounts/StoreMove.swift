import Databases
import Files
import Glibc

/// Moves the user's account store, with its keys, out of the folder where earlier versions kept it.
/// A store is moved as a whole and only while no process has it open: SQLite's own locks say so, and the lock for opening
/// keeps other processes from it meanwhile. Each file gets its new name before it loses its old one, the database last: a
/// crash at any point leaves a whole store in one of the two folders, and the next process goes on from there.
struct StoreMove {
  let earlier: String
  let folder: String

  /// Moves the store if there is one to be moved. Returns the folder to use, and what there is to tell of it.
  func run() throws(AccountError) -> (folder: String, note: StoreNote?) {
    guard !FileSystem.areOne(earlier, folder) else { return (folder, nil) }
    removeMovedKeys()
    guard FileSystem.exists(oldStore, followsLink: false) else { return (folder, nil) }
    guard !FileSystem.exists(newStore, followsLink: false) || FileSystem.areOne(oldStore, newStore, followsLink: false)
    else {
      // A link that somebody made from one place to the other is no second store.
      return (folder, FileSystem.areOne(oldStore, newStore) ? nil : .another(earlier, used: folder))
    }
    do throws(Obstacle) {
      guard let locks = try? LockFile(path: "\(earlier)/accounts.lock") else {
        throw Obstacle("its folder is read-only")
      }
      guard AccountStore.waitToOpen(locks) else { throw Obstacle(Self.busy) }
      defer { locks.unlock(0) }
      // Another process may have moved it meanwhile.
      guard FileSystem.exists(oldStore, followsLink: false) else { return (folder, nil) }
      try move()
    } catch {
      // Whatever is wrong with the store itself, its opening says.
      return (earlier, .staysPut(earlier, instead: folder, reason: error.reason))
    }
    return (folder, .moved(from: earlier, to: folder))
  }

  private func move() throws(Obstacle) {
    let names = keyNames
    for name in ["accounts.sqlite"] + names { try checkOrdinary("\(earlier)/\(name)") }
    try closeLog()
    for name in names { try link(name) }
    try link("accounts.sqlite")
    PrivateFolder.synchronize(folder)
    FileSystem.unlink(oldStore)
    removeMovedKeys()
    PrivateFolder.synchronize(earlier)
  }

  /// Makes the database one file, which works only while nobody else has it open.
  private func closeLog() throws(Obstacle) {
    let mode: String?
    do {
      let database = try SQLiteConnection(path: oldStore, busyTimeout: 0, mustExist: true)
      mode = try database.first("PRAGMA journal_mode = DELETE")?[0].text
    } catch { throw Obstacle(error.kind == .busy ? Self.busy : error.message) }
    guard mode == "delete" else { throw Obstacle(Self.busy) }
  }

  /// Gives the file its new name besides its old one; never in place of another file.
  private func link(_ name: String) throws(Obstacle) {
    let (old, new) = ("\(earlier)/\(name)", "\(folder)/\(name)")
    guard FileSystem.link(old, new) != 0 else { return }
    let code = errno
    if code == EEXIST, FileSystem.areOne(old, new, followsLink: false) { return }
    throw Obstacle("\(new): \(String(cString: strerror(code)))")
  }

  /// Takes the old names from keys that have their new ones: all that is left to do after a crash.
  private func removeMovedKeys() {
    guard FileSystem.exists(newStore, followsLink: false) else { return }
    for name in keyNames where FileSystem.areOne("\(earlier)/\(name)", "\(folder)/\(name)", followsLink: false) {
      if !FileSystem.exists(oldStore, followsLink: false) { FileSystem.unlink("\(earlier)/\(name)") }
    }
  }

  /// A link stays where somebody made it, and so does the store with it.
  private func checkOrdinary(_ path: String) throws(Obstacle) {
    guard let status = FileSystem.status(of: path, followsLink: false), status.st_mode & S_IFMT == S_IFREG,
      status.st_uid == geteuid()
    else { throw Obstacle("\(path) is not an ordinary file of yours") }
  }

  private var keyNames: [String] {
    let names = (try? FileSystem.names(in: earlier)) ?? []
    return names.filter { $0.hasPrefix("accounts-") && $0.hasSuffix(".key") }.sorted()
  }

  private var oldStore: String { "\(earlier)/accounts.sqlite" }
  private var newStore: String { "\(folder)/accounts.sqlite" }

  private struct Obstacle: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
  }

  private static let busy = "another process is using it"
}

/// A note about the place of the user's account store.
package enum StoreNote: Sendable, Equatable {
  case moved(from: String, to: String)
  /// Another store is in the folder of earlier versions.
  case another(String, used: String)
  /// The store could not be moved, and is used where it is.
  case staysPut(String, instead: String, reason: String)

  /// True if the person has something to do.
  package var isWarning: Bool { if case .another = self { true } else { false } }

  package var sentence: String {
    switch self {
    case .moved(let old, let new): "the accounts were moved from \(old) to \(new)"
    case .another(let old, let used):
      "the program uses the account store in \(used), not the store in \(old): use the old store with --store \(old), or remove \(old)/accounts.sqlite"
    case .staysPut(let old, let new, let reason): "the accounts are still in \(old), and not in \(new): \(reason)"
    }
  }
}
