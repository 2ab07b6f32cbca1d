import Glibc
import SQLite

/// The tables of a journal, and how its file is told from another.
///
/// Nothing is written to a file before it is known to be empty or a journal.
enum JournalSchema {
  /// "b2cj" in the header of the file (SQLite's `application_id`).
  static let applicationID: Int64 = 0x6232_636a
  static let version = Int64(steps.count)

  /// What brings an empty database to version 1, that to version 2, and so on. A step never changes once it is released.
  private static let steps = [first]

  /// `rows` and `outcomes` hold 256 rows each, see `JournalChunk`. `baseline` holds hashes of texts, eight bytes each.
  /// `carried` are rows of an earlier numbering whose idempotency keys begin as they did then; `lost` the texts of rows
  /// whose fate was unknown when their source no longer had them.
  private static let first = """
    CREATE TABLE journal (
      id TEXT NOT NULL,
      source TEXT NOT NULL,
      account TEXT NOT NULL,
      account_name TEXT NOT NULL,
      api TEXT NOT NULL,
      created INTEGER NOT NULL,
      updated INTEGER NOT NULL,
      honors_key INTEGER,
      baseline_total INTEGER,
      finished_rows INTEGER,
      pending INTEGER NOT NULL DEFAULT 0,
      added INTEGER NOT NULL DEFAULT 0,
      skipped INTEGER NOT NULL DEFAULT 0,
      failed INTEGER NOT NULL DEFAULT 0,
      unsettled INTEGER NOT NULL DEFAULT 0,
      sent INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    \(rowTables(prefix: ""))
    CREATE TABLE baseline (batch INTEGER PRIMARY KEY, hashes BLOB NOT NULL) STRICT;
    CREATE TABLE lost (text_hash INTEGER NOT NULL) STRICT;
    """

  static let rowTableNames = ["rows", "outcomes", "failures", "carried"]

  /// The tables that go by the number of a row.
  static func rowTables(prefix: String) -> String {
    """
    CREATE TABLE \(prefix)rows (
      chunk INTEGER PRIMARY KEY,
      times BLOB NOT NULL,
      fingerprints BLOB NOT NULL,
      text_hashes BLOB NOT NULL
    ) STRICT;
    CREATE TABLE \(prefix)outcomes (
      chunk INTEGER PRIMARY KEY,
      states BLOB NOT NULL,
      ids BLOB NOT NULL
    ) STRICT;
    CREATE TABLE \(prefix)failures (
      row INTEGER PRIMARY KEY,
      line INTEGER,
      reason TEXT NOT NULL,
      code TEXT NOT NULL,
      status INTEGER,
      text TEXT NOT NULL,
      is_unsettled INTEGER NOT NULL,
      content TEXT
    ) STRICT;
    CREATE TABLE \(prefix)carried (row INTEGER PRIMARY KEY, key TEXT NOT NULL) STRICT;
    """
  }

  /// Refuses a file that is something else, or of a newer version, before SQLite gets to touch it.
  /// - Returns: whether there is a file with something in it.
  @discardableResult
  static func checkHeader(of path: String) throws(ImportError) -> Bool {
    // Of what is no file nothing is waited for.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return false }
      throw .journalUnusable(
        "the journal \(path) cannot be read: \(String(cString: strerror(errno)))",
        hint: "check who owns the file, or give another one with --journal", path: path)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw .journalForeign(path) }
    let header = [UInt8](unsafeUninitializedCapacity: 100) { buffer, count in
      count = max(0, read(descriptor, buffer.baseAddress, 100))
    }
    if header.isEmpty { return false }
    guard header.count == 100, header.starts(with: "SQLite format 3\0".utf8) else { throw .journalForeign(path) }
    let number = { (offset: Int) in header[offset..<offset + 4].reduce(Int64(0)) { $0 << 8 | Int64($1) } }
    // Zero while the first transaction is still in the write-ahead log; `prepare` looks again.
    guard number(68) == 0 || number(68) == applicationID else { throw .journalForeign(path) }
    if number(68) == applicationID { try checkVersion(number(60), path) }
    return true
  }

  /// Makes the tables in an empty database; refuses one with other tables, or of a newer version.
  /// - Returns: whether it was empty.
  static func prepare(_ database: Connection) throws -> Bool {
    try database.transaction {
      if try check(database) { return false }
      try database.executeScript("PRAGMA application_id = \(applicationID)")
      for step in steps { try database.executeScript(step) }
      try database.executeScript("PRAGMA user_version = \(version)")
      return true
    }
  }

  /// Refuses a database with other tables, or of a newer version.
  /// - Returns: false when it is empty.
  static func check(_ database: Connection) throws -> Bool {
    let id = try database.first("PRAGMA application_id")?[0].integer ?? 0
    let found = try database.first("PRAGMA user_version")?[0].integer ?? 0
    if id == applicationID {
      try checkVersion(found, database.path)
      return true
    }
    let tables = try database.first("SELECT count(*) FROM sqlite_schema")?[0].integer
    guard id == 0, found == 0, tables == 0 else { throw ImportError.journalForeign(database.path) }
    return false
  }

  private static func checkVersion(_ found: Int64, _ path: String) throws(ImportError) {
    if found > version { throw .journalTooNew(path, found) }
  }
}
