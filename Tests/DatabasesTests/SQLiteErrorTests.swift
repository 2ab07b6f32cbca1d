import Databases
import Glibc
import TestSupport
import Testing

@Suite struct SQLiteErrorTests {
  @Test func aFileThatIsNoDatabaseIsTold() throws {
    let folder = TemporaryFolder()
    let file = try #require(fopen(folder.file, "w"))
    fputs(String(repeating: "Dear diary, ", count: 200), file)
    fclose(file)
    let error = #expect(throws: SQLiteError.self) { try SQLiteConnection(path: folder.file) }
    #expect(error?.kind == .notADatabase)
    #expect(error?.code == "not_a_database")
    #expect(error?.message.hasPrefix("\(folder.file): file is not a database") == true)
  }

  @Test func aFolderThatIsMissingIsTold() {
    let error = #expect(throws: SQLiteError.self) { try SQLiteConnection(path: "/nonexistent/a.db") }
    #expect(error?.kind == .cannotOpen)
    #expect(error?.message == "/nonexistent/a.db: cannot make the file: No such file or directory")
  }

  @Test func theStatementIsNamedWithoutItsValues() throws {
    let database = try SQLiteConnection.inMemory()
    try database.execute("CREATE TABLE things (value UNIQUE)")
    try database.execute("INSERT INTO things VALUES (?)", "hush")
    let error = #expect(throws: SQLiteError.self) { try database.execute("INSERT INTO things VALUES (?)", "hush") }
    #expect(error?.kind == .constraint)
    #expect(
      error?.message == ":memory:: UNIQUE constraint failed: things.value in `INSERT INTO things VALUES (?)`")
  }

  @Test func wrongSQLIsTold() throws {
    let database = try SQLiteConnection.inMemory()
    let error = #expect(throws: SQLiteError.self) { try database.query("SELEC 1") }
    #expect(error?.message == ":memory:: near \"SELEC\": syntax error in `SELEC 1`")
  }
}
