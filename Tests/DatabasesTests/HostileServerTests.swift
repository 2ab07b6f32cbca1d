import Core
import DatabaseAddress
import Databases
import HostLoop
import TestSupport
import Testing

/// A server that does not keep to the rules ends a statement with an error, and never the program.
@Suite("A hostile database server") @HostActor
struct HostileServerTests {
  private typealias Server = HostilePostgres

  private func failure(
    _ server: HostilePostgres, patience: Double = 20, _ sql: String = "SELECT 1"
  ) async throws -> PostgresError? {
    let database = PostgresDatabase(try PostgresAddress(server.address), patience: patience)
    return await #expect(throws: PostgresError.self) { try await database.query(sql) }
  }

  @Test("that begins a copy loses the connection", arguments: ["G", "H", "W"] as [Character])
  func copy(type: Character) async throws {
    let server = try Server { _ in .messages(Server.copy(type)) }
    let error = try #require(try await failure(server))
    #expect(
      error.message
        == "the connection to \(server.address) was closed after `SELECT 1`: it answers what no statement of this program asks for"
    )
    #expect(error.code == "database_error" && !error.isRetryable)
  }

  @Test("that sends rows without an end fills no memory")
  func endlessRows() async throws {
    let server = try Server { _ in
      .endless(Server.row(String(repeating: "A", count: 1 << 20)), start: Server.columns(("x", 25)))
    }
    let error = try #require(try await failure(server))
    #expect(error.message.hasSuffix("its answer has more than 128 MiB"), "\(error)")
    #expect(error.details["sql"] == "SELECT 1")
  }

  @Test("that sends one row of a size without an end fills no memory")
  func endlessRow() async throws {
    // A row of 1 GiB, which never ends.
    let server = try Server { _ in
      .endless(
        [UInt8](repeating: 65, count: 1 << 20),
        start: Server.columns(("x", 25)) + Array("D".utf8) + [64, 0, 0, 0, 0, 1, 63, 255, 255, 240])
    }
    let error = try #require(try await failure(server))
    #expect(error.message.hasSuffix("its answer has more than 128 MiB"), "\(error)")
  }

  @Test("that always says a little more is not waited for longer")
  func slow() async throws {
    let server = try Server { _ in
      .endless(Server.row("A"), start: Server.columns(("x", 25)), pause: 0.01)
    }
    let error = try #require(try await failure(server, patience: 1))
    #expect(error.message == "the connection to \(server.address) is lost: no answer for 1 seconds")
    #expect(error.isRetryable)
  }

  @Test("that reports errors without an end is not waited for longer")
  func endlessErrors() async throws {
    let server = try Server { _ in .endless(Server.error("no", "XX000")) }
    let error = try #require(try await failure(server, patience: 1))
    #expect(error.message == "the connection to \(server.address) is lost: no answer for 1 seconds")
  }

  @Test("that has a client compute without an end to sign in is not waited for, and not asked again meanwhile")
  func endlessSignIn() async throws {
    let server = try Server(greeting: .messages(Server.message("R", [0, 0, 0, 10] + Array("SCRAM-SHA-256\0\0".utf8)))) {
      let challenge = "r=\($0.split(separator: "r=").last ?? "")server,s=c2FsdA==,i=20000000"
      return .messages(Server.message("R", [0, 0, 0, 11] + Array(challenge.utf8)))
    }
    let text = server.address.replacing("tests@", with: "tests:password@") + "?connect_timeout=2"
    for _ in 1...2 {
      let database = PostgresDatabase(try PostgresAddress(text), patience: 0.1)
      let error = await #expect(throws: PostgresError.self) { try await database.query("SELECT 1") }
      #expect(error?.message == "cannot connect to \(server.address): the server does not come to an end")
      #expect(error?.kind == .unreachable)
    }
  }

  @Test(
    "whose values are not of their types is told",
    arguments: [(20, "x"), (20, "99999999999999999999"), (701, "-"), (17, #"\x0g"#), (17, #"\9"#), (16, "maybe")])
  func values(type: Int32, value: String) async throws {
    let server = try Server { _ in
      .messages(Server.columns(("one", type)) + Server.row(value) + Server.done("SELECT 1"))
    }
    let error = try #require(try await failure(server))
    #expect(
      error.message
        == "\(server.address): the server's answer to `SELECT 1` has a value in the column one that its type does not have"
    )
  }

  @Test("cannot write to the terminal")
  func controls() async throws {
    let reason = "\u{1b}[2J\u{1b}]0;owned\u{7}evil\r\nsecond line: password\u{202e}"
    let server = try Server { _ in .messages(Server.error(reason, "XX000") + Server.ready) }
    let error = try #require(try await failure(server))
    #expect(
      error.message
        == "\(server.address): ␛[2J␛]0;owned␇evil⏎second line: password\\u{202E} in `SELECT 1`")
    // Nor by the refusal of a connection; and its words choose no hint.
    let doorman = try Server(greeting: .messages(Server.error(reason, "XX000", severity: "FATAL")))
    let refusal = try #require(try await failure(doorman))
    #expect(
      refusal.message
        == "cannot connect to \(doorman.address): connection to server at \"127.0.0.1\", port \(doorman.port) failed: "
        + "FATAL:  ␛[2J␛]0;owned␇evil⏎second line: password\\u{202E}")
    #expect(refusal.hint == "see what the server logs")
  }

  @Test(
    "tells by its codes what went wrong, in any language",
    arguments: [
      ("28P01", PostgresError.Kind.refused), ("28000", .refused), ("3D000", .refused), ("57P03", .unreachable),
      ("53300", .unreachable),
    ])
  func refusals(state: String, kind: PostgresError.Kind) async throws {
    let server = try Server(greeting: .messages(Server.error("Zutritt verweigert", state, severity: "FATAL")))
    let error = try #require(try await failure(server))
    #expect(error.kind == kind)
    #expect(error.sqlState == state)
    #expect(error.message.hasSuffix(" failed: FATAL:  Zutritt verweigert"))
  }

  @Test(
    "has errors that pass, and others",
    arguments: [
      ("57014", true), ("25P03", true), ("57P01", true), ("08006", true), ("40001", true), ("57P04", false),
      ("08P01", false), ("XX000", false),
    ])
  func passing(state: String, isRetryable: Bool) async throws {
    let server = try Server { _ in .messages(Server.error("no", state) + Server.ready) }
    #expect(try await failure(server)?.isRetryable == isRetryable)
  }
}
