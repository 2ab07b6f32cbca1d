import Databases
import Testing

@Suite struct SQLiteMigrationTests {
  @Test func stepsRunOnceAndInOrder() throws {
    let database = try SQLiteConnection.inMemory()
    let first = ["CREATE TABLE things (value)"]
    try database.migrate(first)
    try database.migrate(first)
    try database.migrate(first + ["ALTER TABLE things ADD COLUMN note; INSERT INTO things VALUES (1, 'a')"])
    #expect(try database.query("SELECT note FROM things").map { $0["note"] } == ["a"])
    #expect(try database.first("PRAGMA user_version")?[0] == 2)
  }

  @Test func aFailedStepLeavesNothingBehind() throws {
    let database = try SQLiteConnection.inMemory()
    #expect(throws: SQLiteError.self) { try database.migrate(["CREATE TABLE things (value); SELEC 1"]) }
    #expect(try database.query("SELECT name FROM sqlite_schema").isEmpty)
    #expect(try database.first("PRAGMA user_version")?[0] == 0)
  }

  @Test func aNewerFileIsRefused() throws {
    let database = try SQLiteConnection.inMemory()
    try database.migrate(["CREATE TABLE a (v)", "CREATE TABLE b (v)"])
    let error = #expect(throws: SQLiteError.self) { try database.migrate(["CREATE TABLE a (v)"]) }
    #expect(error?.kind == .tooNew)
  }
}
