import Databases
import Glibc
import TestSupport
import Testing

@Suite struct SQLiteConnectionTests {
  @Test func valuesComeBackAsTheyWere() throws {
    let database = try SQLiteConnection.inMemory()
    try database.execute("CREATE TABLE things (value)")
    let values: [SQLValue] = [
      nil, 1, .integer(.min), 1.5, "", "naïve 日本 \0 after", .blob([]), .blob([0, 255]),
    ]
    for value in values { try database.execute("INSERT INTO things VALUES (?)", value) }
    #expect(try database.query("SELECT value FROM things ORDER BY rowid").map { $0["value"] } == values)
    #expect(database.changes == 1)
    #expect(database.lastInsertedID == Int64(values.count))
    #expect(try database.first("SELECT 1 AS one, 2")?["none"].isNull == true)
    #expect(try database.first("SELECT 1 WHERE 0") == nil)
  }

  @Test func aFileIsPrivateAndInWriteAheadMode() throws {
    let folder = TemporaryFolder()
    let old = umask(0)
    defer { umask(old) }
    let database = try SQLiteConnection(path: folder.file)
    try database.execute("CREATE TABLE things (value)")
    #expect(try database.first("PRAGMA journal_mode")?[0] == "wal")
    for suffix in ["", "-wal"] {
      var status = stat()
      #expect(stat(folder.file + suffix, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
    }
  }

  @Test func aNameThatBeginsLikeAURIIsAName() throws {
    let name = "file:\(getpid()).db?mode=memory"
    defer { for ending in ["", "-wal", "-shm"] { unlink("./\(name)\(ending)") } }
    let database = try SQLiteConnection(path: name)
    try database.execute("CREATE TABLE things (value)")
    #expect(try database.first("PRAGMA database_list")?["file"].text?.hasSuffix("/\(name)") == true)
  }

  @Test func aTransactionIsAllOrNothing() throws {
    let database = try SQLiteConnection.inMemory()
    try database.execute("CREATE TABLE things (value UNIQUE)")
    #expect(throws: SQLiteError.self) {
      try database.transaction {
        try database.execute("INSERT INTO things VALUES (1)")
        try database.execute("INSERT INTO things VALUES (1)")
      }
    }
    #expect(try database.query("SELECT * FROM things").isEmpty)
    let inserted = try database.transaction {
      try database.execute("INSERT INTO things VALUES (1)")
      return database.lastInsertedID
    }
    #expect(inserted == 1)
    #expect(try database.query("SELECT * FROM things").count == 1)
  }

  @Test func aLockIsWaitedForAndThenNamed() throws {
    let folder = TemporaryFolder()
    let one = try SQLiteConnection(path: folder.file)
    try one.execute("CREATE TABLE things (value)")
    let other = try SQLiteConnection(path: folder.file, busyTimeout: 0.01)
    try one.execute("BEGIN IMMEDIATE")
    let error = #expect(throws: SQLiteError.self) { try other.execute("INSERT INTO things VALUES (1)") }
    #expect(error?.kind == .busy)
    #expect(error?.isRetryable == true)
    try one.execute("COMMIT")
    try other.execute("INSERT INTO things VALUES (1)")
  }
}
