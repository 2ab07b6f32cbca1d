import Diagnostics
import Glibc
package import HostLoop
import JOSE
import SQLite

/// The accounts of one group, kept in SQLite with their tokens sealed. Several processes may use one store at a time.
///
/// This is storage alone; `AccountManager` tells subscribers and refreshes tokens.
@HostActor
package final class AccountStore {
  /// Where a store is.
  package enum Location: Sendable, Equatable {
    /// In files of that folder, which is made with mode 0700 when it is missing. It can be carried elsewhere: with the
    /// automatic choice of a vault, the key is in a file of the same folder.
    case folder(String)
    /// In files of that folder, which is the user's own on this machine: `standardFolder`.
    case userFolder(String)
    /// Gone with the process.
    case memory
  }

  /// The group a store is opened with when the settings name none.
  package nonisolated static let defaultGroup = "default"

  package let group: String
  /// The database's file, or `:memory:`.
  package nonisolated let path: String
  let vaults: StoreVaults
  /// The group's key, once it was needed.
  var groupKey: JWK?
  /// The making or moving of a key that is under way here.
  var keyWork: SharedResult<Void>?
  /// Asked before an account's tokens are opened, whoever wants them; throws where the run may not open them.
  package var checkOpening: @HostActor (Account) throws(AccountError) -> Void = { _ in }
  let database: Connection
  let locks: LockFile?
  /// Unix seconds.
  let now: @Sendable () -> Int64
  private var known: [String: Account] = [:]

  /// Opens the store, and makes it when there is none.
  /// - Parameters:
  ///   - group: the settings' `keychain`; accounts of other groups are not seen.
  ///   - vault: where the key is to be; a store in memory has it in memory.
  ///   - variable: looks up an environment variable.
  /// - Throws: `store_damaged`, `store_too_new` or `store_unusable`; what was found is left as it is.
  package init(
    _ location: Location, group: String = AccountStore.defaultGroup, vault: VaultChoice = .automatic,
    variable: @escaping @Sendable (String) -> String? = { getenv($0).map { String(cString: $0) } },
    now: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
  ) throws(AccountError) {
    self.group = group
    self.now = now
    switch location {
    case .memory:
      path = ":memory:"
      locks = nil
    case .folder(let folder), .userFolder(let folder):
      try PrivateFolder.make(folder)
      path = "\(folder)/accounts.sqlite"
      locks = try LockFile(path: "\(folder)/accounts.lock")
    }
    database = try Self.open(path, locks)
    switch location {
    case .memory: vaults = StoreVaults()
    case .folder(let folder), .userFolder(let folder):
      vaults = StoreVaults(
        choice: vault, folder: folder, store: try Self.id(of: database), isUserFolder: location == .userFolder(folder),
        variable: variable)
    }
  }

  /// How the paths of a store's files begin: the database with its log, the lock, the keys.
  package nonisolated static func fileBeginnings(in folder: String) -> [String] {
    ["accounts.sqlite", "accounts.lock", "accounts-"].map { "\(folder)/\($0)" }
  }

  /// `b2c-run` under `$XDG_DATA_HOME`, else under `~/.local/share`.
  /// - Parameter variable: looks up an environment variable.
  package nonisolated static func standardFolder(
    variable: (String) -> String? = { getenv($0).map { String(cString: $0) } }
  ) throws(AccountError) -> String {
    if let folder = UserFolder.data.path(variable) { return folder }
    throw AccountError(
      .storeUnusable, "there is no place for the account store: neither XDG_DATA_HOME nor HOME is an absolute path",
      hint: "set HOME, or give a folder with --store")
  }

  private static func open(_ path: String, _ locks: LockFile?) throws(AccountError) -> Connection {
    // Byte 0 is for opening: SQLite does not wait its turn while a new file turns to write-ahead mode.
    let deadline = time(nil) + 5
    while let locks, !locks.tryLock(0) {
      guard time(nil) < deadline else {
        throw AccountError(
          .storeUnusable, "another process has been opening the account store \(path) for 5 seconds",
          hint: "try again, or end the process that hangs")
      }
      usleep(2000)
    }
    defer { locks?.unlock(0) }
    do {
      if locks != nil { try checkFile(path) }
      let database = try Connection(path: path)
      try StoreSchema.prepare(database)
      return database
    } catch {
      throw StoreSchema.translate(error, path)
    }
  }

  /// The store's own, which stays when its folder is moved.
  private static func id(of database: Connection) throws(AccountError) -> String {
    let id: String?
    do { id = try database.first("SELECT id FROM store")?["id"].text } catch {
      throw StoreSchema.translate(error, database.path)
    }
    guard let id else { throw StoreSchema.damaged(database.path, "it has lost its own ID") }
    return id
  }

  private static func checkFile(_ path: String) throws(AccountError) {
    try StoreSchema.checkHeader(of: path)
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    try PrivateFolder.check(descriptor, path, what: "the account store", kind: .storeUnusable)
  }

  /// The one object of that account, brought up to date.
  func account(_ row: AccountRow) -> Account {
    if let account = known[row.id] {
      account.update(row)
      return account
    }
    let account = Account(row)
    known[row.id] = account
    return account
  }

  func forget(_ account: Account) {
    known[account.id] = nil
    account.isRemoved = true
    account.tokens = nil
    account.unstored = nil
    account.sealedTokens = ""
  }

  /// Runs `body`, its errors turned into those of the store.
  func use<Result>(_ body: (Connection) throws -> Result) throws(AccountError) -> Result {
    do { return try body(database) } catch { throw StoreSchema.translate(error, path) }
  }
}
