import Accounts
import Core
import Databases
import Glibc
import HostLoop
import JSON
import TestSupport
import Testing

/// A provider that is down, overloaded, or whose answers get lost.
@Suite struct RenewalFailureTests {
  let clock = Clock()
  let refresher: ScriptedRefresher
  let folder = TemporaryFolder()

  @HostActor init() { refresher = ScriptedRefresher() }

  @HostActor func manager() async throws -> AccountManager {
    AccountManager(store: try await AccountStore(.folder(folder.path), now: clock.read), pauses: noPauses) { _ in
      refresher
    }
  }

  func failures(_ codes: String...) -> [ProviderFailure] { codes.map { ProviderFailure(code: $0) } }

  @Test(arguments: [
    ["unreachable"], ["server_error", "unreachable"], ["timeout"], ["connection_lost", "server_error"],
  ])
  @HostActor func whatPassesIsAskedAgain(codes: [String]) async throws {
    let manager = try await manager()
    let listener = Listener(manager.events)
    let account = try await signIn(manager)
    clock.now += 4000
    refresher.failures = codes.map { ProviderFailure(code: $0) }
    let token = try await manager.token(for: account).reveal()
    #expect(token == "access-\(codes.count + 1)-of-refresh")
    #expect(refresher.asked == Array(repeating: "refresh-0-of-sign-in", count: codes.count + 1))
    #expect(listener.heard == ["added sign_in Alice", "updated refresh Alice"])
  }

  @Test @HostActor func afterThreeRequestsNobodyAsksForAWhile() async throws {
    let manager = try await manager()
    let listener = Listener(manager.events)
    let account = try await signIn(manager)
    let other = try await self.manager()
    let otherListener = Listener(other.events)
    let theirs = try #require(try await other.store.current())
    clock.now += 4000
    refresher.failures = failures("unreachable", "server_error", "unreachable")
    for _ in 0..<3 {
      let error = await #expect(throws: ProviderFailure.self) { try await manager.token(for: account) }
      #expect(error?.code == "unreachable")
    }
    #expect(refresher.asked.count == 3)
    #expect(listener.heard == ["added sign_in Alice", "failed refresh 1"])
    #expect(otherListener.heard == [])
    clock.now += 1
    #expect(try await other.token(for: theirs).reveal() == "access-4-of-refresh")
    #expect(try await manager.token(for: account).reveal() == "access-4-of-refresh")
    #expect(refresher.asked.count == 4)
  }

  @Test @HostActor func anotherRunSaysWhoWasRefusedAndUntilWhen() async throws {
    let manager = try await manager()
    let account = try await signIn(manager)
    let other = try await self.manager()
    let otherListener = Listener(other.events)
    let theirs = try #require(try await other.store.current())
    clock.now += 4000
    refresher.failures = [ProviderFailure(code: "server_error", retryAfter: "60")]
    await #expect(throws: ProviderFailure.self) { try await manager.token(for: account) }
    for _ in 0..<3 {
      let error = await #expect(throws: AccountError.self) { try await other.token(for: theirs) }
      #expect(error?.isRetryable == true)
      #expect(
        error?.message == """
          the provider did not renew the tokens of the account Alice when another run asked; it is asked again in 60 s
          """)
    }
    #expect(refresher.asked.count == 1)
    #expect(otherListener.heard == ["failed refresh 1"])
  }

  @Test @HostActor func anotherRunWaitsForAShortPauseAndThenAsks() async throws {
    let start = Int64(time(nil))
    let now: @Sendable () -> Int64 = { [clock] in clock.now + Int64(time(nil)) - start }
    let refresher = refresher
    let stores = [
      try await AccountStore(.folder(folder.path), now: now), try await AccountStore(.folder(folder.path), now: now),
    ]
    let managers = stores.map { AccountManager(store: $0, pauses: noPauses) { _ in refresher } }
    let account = try await signIn(managers[0])
    clock.now += 4000
    refresher.failures = failures("unreachable", "server_error", "unreachable")
    await #expect(throws: ProviderFailure.self) { try await managers[0].token(for: account) }
    let theirs = try #require(try await managers[1].store.current())
    #expect(try await managers[1].token(for: theirs).reveal() == "access-4-of-refresh")
  }

  @Test @HostActor func aLostAnswerIsAskedForOnceMore() async throws {
    let manager = try await manager()
    let account = try await signIn(manager)
    clock.now += 4000
    refresher.failures = failures("timeout", "connection_lost", "unreachable")
    await #expect(throws: ProviderFailure(code: "connection_lost")) { try await manager.token(for: account) }
    #expect(refresher.asked.count == 2)
  }

  @Test @HostActor func theProviderSaysWhen() async throws {
    let manager = try await manager()
    let account = try await signIn(manager)
    clock.now += 4000
    refresher.failures = [ProviderFailure(code: "server_error", retryAfter: "120")]
    await #expect(throws: ProviderFailure.self) { try await manager.token(for: account) }
    #expect(refresher.asked.count == 1)
    clock.now += 119
    await #expect(throws: ProviderFailure.self) { try await manager.token(for: account) }
    #expect(refresher.asked.count == 1)
    clock.now += 1
    #expect(try await manager.token(for: account).reveal() == "access-2-of-refresh")
  }

  @Test @HostActor func whoAsksForARefreshGetsOne() async throws {
    let manager = try await manager()
    let account = try await signIn(manager)
    refresher.failures = [ProviderFailure(code: "server_error", retryAfter: "120")]
    await #expect(throws: ProviderFailure.self) { try await manager.refresh(account) }
    #expect(try await manager.refresh(account).reveal() == "access-2-of-refresh")
  }

  @Test(arguments: ["unreachable", "timeout", "invalid_client"])
  @HostActor func aTokenThatIsStillGoodIsUsed(code: String) async throws {
    let manager = try await manager()
    let listener = Listener(manager.events)
    let account = try await signIn(manager)
    clock.now += 3545
    refresher.failures = Array(repeating: ProviderFailure(code: code), count: 3)
    for _ in 0..<5 { #expect(try await manager.token(for: account).reveal() == "access-0-of-sign-in") }
    let asked = refresher.asked.count
    #expect(asked == ["unreachable": 3, "timeout": 2, "invalid_client": 1][code])
    #expect(listener.heard == ["added sign_in Alice"])
    clock.now += 55
    refresher.failures = Array(repeating: ProviderFailure(code: code), count: 3)
    let error = await #expect(throws: ProviderFailure.self) { try await manager.token(for: account) }
    #expect(error?.code == code)
    #expect(listener.heard == ["added sign_in Alice", "failed refresh 1"])
  }

  @Test @HostActor func aRejectedTokenIsNotGood() async throws {
    let manager = try await manager()
    let account = try await signIn(manager)
    refresher.failures = failures("invalid_client")
    let rejected = try await manager.token(for: account)
    await #expect(throws: ProviderFailure.self) { try await manager.token(for: account, afterRejected: rejected) }
  }

  @Test @HostActor func withoutARefreshTokenTheTokenIsUsedToItsEnd() async throws {
    let manager = try await manager()
    let account = try await signIn(manager, refresh: nil)
    clock.now += 3599
    #expect(try await manager.token(for: account).reveal() == "access-0-of-sign-in")
    clock.now += 1
    await #expect(throws: AccountError.self) { try await manager.token(for: account) }
  }

  /// The old refresh token may be worthless once the provider has answered.
  @Test @HostActor func newTokensThatCannotBeStoredAreNotLost() async throws {
    let manager = try await manager()
    let account = try await signIn(manager)
    let database = try SQLiteConnection(path: "\(folder.path)/accounts.sqlite")
    refresher.meanwhile = {
      try database.execute(
        "CREATE TRIGGER broken BEFORE UPDATE OF tokens ON account BEGIN SELECT RAISE(ABORT, 'the disk is broken'); END")
    }
    clock.now += 4000
    let error = await #expect(throws: AccountError.self) { try await manager.token(for: account) }
    #expect(
      error?.message.hasPrefix(
        "the provider gave the account Alice new tokens, and they could not be stored: the account store cannot be used: "
      ) == true)
    #expect(try await manager.token(for: account).reveal() == "access-1-of-refresh")
    try database.execute("DROP TRIGGER broken")
    #expect(try await manager.token(for: account).reveal() == "access-1-of-refresh")
    let other = try await self.manager()
    let theirs = try #require(try await other.store.current())
    #expect(try await other.token(for: theirs).reveal() == "access-1-of-refresh")
    #expect(try await other.refreshToken(of: theirs)?.reveal() == "refresh-1-rotated")
    #expect(refresher.asked.count == 1)
  }

  @Test @HostActor func anApplicationIsNotSignedOut() async throws {
    let manager = try await manager()
    let listener = Listener(manager.events)
    let account = try await signIn(
      manager, ["iss": "https://issuer.example/", "sub": "client-1"], refresh: nil, grantType: "client_credentials")
    #expect(account.name == "client-1")
    #expect(account.renewsWithoutUser)
    clock.now += 4000
    refresher.failures = failures("invalid_grant")
    await #expect(throws: ProviderFailure(code: "invalid_grant")) { try await manager.token(for: account) }
    #expect(!account.isRemoved)
    #expect(try await manager.token(for: account).reveal() == "access-2-of-refresh")
    #expect(refresher.asked == ["client_credentials", "client_credentials"])
    #expect(listener.heard == ["added sign_in client-1", "failed refresh 1", "updated refresh client-1"])
  }
}
