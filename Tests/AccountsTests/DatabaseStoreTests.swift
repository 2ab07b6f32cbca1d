import Accounts
import Core
import DatabaseAddress
import Databases
import Glibc
import HostLoop
import JSON
import TestSupport
import Testing

/// Machines that share a database.
@Suite("A store of several machines") @HostActor
struct DatabaseStoreTests {
  private let place: StorePlace
  private let clock = Clock()

  init() throws { place = try StorePlace(.postgresql) }

  private func manager(_ machine: String, _ refresher: ScriptedRefresher) async throws -> AccountManager {
    AccountManager(store: try await place.open(machine: machine, now: clock.read), pauses: noPauses) { _ in refresher }
  }

  private var shown: String {
    if case .database(let address) = place.location { address.shown } else { "" }
  }

  /// The keys of a machine.
  private func keys(of machine: String) async throws -> StoreKeys {
    guard case .database(let address) = place.location else { throw AccountError(.storeUnusable, "no database") }
    let state = place.folder.path(machine)
    return try await StoreKeys(of: address, variable: { $0 == "XDG_STATE_HOME" ? state : nil })
  }

  /// Gives the keys of the first machine to another one.
  private func shareKeys(with machine: String) async throws {
    let file = place.folder.path("keys-for-\(machine)")
    let groups = try await keys(of: "one").export(to: file)
    #expect(try await keys(of: machine).import(from: file) == groups)
    unlink(file)
  }

  /// The path of a machine's key file of a group.
  private func keyFile(_ machine: String, _ group: String) throws -> String {
    let id = try #require(try place.sql("SELECT id FROM account_store").first)
    return place.folder.path("\(machine)/b2c-run/stores/\(id)/\(KeyFileVault.name(of: group))")
  }

  @Test("refreshes a generation of tokens once, whichever machine asks")
  func oneRefresh() async throws {
    let refresher = ScriptedRefresher()
    let first = try await manager("one", refresher)
    let mine = try await signIn(first)
    try await shareKeys(with: "two")
    let second = try await manager("two", refresher)
    let theirs = try #require(try await second.store.current())
    #expect(try await second.token(for: theirs).reveal() == "access-0-of-sign-in")
    for generation in 1...3 {
      clock.now += 4000
      let tasks = (0..<10).flatMap { _ in
        [(first, mine), (second, theirs)].map { manager, account in
          HostActor.task { try await manager.token(for: account).reveal() }
        }
      }
      for task in tasks { #expect(try await task.value == "access-\(generation)-of-refresh") }
      #expect(refresher.asked.count == generation)
    }
  }

  @Test("stores new tokens before anybody gets them")
  func storedFirst() async throws {
    let refresher = ScriptedRefresher()
    let manager = try await manager("one", refresher)
    let account = try await signIn(manager)
    clock.now += 4000
    let token = try await manager.token(for: account)
    let again = try await self.manager("one", refresher)
    let stored = try #require(try await again.store.current())
    #expect(try await again.token(for: stored).reveal() == token.reveal())
    #expect(refresher.asked.count == 1)
  }

  @Test("new tokens wait until the disk of the server has room: the old ones may be worthless")
  func fullDisk() async throws {
    var told: [String] = []
    let (place, refresher, state) = (place, ScriptedRefresher(), place.folder.path("one"))
    let store = try await AccountStore(
      place.location, variable: { $0 == "XDG_STATE_HOME" ? state : nil }, now: clock.read,
      tell: { text in
        guard !text.contains("clock") else { return }
        told.append(text)
        do { try place.sql("DROP TRIGGER full_disk ON account") } catch { Issue.record(error) }
      })
    let manager = AccountManager(store: store, pauses: noPauses) { _ in refresher }
    let account = try await signIn(manager)
    clock.now += 4000
    try place.sql(
      """
      CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$
      """)
    try place.sql(
      "CREATE TRIGGER full_disk BEFORE UPDATE OF tokens ON account FOR EACH ROW EXECUTE FUNCTION full_disk()")
    #expect(try await manager.token(for: account).reveal() == "access-1-of-refresh")
    #expect(
      told == [
        "the provider gave the account Alice new tokens, and they cannot be stored yet: \(shown): could not extend file: No "
          + "space left on device; waiting for the database, because the old ones may be worthless"
      ])
    let again = try await self.manager("one", refresher)
    #expect(try await again.token(for: try #require(try await again.store.current())).reveal() == "access-1-of-refresh")
    #expect(refresher.asked.count == 1)
  }

  @Test("a machine that dies in a refresh keeps the others out until its lease ends")
  func deadMachine() async throws {
    let refresher = ScriptedRefresher()
    let manager = try await manager("one", refresher)
    let account = try await signIn(manager)
    clock.now += 4000
    let now = "extract(epoch FROM clock_timestamp())"
    try place.sql("INSERT INTO lease VALUES ('refresh/\(account.id)', 'a dead machine', 1, \(now) + 1)")
    let start = HostLoop.uptime
    #expect(try await manager.token(for: account).reveal() == "access-1-of-refresh")
    #expect(HostLoop.uptime - start >= 0.9)
    #expect(try place.sql("SELECT epoch FROM lease WHERE name = 'refresh/\(account.id)'") == ["2"])
  }

  @Test("a machine that was held up until its lease ended does not ask the provider")
  func heldUp() async throws {
    let refresher = ScriptedRefresher()
    let place = place
    let store = try await place.open(now: clock.read)
    let manager = AccountManager(store: store, pauses: noPauses) { account in
      // Another machine has taken over before the request.
      try place.sql(
        "UPDATE lease SET owner = 'another machine', epoch = epoch + 1 WHERE name = 'refresh/\(account.id)'")
      return refresher
    }
    let account = try await signIn(manager)
    clock.now += 4000
    let error = await #expect(throws: AccountError.self) { try await manager.token(for: account) }
    #expect(error?.kind == .refreshBusy)
    #expect(refresher.asked.isEmpty)
  }

  @Test("a machine without the group's key, or with another one, is told so before anything else")
  func otherGroup() async throws {
    _ = try await signIn(manager("one", ScriptedRefresher()))
    let none = await #expect(throws: AccountError.self) { try await place.open(machine: "two") }
    #expect(
      none?.description == """
        this machine has no key for the accounts default in \(shown), which are sealed with the key of another machine \
        (with the same --store, on that machine: b2c-run store key export FILE; here: b2c-run store key import FILE)
        """)
    #expect(none?.code == "other_group")
    // Another group's key in its place.
    let other = place.folder.write(
      #"{"kty":"oct","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#.utf8, to: "other.key")
    let refused = await #expect(throws: AccountError.self) { try await keys(of: "two").import(from: other) }
    #expect(
      refused?.message == """
        the key in \(other) is of another store: \(shown) has the accounts default, sealed with other keys; no key was taken
        """)
    #expect(!place.folder.names.contains("two"))
  }

  @Test("one file has the keys of all groups, and each goes into its own")
  func allGroups() async throws {
    _ = try await signIn(manager("one", ScriptedRefresher()))
    let group = "com.onmicrosoft.contoso"
    try await place.open(group: group).save(Secret("hunter2"), name: "pass")
    let file = place.folder.path("keys")
    #expect(try await keys(of: "one").export(to: file) == [group, "default"])
    #expect(place.folder.mode("keys") == "600")
    let json = try JSON(parsing: place.folder.contents("keys"))
    #expect(json["keys"]?.array?.compactMap { $0["group"]?.string } == [group, "default"])
    #expect(try await keys(of: "two").import(from: file) == [group, "default"])
    #expect(try await place.open(group: group, machine: "two").secret("pass")?.reveal() == "hunter2")
    #expect(try await place.open(machine: "two").all().count == 1)
    // Again, and back: nothing changes.
    #expect(try await keys(of: "one").import(from: file) == [group, "default"])
    let again = await #expect(throws: AccountError.self) { try await keys(of: "two").export(to: file) }
    #expect(again?.description == "there is a file \(file) already (name a new file)")
  }

  @Test("an export makes no key, and names the groups whose keys are elsewhere")
  func missingKeys() async throws {
    let file = place.folder.path("keys")
    let empty = await #expect(throws: AccountError.self) { try await keys(of: "one").export(to: file) }
    #expect(empty?.message == "\(shown) has no keys yet")
    try await place.open().save(Secret("hunter2"), name: "pass")
    try await place.open(group: "work", machine: "two").save(Secret("swordfish"), name: "pass")
    let kept = try keyFile("two", "work")
    for (machine, group) in [("one", "work"), ("two", "default")] {
      let refused = await #expect(throws: AccountError.self) { try await keys(of: machine).export(to: file) }
      #expect(
        refused?.description == """
          this machine has no key for the accounts \(group) in \(shown) (export on a machine that has all keys; or copy \
          the key file \(try keyFile(machine, group)) of the machine that has this key, and give the copy to: b2c-run \
          store key import FILE)
          """)
    }
    #expect(!place.folder.names.contains("keys"))
    // The way out: the key file of the other machine, which names no group.
    #expect(try await keys(of: "one").import(from: kept) == ["work"])
    #expect(try await keys(of: "one").export(to: file) == ["default", "work"])
  }

  @Test(
    "a file that holds no keys",
    arguments: ["", "{}", #"{"keys":[]}"#, #"{"keys":[{"kty":"oct","k":"AAAA","kid":"x","group":"default"}]}"#])
  func noKeys(text: String) async throws {
    try await place.open().save(Secret("hunter2"), name: "pass")
    let file = place.folder.write(Array(text.utf8), to: "broken")
    let refused = await #expect(throws: AccountError.self) { try await keys(of: "one").import(from: file) }
    #expect(
      refused?.description == """
        the file \(file) holds no keys of a store, or was changed (copy it again, or make it again on a machine that has \
        the keys: b2c-run store key export FILE)
        """)
  }

  @Test("the keys of a service are a credential", arguments: ["accounts.key", "accounts-default.key"])
  func credential(name: String) async throws {
    _ = try await signIn(manager("one", ScriptedRefresher()))
    let credentials = place.folder.path("credentials")
    mkdir(credentials, 0o700)
    if name == KeyFileVault.credential {
      _ = try await keys(of: "one").export(to: "\(credentials)/\(name)")
    } else {
      #expect(link(try keyFile("one", "default"), "\(credentials)/\(name)") == 0)
    }
    let state = place.folder.path("two")
    let store = try await AccountStore(
      place.location, variable: { ["XDG_STATE_HOME": state, "CREDENTIALS_DIRECTORY": credentials][$0] },
      now: clock.read)
    let account = try #require(try await store.current())
    #expect(try await StoreTests.manager(store).token(for: account).reveal() == "access-0-of-sign-in")
    #expect(!place.folder.names.contains("two"))
  }

  @Test("no token and no key is in the database in the clear")
  func sealed() async throws {
    let manager = try await manager("one", ScriptedRefresher())
    let account = try await signIn(manager, clientSecret: "the client's secret")
    try await manager.refresh(account)
    try await manager.store.save(Secret("a kept secret"), name: "kept")
    let server = try PostgresServer.shared
    let dump = try server.tool(["pg_dump", "-d", server.address(place.database)])
    let file = place.folder.path("key")
    _ = try await keys(of: "one").export(to: file)
    let key = String(decoding: place.folder.contents("key"), as: UTF8.self)
    let value = try #require(key.split(separator: "\"").max { $0.count < $1.count })
    #expect(value.count > 40 && dump.contains("Alice"))
    for secret in [
      "the client's secret", "access-0-of-sign-in", "refresh-0-of-sign-in", "access-1-of-refresh", "a kept secret",
      String(value),
    ] { #expect(!dump.contains(secret)) }
    #expect(place.folder.mode("key") == "600")
  }

  @Test("a newer schema is refused and left as it is")
  func newer() async throws {
    _ = try await place.open()
    try place.sql("UPDATE schema_version SET version = 9 WHERE part = 'accounts'")
    let error = await #expect(throws: AccountError.self) { try await place.open() }
    #expect(
      error?.description == """
        the tables of accounts in \(shown) have version 9, made by a newer b2c-run; this one knows version 1 \
        (update b2c-run on this machine; the tables have been left as they are)
        """)
    #expect(error?.code == "database_too_new")
    #expect(try place.sql("SELECT version FROM schema_version WHERE part = 'accounts'") == ["9"])
  }

  @Test("a clock that is wrong by more than a minute is told", arguments: [-120, -30, 30, 120])
  func clocks(seconds: Int64) async throws {
    var told: [String] = []
    let state = place.folder.path("one")
    _ = try await AccountStore(
      place.location, variable: { $0 == "XDG_STATE_HOME" ? state : nil }, now: { Int64(time(nil)) + seconds },
      tell: { told.append($0) })
    guard abs(seconds) > 60 else { return #expect(told == []) }
    let message = try #require(told.first)
    let side = seconds > 0 ? "ahead of" : "behind"
    #expect(message.contains(#/^this machine's clock is 1[12]\d s /#))
    #expect(
      message.hasSuffix(
        " s \(side) the clock of \(shown); set it, because tokens are renewed too early or too late"))
  }

  @Test("a signed-out account leaves no lease")
  func noLease() async throws {
    let manager = try await manager("one", ScriptedRefresher())
    let account = try await signIn(manager)
    try await manager.refresh(account)
    #expect(try place.sql("SELECT name FROM lease WHERE name LIKE 'refresh/%'") == ["refresh/\(account.id)"])
    try await manager.signOut(account)
    #expect(try place.sql("SELECT name FROM lease WHERE name LIKE 'refresh/%'") == [])
  }

  @Test("a server that restarts in between is waited for, once told")
  func restart() async throws {
    let server = try PostgresServer()
    let address = server.address(try server.makeDatabase())
    var told: [String] = []
    let state = place.folder.path("one")
    let store = try await AccountStore(
      .database(try PostgresAddress(address)), variable: { $0 == "XDG_STATE_HOME" ? state : nil },
      tell: { told.append($0) })
    _ = try await signIn(StoreTests.manager(store))
    try server.crash()
    let restart = SystemThread.start {
      usleep(500_000)
      try? server.start()
    }
    #expect(restart != nil)
    #expect(try await store.all().map(\.name) == ["Alice"])
    #expect(told == ["the database \(store.path) does not answer; waiting for 6 seconds"])
    try server.crash()
    let error = await #expect(throws: AccountError.self) { try await store.all() }
    #expect(error?.code == "database_unreachable")
    #expect(error?.isRetryable == true)
  }
}
