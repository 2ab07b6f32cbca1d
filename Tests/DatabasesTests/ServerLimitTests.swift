import DatabaseAddress
import Databases
import HostLoop
import TestSupport
import Testing

/// The settings of a real server and the limits of PostgreSQL, and their meaning for values and statements.
@Suite("Limits of a database server") @HostActor
struct ServerLimitTests {
  private let server: PostgresServer
  private let name: String

  init() throws {
    server = try PostgresServer.shared
    name = try server.makeDatabase()
  }

  private func database(patience: Double = PostgresConnection.patience) throws -> PostgresDatabase {
    PostgresDatabase(try PostgresAddress(server.address(name)), patience: patience)
  }

  @Test("bytes are the same in both forms that a server may send", arguments: ["hex", "escape"])
  func bytea(form: String) async throws {
    try server.sql("ALTER DATABASE \(name) SET bytea_output = '\(form)'")
    let database = try database()
    try await database.execute("CREATE TABLE one (a BYTEA)")
    let values: [[UInt8]] = [Array(0...255), [], Array(#"\x41"#.utf8), Array(#"\\"#.utf8), Array("text".utf8)]
    for bytes in values {
      try await database.execute("DELETE FROM one")
      try await database.execute("INSERT INTO one (a) VALUES (?)", .blob(bytes))
      #expect(try await database.first("SELECT a FROM one")?["a"] == .blob(bytes))
    }
  }

  @Test("a text with a NUL is refused, and never cut")
  func nul() async throws {
    let database = try database()
    try await database.execute("CREATE TABLE one (a TEXT, b TEXT)")
    let error = await #expect(throws: PostgresError.self) {
      try await database.execute("INSERT INTO one (a, b) VALUES (?, ?)", "whole", "a\0b")
    }
    #expect(error?.code == "database_bad_value")
    #expect(
      error?.message
        == "\(database.place): value 2 of `INSERT INTO one (a, b) VALUES (?, ?)` is a text with the character NUL, or larger than 2 GiB, which PostgreSQL does not store"
    )
    #expect(try await database.query("SELECT a FROM one").isEmpty)
  }

  @Test("a missing column is null")
  func missingColumn() async throws {
    let row = try #require(try await database().first("SELECT"))
    #expect(row[0] == .null && row["a"] == .null && row[7] == .null)
  }

  @Test("a statement that was given up does not wait on in the server's queue")
  func abandoned() async throws {
    let (holder, waiter) = (try database(), try database(patience: 1))
    try await holder.execute("CREATE TABLE one (a BIGINT)")
    try await holder.execute("INSERT INTO one (a) VALUES (1)")
    let error = await #expect(throws: PostgresError.self) {
      try await holder.transaction { statements in
        try await statements.execute("UPDATE one SET a = 2")
        _ = try await waiter.transaction { try await $0.execute("UPDATE one SET a = 3") }
      }
    }
    #expect(error?.isRetryable == true, "\(String(describing: error))")
    let waiting =
      "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(name)' AND query LIKE 'UPDATE%' AND state = 'active'"
    while try server.sql(waiting) != "0" { try await HostLoop.shared.sleep(seconds: 0.05) }
    // The limit was the transaction's: neither the session nor the commit has it.
    #expect(try await waiter.first("SELECT current_setting('statement_timeout')")?[0] == "0")
    #expect(try await holder.first("SELECT a FROM one")?[0] == 1)
  }

  @Test("rows of many pieces arrive whole, and the number of changes with them")
  func rows() async throws {
    let database = try database()
    try await database.execute("CREATE TABLE one (a BIGINT, b TEXT)")
    let result = try await database.run(
      "INSERT INTO one SELECT n, repeat('x', 1000) FROM generate_series(1, 20000) n RETURNING a, b", [])
    #expect(result.changes == 20000 && result.rows.count == 20000)
    #expect(result.rows[19_999]["a"] == 20000 && result.rows[0]["b"].text?.utf8.count == 1000)
    #expect(try await database.execute("DELETE FROM one WHERE a <= 5") == 5)
    let error = await #expect(throws: PostgresError.self) {
      try await database.query("SELECT 1 / (3 - n) FROM generate_series(1, 5) n")
    }
    #expect(error?.sqlState == "22012")
    #expect(try await database.query("SELECT 1").count == 1)
  }
}
