import Accounts
import Core
import Databases
import Glibc
import HostLoop
import JSON
import TestSupport
import Testing

@Suite struct StoreTests {
  @HostActor static func manager(_ store: AccountStore) -> AccountManager {
    AccountManager(store: store) { _ in ScriptedRefresher() }
  }

  @Test(arguments: Engine.allCases + [nil]) @HostActor
  func keepsAccountsTypesAndPoliciesApart(engine: Engine?) async throws {
    let place = try engine.map { try StorePlace($0) }
    let store = if let place { try await place.open() } else { try await AccountStore(.memory) }
    let manager = Self.manager(store)
    let first = try await signIn(manager)
    let again = try await signIn(manager, policy: "b2c_1_signin")
    let edit = try await signIn(manager, policy: "B2C_1_Edit")
    let work = try await signIn(manager, accountType: "work")
    let bob = try await signIn(manager, bob)
    #expect(first === again)
    #expect(try await store.all().map(\.id) == [first, edit, work, bob].map(\.id))
    #expect(try await store.current() === bob)
    #expect(bob.name == "bob@contoso.example")
    #expect(try await store.find(policy: "B2C_1_EDIT") === edit)
    #expect(try await store.find(accountType: "work") === work)
    #expect(try await store.find(id: bob.id) === bob)
    #expect(try await store.find(name: "Alice", policy: "B2C_1_SignIn", accountType: "default") === first)
    #expect(try await store.find(name: "Mallory") == nil)
    try await store.use(work)
    #expect(try await store.current() === work)
    #expect(try await store.find(name: "Alice") === work)
    try await manager.signOut(work)
    #expect(try await store.current() == nil)
    #expect(work.isRemoved)
    #expect(try await store.all().count == 3)
  }

  @Test(arguments: Engine.allCases) @HostActor func restoresEverything(engine: Engine) async throws {
    let place = try StorePlace(engine)
    let clock = Clock()
    let id: String
    do {
      let manager = Self.manager(try await place.open(now: clock.read))
      let account = try await signIn(
        manager, provider: ["clientID": "client-1", "policies": ["reset": "B2C_1_r"]],
        clientSecret: "the client's secret", agent: "headless", session: "nightly")
      account.data = ["theme": "dark", "opened": 3]
      try await manager.save(account)
      id = account.id
    }
    let store = try await place.open(now: clock.read)
    let restored = try #require(try await store.current())
    #expect(restored.id == id)
    #expect(restored.name == "Alice")
    #expect(restored.claims == alice)
    #expect(restored.scopes == ["openid", "offline_access"])
    #expect(restored.requestedScopes == ["openid", "offline_access"])
    #expect(restored.data == ["theme": "dark", "opened": 3])
    #expect(restored.expiresAt == clock.now + 3600)
    #expect(restored.obtainedAt == clock.now)
    #expect(restored.provider == ["clientID": "client-1", "policies": ["reset": "B2C_1_r"]])
    #expect(restored.grantType == "authorization_code")
    #expect(restored.agent == "headless")
    #expect(restored.session == "nightly")
    #expect(restored.policy == "B2C_1_SignIn")
    #expect(restored.issuer == "https://issuer.example/")
    #expect(restored.subject == "a1")
    let manager = Self.manager(store)
    #expect(try await manager.token(for: restored).reveal() == "access-0-of-sign-in")
    #expect(try await manager.refreshToken(of: restored)?.reveal() == "refresh-0-of-sign-in")
    #expect(try await manager.idToken(of: restored)?.reveal() == "id-token-of-sign-in")
    #expect(try await manager.clientSecret(of: restored)?.reveal() == "the client's secret")
    // A refresh changes the tokens alone.
    try await manager.refresh(restored)
    #expect(try await manager.clientSecret(of: restored)?.reveal() == "the client's secret")
    #expect(try await manager.idToken(of: restored)?.reveal() == "id-token-of-sign-in")
    #expect(restored.session == "nightly")
  }

  @Test @HostActor func groupsDoNotSeeEachOther() async throws {
    let folder = TemporaryFolder()
    let one = try await AccountStore(.folder(folder.path), group: "one")
    let two = try await AccountStore(.folder(folder.path), group: "two/../x")
    _ = try await signIn(Self.manager(one))
    #expect(try await two.all().isEmpty)
    #expect(try await two.current() == nil)
    _ = try await signIn(Self.manager(two), bob)
    #expect(try await one.all().map(\.name) == ["Alice"])
    #expect(folder.names.filter { $0.hasSuffix(".key") } == ["accounts-one.key", "accounts-two_2f__2e__2e__2f_x.key"])
  }

  @Test(arguments: Engine.allCases) @HostActor func dataOfTwoProcessesIsNotLostSilently(engine: Engine) async throws {
    let place = try StorePlace(engine)
    let one = Self.manager(try await place.open())
    let mine = try await signIn(one)
    let two = Self.manager(try await place.open())
    let theirs = try #require(try await two.store.current())
    mine.data = ["count": 1]
    try await one.save(mine)
    theirs.data = ["count": 100]
    await #expect(throws: AccountError.self) { try await two.save(theirs) }
    #expect(theirs.data == ["count": 1])
    theirs.data = ["count": 2]
    try await two.save(theirs)
    #expect(try await one.store.all().first?.data == ["count": 2])
  }

  @Test @HostActor func onlyTheOwnerMayRead() async throws {
    let folder = TemporaryFolder()
    let store = try await AccountStore(.folder("\(folder.path)/share/b2c-run"))
    _ = try await signIn(Self.manager(store))
    #expect(folder.mode("share") == "700")
    #expect(folder.mode("share/b2c-run") == "700")
    for name in [
      "accounts.sqlite", "accounts.sqlite-wal", "accounts.sqlite-shm", "accounts.lock", "accounts-default.key",
    ] {
      #expect(folder.mode("share/b2c-run/\(name)") == "600", "\(name)")
      unlink("\(folder.path)/share/b2c-run/\(name)")
    }
    rmdir("\(folder.path)/share/b2c-run")
    rmdir("\(folder.path)/share")
  }

  @Test @HostActor func noTokenIsInAnyFileInTheClear() async throws {
    let folder = TemporaryFolder()
    let manager = Self.manager(try await AccountStore(.folder(folder.path)))
    let account = try await signIn(manager, clientSecret: "the client's secret")
    try await manager.refresh(account)
    let secrets = [
      "the client's secret",
      "access-0-of-sign-in", "refresh-0-of-sign-in", "id-token-of-sign-in", "access-1-of-refresh", "refresh-1-rotated",
    ]
    for name in folder.names {
      let text = String(decoding: folder.contents(name), as: UTF8.self)
      for secret in secrets { #expect(!text.contains(secret), "\(secret) in \(name)") }
    }
    // These files contain the account; its tokens are sealed.
    #expect(String(decoding: folder.contents("accounts.sqlite-wal"), as: UTF8.self).contains("Alice"))
  }

  @Test(arguments: Engine.allCases) @HostActor func sealedTokensCannotMoveToAnotherAccount(engine: Engine) async throws
  {
    let place = try StorePlace(engine)
    let manager = Self.manager(try await place.open())
    _ = try await signIn(manager)
    _ = try await signIn(manager, bob)
    try place.sql("UPDATE account SET tokens = (SELECT tokens FROM account WHERE subject = 'a1')")
    let store = try await place.open()
    let moved = try #require(try await store.find(name: "bob@contoso.example"))
    let error = await #expect(throws: AccountError.self) { try await Self.manager(store).token(for: moved) }
    #expect(error?.kind == .tokensUnreadable)
  }

  @Test func standsWhereXDGSays() throws {
    let place = { (variables: [String: String]) in try AccountStore.standardFolder { variables[$0] } }
    #expect(try place(["XDG_STATE_HOME": "/data", "HOME": "/home/a"]) == "/data/b2c-run")
    #expect(try place(["XDG_STATE_HOME": "data", "HOME": "/home/a"]) == "/home/a/.local/state/b2c-run")
    #expect(throws: AccountError.self) { try place([:]) }
  }
}
