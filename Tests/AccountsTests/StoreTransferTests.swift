import Accounts
import Core
import HostLoop
import JOSE
import JSON
import TestSupport
import Testing

@Suite("Moving a store") @HostActor
struct StoreTransferTests {
  private func transfer(_ from: StorePlace, _ to: StorePlace) -> StoreTransfer {
    StoreTransfer(
      from: { group async throws(AccountError) in try await from.open(group: group) },
      to: { group async throws(AccountError) in try await to.open(group: group) })
  }

  @Test("takes accounts, secrets and keys of all groups along, and back")
  func all() async throws {
    let (files, database) = (try StorePlace(.sqlite), try StorePlace(.postgresql))
    let store = try await files.open()
    let account = try await signIn(StoreTests.manager(store))
    account.data = ["theme": "dark"]
    try await StoreTests.manager(store).save(account)
    try await store.save(Secret("hunter2"), name: "pass")
    let key = try PrivateKey.generate(.ed25519, keyID: "k-1")
    try await store.save(key, name: "client", provider: ["clientID": "c-1"])
    _ = try await signIn(StoreTests.manager(files.open(group: "work")), bob)

    for (from, to) in [(files, database), (database, files)] {
      let counts = try await transfer(from, to).run()
      #expect((counts.accounts, counts.secrets, counts.keys) == (2, 1, 1))
      #expect(try await from.open().all().isEmpty)
      #expect(try await from.open().secrets().isEmpty)
      let store = try await to.open()
      let moved = try #require(try await store.current())
      #expect(moved.id == account.id)
      #expect(moved.data == ["theme": "dark"])
      #expect(try await StoreTests.manager(store).token(for: moved).reveal() == "access-0-of-sign-in")
      #expect(try await store.secret("pass")?.reveal() == "hunter2")
      #expect(try await store.savedKey("client")?.key.reveal() == key.reveal())
      let work = try await to.open(group: "work")
      #expect(try await work.current()?.name == "bob@contoso.example")
    }
  }

  @Test("into a store with accounts changes nothing")
  func full() async throws {
    let (files, database) = (try StorePlace(.sqlite), try StorePlace(.postgresql))
    _ = try await signIn(StoreTests.manager(files.open()))
    _ = try await signIn(StoreTests.manager(database.open()), bob)
    let error = await #expect(throws: AccountError.self) { try await transfer(files, database).run() }
    #expect(error?.code == "store_not_empty")
    #expect(
      error?.message == "the store \(try await database.open().path) has 1 account already; nothing was moved")
    #expect(try await files.open().all().map(\.name) == ["Alice"])
    #expect(try await database.open().all().map(\.name) == ["bob@contoso.example"])
  }

  @Test("of a token that does not open changes nothing", arguments: [Engine.sqlite, .postgresql])
  func unreadable(engine: Engine) async throws {
    let from = try StorePlace(engine)
    let to = try StorePlace(engine == .sqlite ? .postgresql : .sqlite)
    let store = try await from.open()
    _ = try await signIn(StoreTests.manager(store))
    _ = try await signIn(StoreTests.manager(store), bob)
    try from.sql("UPDATE account SET tokens = 'broken' WHERE subject = 'b2'")
    let error = await #expect(throws: AccountError.self) { try await transfer(from, to).run() }
    #expect(error?.code == "tokens_unreadable")
    #expect(try await store.all().count == 2)
    #expect(try await to.open().all().isEmpty)
  }
}
