import Core
package import DatabaseAddress
package import Databases
import Files
import Glibc
package import HostLoop
import JOSE
import JSON

/// The accounts of one group, kept in SQLite or PostgreSQL with their tokens sealed. Several processes may use one store at
/// a time, and with PostgreSQL several machines.
/// This is storage alone; `AccountManager` tells subscribers and refreshes tokens.
@HostActor
package final class AccountStore {
  /// The place of a store.
  package enum Location: Sendable, Equatable {
    /// In files of that folder, which is made with mode 0700 when it is missing. It can be carried elsewhere: with the
    /// automatic choice of a vault, the key is in a file of the same folder.
    case folder(String)
    /// In files of that folder, which is the user's own on this machine: `standardFolder`. A store that an earlier version
    /// made in the other folder, `earlierFolder`, is moved there.
    case userFolder(String, earlier: String? = nil)
    /// In a database of several machines. The key is in a file of each machine.
    case database(PostgresAddress)
    /// Gone with the process.
    case memory
  }

  /// The group a store is opened with when the settings name none.
  package nonisolated static let defaultGroup = "default"

  package let group: String
  /// The database's file, `:memory:`, or the database's address without a password.
  package nonisolated let path: String
  /// A note about the place of the store, for the person.
  package nonisolated let note: StoreNote?
  let vaults: StoreVaults
  var groupKey: JWK?
  var keyWork: SharedResult<Void>?
  /// Asked before an account's tokens are opened, whoever wants them; throws where the run may not open them.
  package var checkOpening: @HostActor (Account) throws(AccountError) -> Void = { _ in }
  let database: any Database
  let locks: (any StoreLocks)?
  /// Unix seconds.
  let now: @Sendable () -> Int64
  var known: [String: Account] = [:]
  /// Tells the person that a database is waited for, and of damaged rows.
  let tell: @HostActor (String) -> Void
  package let damaged = DamagedRows()

  /// Opens the store, and makes it when there is none.
  /// - Parameters:
  ///   - group: the settings' `keychain`; accounts of other groups are not seen.
  ///   - vault: where the key is to be; a store in memory has it in memory.
  ///   - tell: gets a sentence when a database does not answer, once for each wait, and for each damaged account.
  /// - Throws: `store_damaged`, `store_too_new` or `store_unusable`; what was found is left as it is. For a database also
  ///   `other_group`, and the codes of `PostgresError` and `SchemaError`.
  package init(
    _ location: Location, group: String = AccountStore.defaultGroup, vault: VaultChoice = .automatic,
    variable: @escaping @Sendable (String) -> String? = { getenv($0).map { String(path: $0) } },
    now: @escaping @Sendable () -> Int64 = { Int64(UnixTime.now.seconds) },
    tell: @escaping @HostActor (String) -> Void = { _ in }
  ) async throws(AccountError) {
    self.group = group
    self.now = now
    self.tell = tell
    damaged.tell = tell
    if case .database(let address) = location {
      path = address.shown
      note = nil
      let database = PostgresDatabase(address)
      self.database = database
      locks = LeaseLocks(database)
      let id = try await Self.prepare(database, tell)
      vaults = try StoreVaults(choice: vault, database: id, variable: variable)
      try await checkKey()
      try await compareClocks()
      return
    }
    guard let (folder, note, isUserFolder) = try Self.place(of: location) else {
      path = ":memory:"
      (locks, note) = (nil, nil)
      database = SQLiteDatabase(try Self.open(path, nil))
      vaults = StoreVaults()
      return
    }
    path = "\(folder)/accounts.sqlite"
    self.note = note
    let file = try LockFile(path: "\(folder)/accounts.lock")
    locks = FileLocks(file)
    let connection = try Self.open(path, file)
    database = SQLiteDatabase(connection)
    vaults = StoreVaults(
      choice: vault, folder: folder, store: try Self.id(of: connection), isUserFolder: isUserFolder, variable: variable)
  }

  private static func place(of location: Location) throws(AccountError) -> (
    folder: String, note: StoreNote?, isUserFolder: Bool
  )? {
    switch location {
    case .memory, .database: return nil
    case .folder(let folder):
      try makeFolder(folder)
      return (folder, nil, false)
    case .userFolder(let folder, let earlier):
      try makeFolder(folder)
      guard let earlier else { return (folder, nil, true) }
      let (used, note) = try StoreMove(earlier: earlier, folder: folder).run()
      return (used, note, true)
    }
  }

  /// Makes a folder that only its owner may read, and those above it that are missing.
  nonisolated static func makeFolder(_ path: String) throws(AccountError) {
    do { try PrivateFolder.make(path) } catch {
      switch error {
      case .notAFolder:
        throw AccountError(
          .storeUnusable, "the account store needs a folder, and \(path) is something else",
          hint: "give a folder with --store")
      case .refused(let reason):
        throw AccountError(
          .storeUnusable, "the folder \(path) of the account store cannot be made: \(reason)",
          hint: "check who owns the folder above it, or give another folder with --store")
      case .open(let reason):
        throw AccountError(
          .storeUnusable, "the folder \(path) of the account store is not safe: \(reason)",
          hint: PrivateFolder.remedy(path))
      }
    }
  }

  /// True if there is a store in the folder.
  package nonisolated static func isOne(_ folder: String) -> Bool { FileSystem.exists("\(folder)/accounts.sqlite") }

  /// How the paths of a store's files begin: the database with its log, the lock, the keys.
  package nonisolated static func fileBeginnings(in folder: String) -> [String] {
    ["accounts.sqlite", "accounts.lock", "accounts-"].map { "\(folder)/\($0)" }
  }

  /// `b2c-run` under `$XDG_STATE_HOME`, else under `~/.local/state`: apart from what is installed.
  package nonisolated static func standardFolder(
    variable: (String) -> String? = { getenv($0).map { String(path: $0) } }
  ) throws(AccountError) -> String {
    if let folder = UserFolder.state.path(variable) { return folder }
    throw AccountError(
      .storeUnusable, "there is no place for the account store: neither XDG_STATE_HOME nor HOME is an absolute path",
      hint: "set HOME, or give a folder with --store")
  }

  /// The folder of the store of versions up to 0.1: `b2c-run` under `$XDG_DATA_HOME`, else under `~/.local/share`.
  package nonisolated static func earlierFolder(
    variable: (String) -> String? = { getenv($0).map { String(path: $0) } }
  ) -> String? { UserFolder.data.path(variable) }

  /// Takes the lock for opening a store, byte 0: SQLite does not wait its turn while a new file turns to write-ahead mode.
  /// - Returns: false when another process had it for 5 seconds.
  nonisolated static func waitToOpen(_ locks: LockFile) -> Bool {
    let deadline = time(nil) + 5
    while !locks.tryLock(0) {
      guard time(nil) < deadline else { return false }
      usleep(2000)
    }
    return true
  }

  private static func open(_ path: String, _ locks: LockFile?) throws(AccountError) -> SQLiteConnection {
    if let locks, !waitToOpen(locks) {
      throw AccountError(
        .storeUnusable, "another process has been opening the account store \(path) for 5 seconds",
        hint: "try again, or end the process that hangs")
    }
    defer { locks?.unlock(0) }
    do {
      if locks != nil { try checkFile(path) }
      let database = try SQLiteConnection(path: path)
      try StoreSchema.prepare(database)
      return database
    } catch { throw StoreSchema.translate(error, path) }
  }

  /// The store's own, which stays when its folder is moved.
  private static func id(of database: SQLiteConnection) throws(AccountError) -> String {
    let id: String?
    do { id = try database.first("SELECT id FROM store")?["id"].text } catch {
      throw StoreSchema.translate(error, database.path)
    }
    return try checkedID(id, database.path)
  }

  /// The ID of a store has the form that this program makes. It becomes a part of a path.
  nonisolated static func checkedID(_ id: String?, _ place: String) throws(AccountError) -> String {
    guard let id else { throw StoreSchema.damaged(place, "it has lost its own ID") }
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let letters = UInt8(ascii: "a")...UInt8(ascii: "f")
    guard id.utf8.count == 32, id.utf8.allSatisfy({ digits.contains($0) || letters.contains($0) }) else {
      throw StoreSchema.damaged(place, "its own ID does not have 32 hexadecimal digits")
    }
    return id
  }

  private static func checkFile(_ path: String) throws(AccountError) {
    try StoreSchema.checkHeader(of: path)
    guard let file = try? OpenFile(path, .streaming) else { return }
    try checkPrivate(file, path, what: "the account store", kind: .storeUnusable)
  }

  func forget(_ account: Account) {
    known[account.id] = nil
    account.isRemoved = true
    account.tokens = nil
    account.unstored = nil
    account.row.sealedTokens = ""
  }

  /// Runs statements that change nothing.
  func use<Result: Sendable>(
    _ body: @HostActor (any Statements) async throws -> Result
  ) async throws(AccountError) -> Result {
    try await Self.patiently(path, tell) { try await body(database) }
  }

  /// Runs statements in a transaction. One whose outcome nobody knows is not repeated.
  @discardableResult
  func change<Result: Sendable>(
    _ body: @HostActor (any Statements) async throws -> Result
  ) async throws(AccountError) -> Result {
    try await Self.patiently(path, tell) { try await database.transaction(body) }
  }
}
