import CSQLite
import CSQLiteShims
import Core
import Glibc

/// A connection to an SQLite database, isolated by its owner. Statements are prepared once and kept, so SQL must be
/// constant and values must be parameters.
package final class SQLiteConnection {
  /// The file, `:memory:`, or empty for a temporary database.
  package let path: String
  private let handle: OpaquePointer
  /// Keeps the folder open that a database by its place is in.
  private let place: DatabasePlace?
  private var statements: [String: SQLiteStatement] = [:]

  /// Opens or makes a database in write-ahead mode. A file made here can be read by its owner only (mode 0600), also before
  /// the first byte is in it. A lock of another connection is waited for up to `busyTimeout` seconds.
  /// - Parameter mustExist: makes no file, and changes nothing in one before a statement does.
  package init(path: String, busyTimeout: Double = 5, mustExist: Bool = false) throws(SQLiteError) {
    self.path = path
    place = nil
    let isFile = path != ":memory:" && !path.isEmpty
    if isFile, !mustExist { try Self.createPrivately(path) }
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    // A SQLite that is built so takes a name that begins like a URI for one, and opens another file.
    let name = path.hasPrefix("file:") ? "./\(path)" : path
    handle = try Self.openHandle(
      name.pathBytes.map { CChar(bitPattern: $0) } + [0], mustExist ? flags : flags | SQLITE_OPEN_CREATE, vfs: nil, path
    )
    sqlite3_busy_timeout(handle, Int32(busyTimeout * 1000))
    if isFile, !mustExist {
      // A power cut may undo the last transactions, but it never damages the file; a crash of the program undoes nothing.
      try executeScript("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")
    }
    try execute("PRAGMA foreign_keys = ON")
  }

  /// Opens a database that may have been made by somebody hostile, in a place where others may put files. SQLite opens
  /// nothing but the database and its write-ahead log, follows no link, and does nothing that the file asks for. No other
  /// connection may write to the database meanwhile: nothing is locked.
  /// - Parameter isReadOnly: makes and changes nothing. The database may be in use; then what is read may not fit together.
  package init(distrusting place: DatabasePlace, isReadOnly: Bool) throws(SQLiteError) {
    path = place.path
    self.place = place
    guard Self.folderVFS == SQLITE_OK else {
      throw SQLiteError(resultCode: Self.folderVFS, reason: "no file system to open it by", path: path)
    }
    let flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    handle = try Self.openHandle(place.vfsName(isReadOnly: isReadOnly), flags | access, vfs: "b2c-folder", path)
    let result = csqlite_distrust_file(handle, Self.longestValue)
    guard result == SQLITE_OK else { throw error(result, "") }
    try executeScript("PRAGMA locking_mode = EXCLUSIVE; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;")
    if isReadOnly {
      csqlite_keep_log(handle)
      return
    }
    // An empty file has no rollback journal to be kept safe by, and needs none.
    if place.status()?.st_size == 0 { try executeScript("PRAGMA journal_mode = MEMORY") }
    try executeScript("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
  }

  private static let folderVFS = csqlite_register_folder_vfs()
  /// In bytes: a row of a source has 16 MiB at most, of which JSON may make six times as much.
  private static let longestValue: Int32 = 128 << 20

  /// A database that lives in memory as long as this connection.
  package static func inMemory() throws(SQLiteError) -> SQLiteConnection { try SQLiteConnection(path: ":memory:") }

  /// A database for this connection alone, which takes a file without a name when it outgrows a few megabytes.
  package static func temporary() throws(SQLiteError) -> SQLiteConnection {
    let connection = try SQLiteConnection(path: "")
    // Nobody will see it again, so that nothing of it needs to be safe on a disk.
    try connection.executeScript("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;")
    return connection
  }

  deinit {
    statements = [:]
    sqlite3_close_v2(handle)
  }

  private static func openHandle(
    _ name: [CChar], _ flags: Int32, vfs: String?, _ path: String
  ) throws(SQLiteError) -> OpaquePointer {
    var handle: OpaquePointer?
    let result = sqlite3_open_v2(name, &handle, flags, vfs)
    guard result == SQLITE_OK, let handle else {
      let reason = handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? "out of memory"
      sqlite3_close_v2(handle)
      throw SQLiteError(resultCode: result, reason: reason, path: path)
    }
    return handle
  }

  /// Runs one statement; its rows, if any, are dropped.
  package func execute(_ sql: String, _ values: SQLValue...) throws(SQLiteError) {
    try execute(sql, values: values)
  }

  package func execute(_ sql: String, values: [SQLValue]) throws(SQLiteError) { try run(sql, values) { _ in } }

  /// Runs one statement and gives all its rows.
  package func query(_ sql: String, _ values: SQLValue...) throws(SQLiteError) -> [Row] {
    try query(sql, values: values)
  }

  package func query(_ sql: String, values: [SQLValue]) throws(SQLiteError) -> [Row] {
    var rows: [Row] = []
    try run(sql, values) { rows.append($0) }
    return rows
  }

  /// The first row of a statement's result.
  package func first(_ sql: String, _ values: SQLValue...) throws(SQLiteError) -> Row? {
    var first: Row?
    try run(sql, values) { if first == nil { first = $0 } }
    return first
  }

  /// Runs several statements without values, separated by semicolons.
  package func executeScript(_ sql: String) throws(SQLiteError) {
    let result = sqlite3_exec(handle, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw error(result, sql) }
  }

  /// The rows changed by the last `INSERT`, `UPDATE` or `DELETE`.
  package var changes: Int { Int(sqlite3_changes(handle)) }

  /// The row number of the last `INSERT`.
  package var lastInsertedID: Int64 { sqlite3_last_insert_rowid(handle) }

  private func run(_ sql: String, _ values: [SQLValue], row: (Row) -> Void) throws(SQLiteError) {
    let statement: SQLiteStatement
    if let known = statements[sql] {
      statement = known
    } else {
      guard let new = SQLiteStatement(sql, database: handle) else { throw error(sqlite3_extended_errcode(handle), sql) }
      statements[sql] = new
      statement = new
    }
    let result = statement.run(values, row: row)
    guard result == SQLITE_DONE else { throw error(result, sql) }
  }

  private func error(_ result: Int32, _ sql: String) -> SQLiteError {
    SQLiteError(resultCode: result, reason: String(cString: sqlite3_errmsg(handle)), path: path, sql: sql)
  }

  /// SQLite would make the file with the process's umask. Only a file that is new is opened here: closing one that another
  /// connection of this process has open would drop that connection's POSIX locks.
  private static func createPrivately(_ path: String) throws(SQLiteError) {
    let descriptor = path.withPath { open($0, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600) }
    if descriptor >= 0 {
      close(descriptor)
    } else if errno != EEXIST {
      throw SQLiteError(
        resultCode: SQLITE_CANTOPEN, reason: "cannot make the file: \(String(cString: strerror(errno)))", path: path)
    }
  }

  // MARK: Transactions

  /// Runs `body` in a write transaction: all of its changes are kept, or none when it throws.
  package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // Some errors have rolled back already; then there is nothing to undo and this one would hide them.
      try? execute("ROLLBACK")
      throw error
    }
  }

  /// Brings the schema up to date: runs the steps that this file has not seen, each in a transaction, counting them in
  /// `user_version`. A step that was once released must never change; add another.
  package func migrate(_ steps: [String]) throws(SQLiteError) {
    let version = Int(try first("PRAGMA user_version")?[0].integer ?? 0)
    guard version <= steps.count else {
      throw SQLiteError(
        kind: .tooNew,
        message:
          "\(path) was written by a newer version of this program (schema \(version), known here: \(steps.count))",
        hint: "update the program, or give another file", resultCode: SQLITE_SCHEMA, path: path)
    }
    for (index, step) in steps.enumerated().dropFirst(version) { try migrate(step, to: index + 1) }
  }

  private func migrate(_ step: String, to version: Int) throws(SQLiteError) {
    try execute("BEGIN IMMEDIATE")
    do {
      // Another process may have been faster while this one waited for the lock.
      let current = Int(try first("PRAGMA user_version")?[0].integer ?? 0)
      if current < version {
        try executeScript(step)
        try executeScript("PRAGMA user_version = \(version)")
      }
      try execute("COMMIT")
    } catch {
      try? execute("ROLLBACK")
      throw error
    }
  }
}
