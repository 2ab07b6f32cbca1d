import Accounts
import Core
import DatabaseAddress
import Databases
import Files
import HostLoop
import JOSE
import JSON
import TestSupport
import Testing

/// Somebody writes to the tables behind the back of the stores. No token leaves for where the sign-in did not lead.
@Suite("A store that somebody has changed", .serialized) @HostActor
struct TamperedStoreTests {
  private let clock = Clock()
  private let provider: JSON = ["tokenURL": "https://issuer.example/token", "clientID": "client-1"]

  private nonisolated static let changes = [
    ("provider", #"'{"tokenURL":"https://evil.example/token","clientID":"client-1"}'"#), ("issuer", "'https://evil/'"),
    ("subject", "'b2'"), ("account_type", "'other'"), ("policy", "'B2C_1_Evil'"), ("policy", "NULL"), ("name", "'Bob'"),
    ("claims", #"'{"sub":"a1","name":"Alice"}'"#), ("requested_scopes", "'openid evil'"),
    ("grant_type", "'client_credentials'"), ("refresh_flow", "'evil'"), ("given_subject", "1"), ("agent", "'browser'"),
    ("session", "'evil'"),
  ]

  @Test("gives no token of an account whose facts differ", arguments: Engine.allCases)
  func facts(engine: Engine) async throws {
    for (column, value) in Self.changes {
      let place = try StorePlace(engine)
      let refresher = ScriptedRefresher()
      let own = AccountManager(store: try await place.open(now: clock.read), pauses: noPauses) { _ in refresher }
      let mine = try await signIn(own, provider: provider)
      _ = try await own.token(for: mine)
      try place.sql("UPDATE account SET \(column) = \(value)")
      clock.now += 4000
      let later = AccountManager(store: try await place.open(now: clock.read), pauses: noPauses) { _ in refresher }
      let theirs = try #require(try await later.store.all().first)
      let error = await #expect(throws: AccountError.self) { try await later.token(for: theirs) }
      #expect(
        error?.message
          == "the account Alice in \(later.store.path) was changed by somebody else since it signed in (\(column)); its tokens were not used",
        "\(column)")
      #expect(error?.code == "store_damaged" && error?.isRetryable == false)
      // Nor in the process that has the tokens in memory.
      let held = await #expect(throws: AccountError.self) { try await own.token(for: mine) }
      #expect(held?.code == "store_damaged", "\(column): \(String(describing: held))")
      #expect(refresher.asked.isEmpty, "\(column)")
      // The account can be removed, and signed in again.
      try await later.store.remove(theirs)
      #expect(try await later.store.all().isEmpty)
    }
  }

  @Test("gives no token after a sign-in into a row that somebody prepared", arguments: Engine.allCases)
  func preparedRow(engine: Engine) async throws {
    let place = try StorePlace(engine)
    let manager = AccountManager(store: try await place.open(now: clock.read), pauses: noPauses) { _ in
      ScriptedRefresher()
    }
    _ = try await signIn(manager, provider: provider)
    try place.sql("UPDATE account SET provider = '{}', policy = 'B2C_1_Evil', claims = '{}', name = 'Bob'")
    let later = AccountManager(store: try await place.open(now: clock.read), pauses: noPauses) { _ in
      ScriptedRefresher()
    }
    let account = try await signIn(later, provider: provider)
    #expect(try await later.token(for: account).reveal() == "access-0-of-sign-in")
    #expect(try place.sql("SELECT policy FROM account") == ["B2C_1_SignIn"])
  }

  @Test(
    "takes what was sealed without the facts in a file of its own, once, and in a database never",
    arguments: Engine.allCases)
  func withoutFacts(engine: Engine) async throws {
    let place = try StorePlace(engine)
    let store = try await place.open(now: clock.read)
    _ = try await signIn(StoreTests.manager(store), provider: provider)
    let file = String(try await store.vaultPlace.dropFirst("the key file ".count))
    let key = try JWK(JSON(parsing: FileSystem.contents(of: file, limit: 4096)))
    let sealed = try #require(try place.sql("SELECT tokens FROM account").first)
    var members = try #require(JSON(parsing: JWE.open(sealed, key: key)).object)
    #expect(members["facts"]?["provider"] == provider)
    members["facts"] = nil
    let old = try JWE.seal(Array(JSON.object(members).encoded().utf8), key: key)
    try place.sql("UPDATE account SET tokens = '\(old)'")
    let later = StoreTests.manager(try await place.open(now: clock.read))
    let account = try #require(try await later.store.current())
    guard engine == .sqlite else {
      let error = await #expect(throws: AccountError.self) { try await later.token(for: account) }
      #expect(error?.code == "store_damaged" && error?.hint == "sign in again", "\(String(describing: error))")
      return
    }
    #expect(try await later.token(for: account).reveal() == "access-0-of-sign-in")
    let anew = try #require(try place.sql("SELECT tokens FROM account").first)
    #expect(try JSON(parsing: JWE.open(anew, key: key))["facts"]?["provider"] == provider)
  }

  @Test(
    "with numbers out of all bounds says which",
    arguments: [
      ("expires_at", "9223372036854775807"), ("obtained_at", "-9223372036854775808"), ("retry_after", "-1"),
      ("token_revision", "9223372036854775807"), ("data_revision", "9223372036854775807"),
      ("unfinished_renewals", "9223372036854775807"), ("given_subject", "2"), ("number", "4611686018427387904"),
    ])
  func numbers(column: String, value: String) async throws {
    for engine in Engine.allCases {
      let place = try StorePlace(engine)
      _ = try await signIn(StoreTests.manager(try await place.open(now: clock.read)))
      try place.sql("UPDATE account SET \(column) = \(value)")
      let later = try await place.open(now: clock.read)
      let error = await #expect(throws: AccountError.self) { try await later.find() }
      #expect(
        error?.message.contains(
          " of the table account in \(later.path) is damaged: its column \(column) does not hold an integer from ")
          == true,
        "\(String(describing: error))")
      #expect(error?.code == "store_damaged")
      // The others are there, and the damaged one is told.
      var told: [String] = []
      later.damaged.tell = { told.append($0) }
      #expect(try await later.all().isEmpty)
      #expect(told.count == 1 && told[0].contains("its column \(column)"), "\(told)")
    }
  }

  @Test(
    "makes no folder by an ID of another form",
    arguments: ["../../../tmp/x", "", "abc", "A0000000000000000000000000000000"])
  func identifier(id: String) async throws {
    let place = try StorePlace(.postgresql)
    _ = try await place.open()
    try place.sql("UPDATE account_store SET id = '\(id)'")
    let error = await #expect(throws: AccountError.self) { try await place.open(machine: "two") }
    #expect(error?.code == "store_damaged")
    #expect(error?.message.hasSuffix("is damaged: its own ID does not have 32 hexadecimal digits") == true)
    #expect(!place.folder.names.contains("two"))
  }

  @Test("of versions that no program counts so says so", arguments: ["-1", "9223372036854775807"])
  func version(number: String) async throws {
    let place = try StorePlace(.postgresql)
    _ = try await place.open()
    try place.sql("UPDATE schema_version SET version = \(number) WHERE part = 'accounts'")
    let error = await #expect(throws: AccountError.self) { try await place.open() }
    #expect(error?.code == "store_damaged", "\(String(describing: error))")
  }

  @Test("and a server whose clock tells no time", arguments: ["NaN", "1e300", "-Infinity"])
  func serverClock(time: String) async throws {
    let place = try StorePlace(.postgresql)
    _ = try await place.open()
    let server = try HostilePostgres { sql in
      let columns: [UInt8]
      let value: String
      if sql.contains("clock_timestamp") {
        (columns, value) = (HostilePostgres.columns(("now", 701)), time)
      } else if sql.contains("FROM account_store") {
        (columns, value) = (HostilePostgres.columns(("id", 25)), String(repeating: "a", count: 32))
      } else if sql.contains("FROM account_group") {
        return .messages(HostilePostgres.columns(("proof", 25)) + HostilePostgres.done("SELECT 0"))
      } else {
        (columns, value) = (HostilePostgres.columns(("version", 20)), "1")
      }
      return .messages(columns + HostilePostgres.row(value) + HostilePostgres.done("SELECT 1"))
    }
    let state = place.folder.path("three")
    let address = try PostgresAddress(server.address)
    let error = await #expect(throws: AccountError.self) {
      try await AccountStore(.database(address), variable: { $0 == "XDG_STATE_HOME" ? state : nil })
    }
    #expect(error?.code == "store_damaged", "\(String(describing: error))")
  }
}
