import Files
import Glibc
import SQLite

/// Moves the user's account store, with its keys, out of the folder where earlier versions kept it.
///
/// A store is moved as a whole and only while no process has it open: SQLite's own locks say so, and the lock for opening
/// keeps other processes from it meanwhile. Each file gets its new name before it loses its old one, the database last: a
/// crash at any point leaves a whole store in one of the two folders, and the next process goes on from there.
struct StoreMove {
  /// The folder to move from.
  let earlier: String
  let folder: String

  /// Moves the store if there is one to be moved.
  /// - Returns: the folder whose store is to be used, and what there is to tell of it.
  func run() throws(AccountError) -> (folder: String, note: StoreNote?) {
    guard !Self.areOne(stat, earlier, folder) else { return (folder, nil) }
    removeMovedKeys()
    guard Self.exists(oldStore) else { return (folder, nil) }
    guard !Self.exists(newStore) || Self.areOne(lstat, oldStore, newStore) else {
      // A link that somebody made from one place to the other is no second store.
      return (folder, Self.areOne(stat, oldStore, newStore) ? nil : .another(earlier, used: folder))
    }
    do throws(Obstacle) {
      guard let locks = try? LockFile(path: "\(earlier)/accounts.lock") else {
        throw Obstacle("its folder is read-only")
      }
      guard AccountStore.waitToOpen(locks) else { throw Obstacle(Self.busy) }
      defer { locks.unlock(0) }
      // Another process may have moved it meanwhile.
      guard Self.exists(oldStore) else { return (folder, nil) }
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
    Files.PrivateFolder.synchronize(folder)
    unlink(oldStore)
    removeMovedKeys()
    Files.PrivateFolder.synchronize(earlier)
  }

  /// Makes the database one file, which works only while nobody else has it open.
  private func closeLog() throws(Obstacle) {
    let mode: String?
    do {
      let database = try Connection(path: oldStore, busyTimeout: 0, mustExist: true)
      mode = try database.first("PRAGMA journal_mode = DELETE")?[0].text
    } catch { throw Obstacle(error.kind == .busy ? Self.busy : error.message) }
    guard mode == "delete" else { throw Obstacle(Self.busy) }
  }

  /// Gives the file its new name besides its old one; never in place of another file.
  private func link(_ name: String) throws(Obstacle) {
    let (old, new) = ("\(earlier)/\(name)", "\(folder)/\(name)")
    guard Glibc.link(old, new) != 0 else { return }
    let code = errno
    if code == EEXIST, Self.areOne(lstat, old, new) { return }
    throw Obstacle("\(new): \(String(cString: strerror(code)))")
  }

  /// Takes the old names from keys that have their new ones: all that is left to do after a crash.
  private func removeMovedKeys() {
    guard Self.exists(newStore) else { return }
    for name in keyNames where Self.areOne(lstat, "\(earlier)/\(name)", "\(folder)/\(name)") {
      if !Self.exists(oldStore) { unlink("\(earlier)/\(name)") }
    }
  }

  /// A link stays where somebody made it, and so does the store with it.
  private func checkOrdinary(_ path: String) throws(Obstacle) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
      throw Obstacle("\(path) is no ordinary file of yours")
    }
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

  private static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  private static func areOne(
    _ look: (UnsafePointer<CChar>, UnsafeMutablePointer<stat>) -> Int32, _ one: String, _ other: String
  ) -> Bool {
    var (first, second) = (stat(), stat())
    guard look(one, &first) == 0, look(other, &second) == 0 else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }
}
