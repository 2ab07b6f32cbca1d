import Core
import Databases
import Files
import Glibc

/// The tables of an account store, and its checks: nothing is written to a file that is not empty or an account store.
enum StoreSchema {
  /// "b2cr" in the header of the file (SQLite's `application_id`).
  static let applicationID: Int64 = 0x6232_6372
  static let version = Int64(steps.count)

  /// The step from an empty database to version 1, from there to version 2, and so on. A released step never changes;
  /// columns are added with defaults, so that an older program that has the store open goes on working.
  private static let steps = [first, second, third, fourth, fifth]

  private static let first = """
    CREATE TABLE account (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      vault_group TEXT NOT NULL,
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      account_type TEXT NOT NULL,
      policy TEXT,
      policy_key TEXT NOT NULL,
      name TEXT NOT NULL,
      claims TEXT NOT NULL,
      scopes TEXT NOT NULL,
      requested_scopes TEXT NOT NULL,
      obtained_at INTEGER NOT NULL,
      expires_at INTEGER,
      data TEXT NOT NULL,
      token_revision INTEGER NOT NULL,
      data_revision INTEGER NOT NULL,
      tokens TEXT NOT NULL,
      UNIQUE (vault_group, issuer, subject, account_type, policy_key)
    ) STRICT;
    CREATE TABLE current_account (
      vault_group TEXT PRIMARY KEY,
      account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE
    ) STRICT;
    """

  /// The provider and agent of each account, the pause after renewals that failed, and the vault of each group's key.
  private static let second = """
    ALTER TABLE account ADD COLUMN provider TEXT NOT NULL DEFAULT '{}';
    ALTER TABLE account ADD COLUMN grant_type TEXT NOT NULL DEFAULT 'authorization_code';
    ALTER TABLE account ADD COLUMN agent TEXT;
    ALTER TABLE account ADD COLUMN session TEXT;
    ALTER TABLE account ADD COLUMN retry_after INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE account ADD COLUMN unfinished_renewals INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE vault (
      vault_group TEXT PRIMARY KEY,
      kind TEXT NOT NULL
    ) STRICT;
    CREATE TABLE store (id TEXT NOT NULL) STRICT;
    INSERT INTO store VALUES (lower(hex(randomblob(16))));
    """

  /// The keys that scripts saved.
  private static let third = """
    CREATE TABLE saved_key (
      vault_group TEXT NOT NULL,
      name TEXT NOT NULL,
      sealed TEXT NOT NULL,
      PRIMARY KEY (vault_group, name)
    ) STRICT;
    """

  /// The flow that renews an account's tokens, and whether a script alone says who the account is.
  private static let fourth = """
    ALTER TABLE account ADD COLUMN refresh_flow TEXT;
    ALTER TABLE account ADD COLUMN given_subject INTEGER NOT NULL DEFAULT 0;
    """

  /// The secrets that a person keeps for scripts.
  private static let fifth = """
    CREATE TABLE secret (
      vault_group TEXT NOT NULL,
      name TEXT NOT NULL,
      sealed TEXT NOT NULL,
      saved_at INTEGER NOT NULL,
      PRIMARY KEY (vault_group, name)
    ) STRICT;
    """

  /// Refuses a file that is something else, before SQLite gets to touch it.
  static func checkHeader(of path: String) throws(AccountError) {
    let file: OpenFile
    do { file = try OpenFile(path, .streaming) } catch {
      if error.number == ENOENT { return }
      throw AccountError(
        .storeUnusable, "the account store \(path) cannot be read: \(error.reason)",
        hint: "check who owns the file, or give another folder")
    }
    let header = [UInt8](unsafeUninitializedCapacity: 100) { buffer, count in
      count = max(0, read(file.descriptor, buffer.baseAddress, 100))
    }
    if header.isEmpty { return }
    guard header.count == 100, header.starts(with: "SQLite format 3\0".utf8) else { throw foreign(path) }
    let number = { (offset: Int) in header[offset..<offset + 4].reduce(Int64(0)) { $0 << 8 | Int64($1) } }
    // Zero while the first transaction is still in the write-ahead log; `prepare` looks again.
    guard number(68) == 0 || number(68) == applicationID else { throw foreign(path) }
    if number(68) == applicationID { try checkVersion(number(60), path) }
  }

  /// Makes the tables in an empty database; refuses one with other tables, or of a newer version, or damaged.
  static func prepare(_ database: SQLiteConnection) throws {
    let path = database.path
    let state = try database.first("PRAGMA quick_check(1)")?[0].text
    guard state == "ok" else { throw damaged(path, state ?? "no answer") }
    try database.transaction {
      let id = try database.first("PRAGMA application_id")?[0].integer ?? 0
      let found = try database.first("PRAGMA user_version")?[0].integer ?? 0
      if id == applicationID {
        try checkVersion(found, path)
        return try upgrade(database, from: found)
      }
      let tables = try database.first("SELECT count(*) FROM sqlite_schema")?[0].integer
      guard id == 0, found == 0, tables == 0 else { throw foreign(path) }
      try database.executeScript("PRAGMA application_id = \(applicationID)")
      try upgrade(database, from: 0)
    }
  }

  private static func upgrade(_ database: SQLiteConnection, from found: Int64) throws {
    guard found < version else { return }
    for step in steps.dropFirst(Int(max(0, found))) { try database.executeScript(step) }
    try database.executeScript("PRAGMA user_version = \(version)")
  }

  private static func checkVersion(_ found: Int64, _ path: String) throws(AccountError) {
    guard found > version else { return }
    throw AccountError(
      .storeTooNew,
      "the account store \(path) has version \(found), written by a newer b2c-run; this one knows version \(version)",
      hint: "update b2c-run, or give another folder with --store")
  }

  static func foreign(_ path: String) -> AccountError {
    AccountError(
      .storeDamaged, "the file \(path) is not an account store of b2c-run",
      hint: "move it away, or give another folder with --store; it has been left as it is")
  }

  static func damaged(_ path: String, _ reason: String) -> AccountError {
    AccountError(
      .storeDamaged, "the account store \(path) is damaged: \(reason)",
      hint: "put back a copy, or move the file away and sign in again; it has been left as it is")
  }

  static func translate(_ error: any Error, _ path: String) -> AccountError {
    switch error {
    case let error as AccountError: error
    case is CancellationError: AccountError(.canceled, "the wait for the account store \(path) was canceled")
    case let error as SQLiteError:
      switch error.kind {
      case .notADatabase: foreign(path)
      case .corrupt: damaged(path, error.message)
      case .diskFull:
        AccountError(
          .storeUnusable, "the disk with the account store \(path) is full", hint: "make room on it and try again")
      case .readOnly:
        AccountError(
          .storeUnusable, "the account store \(path) cannot be written: it is read-only",
          hint: "check who owns its folder, and whether its disk is mounted read-only")
      case .ioError:
        AccountError(
          .storeUnusable, "the disk with the account store \(path) cannot be read or written",
          hint: "see whether it is full or broken")
      default: AccountError(.storeUnusable, "the account store cannot be used: \(error.message)", hint: error.hint)
      }
    case let error as PostgresError:
      AccountError(.storeUnusable, error.message, hint: error.hint, cause: error)
    case let error as DamagedRow:
      AccountError(.storeDamaged, error.message, hint: error.hint, cause: error)
    case let error as SchemaError:
      AccountError(
        error.kind == .tooNew ? .storeTooNew : .storeUnusable, error.message, hint: error.hint, cause: error)
    default: AccountError(.storeUnusable, "the account store \(path) cannot be used: \(error)")
    }
  }
}
