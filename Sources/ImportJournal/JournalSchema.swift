import Databases
import Glibc
import ImportFormats

/// The tables of a journal, and the checks that a file is a journal. Nothing is written to a file before it is known to
/// be empty or a journal. A journal has exactly these tables: a trigger or a view would be an attack.
enum JournalSchema {
  /// "b2cj" in the header of the file (SQLite's `application_id`).
  static let applicationID: Int64 = 0x6232_636a
  /// Version 1 had no digests and no seal; version 2 had the tables of version 3; version 3 had no names.
  static let version = 4
  /// The last version whose hashes of contents are without lengths, see `StableHash`. A journal of it keeps them.
  static let lastWithoutLengths = 2
  /// The last version without the names that sources have for their rows, and without the IDs of tasks. A journal of version 3
  /// gets them for its further rows.
  static let lastWithoutNames = 3

  /// `rows` and `outcomes` hold 256 rows each, see `JournalChunk`. `baseline` holds hashes of texts, eight bytes each.
  /// `carried` has the beginnings of idempotency keys of rows of an earlier numbering; `lost` the texts of rows of
  /// unknown fate that their source no longer has.
  static func tables(prefix: String = "", version: Int = version) -> [String: String] {
    let digest = version > 1 ? ", digest INTEGER NOT NULL" : ""
    let sums = version > 1 ? sumColumns.map { ", \($0) INTEGER NOT NULL DEFAULT 0" }.joined() : ""
    var tables = [
      "journal": """
      CREATE TABLE \(prefix)journal (
        id TEXT NOT NULL, source TEXT NOT NULL, account TEXT NOT NULL, account_name TEXT NOT NULL, api TEXT NOT NULL,
        created INTEGER NOT NULL, updated INTEGER NOT NULL,
        honors_key INTEGER, baseline_total INTEGER, finished_rows INTEGER,
        pending INTEGER NOT NULL DEFAULT 0, added INTEGER NOT NULL DEFAULT 0, skipped INTEGER NOT NULL DEFAULT 0,
        failed INTEGER NOT NULL DEFAULT 0, unsettled INTEGER NOT NULL DEFAULT 0, sent INTEGER NOT NULL DEFAULT 0\(sums)
      ) STRICT
      """,
      "rows": """
      CREATE TABLE \(prefix)rows (
        chunk INTEGER PRIMARY KEY, times BLOB NOT NULL, fingerprints BLOB NOT NULL, text_hashes BLOB NOT NULL
      ) STRICT
      """,
      "outcomes": """
      CREATE TABLE \(prefix)outcomes (chunk INTEGER PRIMARY KEY, states BLOB NOT NULL, ids BLOB NOT NULL) STRICT
      """,
      "failures": """
      CREATE TABLE \(prefix)failures (
        row INTEGER PRIMARY KEY, line INTEGER, reason TEXT NOT NULL, code TEXT NOT NULL, status INTEGER,
        text TEXT NOT NULL, is_unsettled INTEGER NOT NULL, content TEXT\(digest)
      ) STRICT
      """,
      "carried": "CREATE TABLE \(prefix)carried (row INTEGER PRIMARY KEY, key TEXT NOT NULL) STRICT",
      "baseline": "CREATE TABLE \(prefix)baseline (batch INTEGER PRIMARY KEY, hashes BLOB NOT NULL) STRICT",
      "lost": "CREATE TABLE \(prefix)lost (text_hash INTEGER NOT NULL) STRICT",
    ]
    if version > lastWithoutNames {
      tables["names"] = "CREATE TABLE \(prefix)names (chunk INTEGER PRIMARY KEY, source_ids BLOB NOT NULL) STRICT"
    }
    return tables
  }

  /// The table with the reading of the source. It is made when there is a reading.
  static let reading = "CREATE TABLE reading (json TEXT NOT NULL) STRICT"

  private static let sumColumns = [
    "mark", "generation", "rows_digest", "baseline_digest", "lost_digest", "carried_digest", "digest",
  ]

  /// The tables with numbers of rows.
  static func rowTableNames(version: Int) -> [String] {
    ["rows", "outcomes", "failures", "carried"] + (version > lastWithoutNames ? ["names"] : [])
  }

  static let nextPrefix = "next_"

  /// Makes tables of these names with `nextPrefix`, in place of those of an interrupted run.
  static func makeNext(_ names: [String], _ database: SQLiteConnection) throws(SQLiteError) {
    let tables = tables(prefix: nextPrefix)
    for name in names {
      try database.executeScript("DROP TABLE IF EXISTS \(nextPrefix)\(name); \(tables[name] ?? "");")
    }
  }

  static func putNext(_ names: [String], _ database: SQLiteConnection) throws(SQLiteError) {
    for name in names {
      try database.executeScript("DROP TABLE \(name); ALTER TABLE \(nextPrefix)\(name) RENAME TO \(name);")
    }
  }

  /// Adds the table of names to a journal of an earlier version.
  static func addNames(to database: SQLiteConnection, version: Int) throws(SQLiteError) {
    if version <= lastWithoutNames, let table = tables()["names"] { try database.executeScript(table) }
  }

  static func make(_ database: SQLiteConnection, _ record: JournalRecord) throws {
    try database.transaction {
      try database.executeScript("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
      for (_, table) in tables().sorted(by: { $0.key < $1.key }) { try database.executeScript(table) }
      try record.write(database, JournalCounts())
    }
  }

  /// The version of the journal in the database; nil for an empty database. Throws `journal_foreign`, `journal_too_new` and `journal_damaged`.
  static func version(of database: SQLiteConnection) throws -> Int? {
    let id = try database.first("PRAGMA application_id")?[0].integer ?? 0
    let found = try database.first("PRAGMA user_version")?[0].integer ?? 0
    let tables = try database.query("SELECT type, name, sql FROM sqlite_schema ORDER BY name LIMIT 100")
    guard id == applicationID else {
      guard id == 0, found == 0, tables.isEmpty else { throw ImportError.journalForeign(database.path) }
      return nil
    }
    guard found <= version else { throw ImportError.journalTooNew(database.path, found) }
    guard found > 0 else { throw ImportError.journalDamaged(database.path, "it has lost its version") }
    try check(tables, version: Int(found), database.path)
    return Int(found)
  }

  private static func check(_ found: [Row], version: Int, _ path: String) throws(ImportError) {
    var missing = Dictionary(uniqueKeysWithValues: tables(version: version).map { ($0, bare($1)) })
    let left = Dictionary(uniqueKeysWithValues: tables(prefix: nextPrefix).map { (nextPrefix + $0, bare($1)) })
    // Version 1 may have been interrupted during a comparison with a changed source.
    let older = tables(prefix: nextPrefix, version: 1).mapValues(bare)
    for entry in found {
      let name = entry["name"].text ?? ""
      let sql = bare(entry["sql"].text ?? "")
      let isReading = name == "reading" && sql == bare(reading)
      let isKnown = isReading || missing[name] == sql || left[name] == sql || older.values.contains(sql)
      guard entry["type"].text == "table", isKnown else {
        throw .journalDamaged(path, "it has another table than those of a journal")
      }
      missing[name] = nil
    }
    guard missing.isEmpty else { throw .journalDamaged(path, "a table is missing") }
  }

  /// Without the characters that SQLite changes when a table is renamed.
  private static func bare(_ sql: String) -> String {
    String(decoding: sql.utf8.filter { $0 > UInt8(ascii: " ") && $0 != UInt8(ascii: "\"") }, as: UTF8.self)
  }

  /// Refuses other files and newer versions, before SQLite opens the file. Returns false for a missing or empty file.
  static func checkHeader(of place: DatabasePlace) throws(ImportError) -> Bool {
    let path = place.path
    // This does not wait for a pipe or a device.
    let descriptor = place.open("", O_RDONLY)
    guard descriptor >= 0 else {
      if errno == ENOENT { return false }
      if errno == ELOOP { throw .journalForeign(path) }
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
    // Zero while the first transaction is still in the write-ahead log; `version` looks again.
    guard number(68) == 0 || number(68) == applicationID else { throw .journalForeign(path) }
    guard number(68) == applicationID else { return true }
    if number(60) > version { throw .journalTooNew(path, number(60)) }
    guard header[18] == 2, header[19] == 2 else { throw .journalDamaged(path, "it is not in write-ahead mode") }
    return true
  }
}
