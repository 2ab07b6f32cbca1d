import DatabaseAddress
import Databases
import HostLoop
import TestSupport
import Testing

@Suite("A commit whose answer gets lost") @HostActor
struct CommitTests {
  private let server: PostgresServer
  private let name: String
  private let database: PostgresDatabase

  /// A server whose commits wait for a standby that is not there, in sessions which want that.
  init() async throws {
    server = try PostgresServer(options: ["synchronous_standby_names=nobody", "synchronous_commit=off"])
    name = try server.makeDatabase()
    let address = server.address(name) + "?options=-csynchronous_commit%3Don"
    try server.sql("CREATE TABLE one (a BIGINT)", in: name)
    database = PostgresDatabase(try PostgresAddress(address))
  }

  /// Ends the session of the database once it waits for that event.
  private func end(_ event: String) async throws {
    let query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = '\(event)'"
    while try server.sql(query) != "t" { try await HostLoop.shared.sleep(seconds: 0.05) }
  }

  private var rows: String { get throws { try server.sql("SELECT count(*) FROM one", in: name) } }

  @Test("is found to have happened")
  func committed() async throws {
    let change = HostActor.task { [database] in
      try await database.transaction { try await $0.execute("INSERT INTO one (a) VALUES (1)") }
    }
    try await end("SyncRep")
    #expect(try await change.value == 1)
    #expect(try rows == "1")
    #expect(try await database.first("SELECT a FROM one")?[0] == 1)
  }

  @Test("is found not to have happened")
  func aborted() async throws {
    try server.sql(
      """
      CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NULL; END';
      CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON one DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION wait();
      """, in: name)
    let change = HostActor.task { [database] in
      try await database.transaction { try await $0.execute("INSERT INTO one (a) VALUES (1)") }
    }
    try await end("PgSleep")
    let error = await #expect(throws: PostgresError.self) { try await change.value }
    #expect(error?.code == "database_unreachable")
    #expect(try rows == "0")
  }

  @Test("is not known while the server is away")
  func unknown() async throws {
    let change = HostActor.task { [database] in
      try await database.transaction { try await $0.execute("INSERT INTO one (a) VALUES (1)") }
    }
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    while try server.sql(waiting) != "1" { try await HostLoop.shared.sleep(seconds: 0.05) }
    try server.crash()
    let error = await #expect(throws: PostgresError.self) { try await change.value }
    #expect(error?.code == "database_commit_unknown")
    #expect(
      error?.message.hasPrefix(
        "nobody knows whether \(database.place) has kept the last change: the answer got lost, and then: cannot connect to "
      )
        == true)
    #expect(error?.hint == "repeat the command when the server runs again: it looks first")
  }

  @Test("is looked up rightly on a standby that became the primary server", arguments: [true, false])
  func failover(isReplicated: Bool) async throws {
    let standby = try PostgresServer(standbyOf: server)
    let address = Self.addresses([server, standby], name) + "&options=-csynchronous_commit%3Don"
    let database = PostgresDatabase(try PostgresAddress(address), seeksCommits: true)
    _ = try await database.first("SELECT 1")
    if !isReplicated { try standby.crash() }
    let change = HostActor.task {
      try await database.transaction { try await $0.execute("INSERT INTO one (a) VALUES (1)") }
    }
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    while try server.sql(waiting) != "1" { try await HostLoop.shared.sleep(seconds: 0.05) }
    if isReplicated {
      while try standby.sql("SELECT count(*) FROM one", in: name) != "1" {
        try await HostLoop.shared.sleep(seconds: 0.05)
      }
    }
    try server.crash()
    if !isReplicated { try standby.start() }
    // Other transactions get the next numbers.
    try standby.sql("SELECT pg_promote()")
    try standby.sql(
      "DO 'BEGIN FOR i IN 1..200 LOOP INSERT INTO one (a) VALUES (7); COMMIT; END LOOP; END'", in: name)
    if isReplicated {
      #expect(try await change.value == 1)
    } else {
      let error = await #expect(throws: PostgresError.self) { try await change.value }
      #expect(error?.kind == .unreachable, "\(String(describing: error))")
    }
    #expect(try standby.sql("SELECT count(*) FROM one WHERE a = 1", in: name) == (isReplicated ? "1" : "0"))
  }

  private static func addresses(_ servers: [PostgresServer], _ name: String) -> String {
    let hosts = servers.map { "\($0.folder.replacing("/", with: "%2F")):\($0.port)" }.joined(separator: ",")
    return "postgresql://\(PostgresServer.user)@\(hosts)/\(name)?target_session_attrs=read-write"
  }
}
