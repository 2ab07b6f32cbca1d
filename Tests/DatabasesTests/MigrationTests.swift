import Databases
import HostLoop
import Testing

@Suite("Migrations") @HostActor
struct MigrationTests {
  private let first = Migrations("part", [["CREATE TABLE one (a BIGINT)", "CREATE TABLE two (b TEXT)"]])
  private let second = Migrations(
    "part", [["CREATE TABLE one (a BIGINT)", "CREATE TABLE two (b TEXT)"], ["ALTER TABLE one ADD COLUMN c TEXT"]])

  @Test("make the tables at first use, once", arguments: Engine.allCases)
  func make(engine: Engine) async throws {
    let scratch = try Scratch(engine)
    let database = try scratch.connect()
    #expect(try await first.state(of: database) == .missing)
    try await first.demand(in: database)
    try await first.demand(in: database)
    try await database.execute("INSERT INTO one (a) VALUES (1)")
    #expect(try await first.state(of: database) == .current)
    #expect(try await Migrations("other", [["CREATE TABLE three (a BIGINT)"]]).state(of: database) == .missing)
  }

  @Test("leave an older schema to an upgrade", arguments: Engine.allCases)
  func older(engine: Engine) async throws {
    let scratch = try Scratch(engine)
    let database = try scratch.connect()
    try await first.demand(in: database)
    try await database.execute("INSERT INTO one (a) VALUES (1)")
    let error = await #expect(throws: SchemaError.self) { try await second.demand(in: database) }
    #expect(
      error?.message
        == "the tables of part in \(database.place) have version 1, made by an earlier b2c-run; this one knows version 2"
    )
    #expect(
      error?.hint
        == "update b2c-run on all machines, and then run once, with the same --store: b2c-run store upgrade")
    #expect(try await second.upgrade(database) == 1)
    #expect(try await database.first("SELECT a, c FROM one")?.values == [1, nil])
  }

  @Test("refuse a newer schema untouched", arguments: Engine.allCases)
  func newer(engine: Engine) async throws {
    let scratch = try Scratch(engine)
    let database = try scratch.connect()
    try await second.demand(in: database)
    let error = await #expect(throws: SchemaError.self) { try await first.demand(in: database) }
    #expect(error?.code == "database_too_new")
    #expect(
      error?.message
        == "the tables of part in \(database.place) have version 2, made by a newer b2c-run; this one knows version 1")
    await #expect(throws: SchemaError.self) { try await first.upgrade(database) }
    #expect(try await second.state(of: database) == .current)
  }

  @Test("are all or nothing", arguments: Engine.allCases)
  func whole(engine: Engine) async throws {
    let scratch = try Scratch(engine)
    let database = try scratch.connect()
    let broken = Migrations("part", [["CREATE TABLE one (a BIGINT)"], ["CREATE TABLE one (a BIGINT)"]])
    await #expect(throws: (any Error).self) { try await broken.demand(in: database) }
    #expect(try await broken.state(of: database) == .missing)
    try await first.demand(in: database)
  }

  @Test("are made by one of several machines that start at a time", arguments: Engine.allCases)
  func race(engine: Engine) async throws {
    let scratch = try Scratch(engine)
    let databases = try (0..<6).map { _ in try scratch.connect() }
    let tasks = databases.map { database in HostActor.task { try await first.demand(in: database) } }
    for task in tasks { try await task.value }
    #expect(try await first.state(of: databases[0]) == .current)
  }
}
