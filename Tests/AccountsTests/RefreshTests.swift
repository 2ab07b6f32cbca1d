import Accounts
import Core
import HostLoop
import JSON
import TestSupport
import Testing

@Suite struct RefreshTests {
  let clock = Clock()

  @HostActor func manager(
    _ refresher: ScriptedRefresher, _ place: StorePlace? = nil
  ) async throws -> AccountManager {
    let store =
      if let place { try await place.open(now: clock.read) } else { try await AccountStore(.memory, now: clock.read) }
    return AccountManager(store: store, pauses: noPauses) { _ in refresher }
  }

  @Test @HostActor func notBeforeItIsDue() async throws {
    let refresher = ScriptedRefresher()
    let manager = try await manager(refresher)
    let account = try await signIn(manager)
    clock.now += 3539
    #expect(try await manager.token(for: account).reveal() == "access-0-of-sign-in")
    clock.now += 1
    #expect(try await manager.token(for: account).reveal() == "access-1-of-refresh")
    #expect(account.expiresAt == clock.now + 3600)
    clock.now += 3600
    #expect(try await manager.token(for: account).reveal() == "access-2-of-refresh")
    #expect(refresher.asked == ["refresh-0-of-sign-in", "refresh-1-rotated"])
  }

  @Test @HostActor func aShortLifeIsDueInItsSecondHalf() async throws {
    let refresher = ScriptedRefresher()
    let manager = try await manager(refresher)
    let account = try await signIn(manager, expiresIn: 20)
    clock.now += 9
    _ = try await manager.token(for: account)
    #expect(refresher.asked.isEmpty)
    clock.now += 1
    _ = try await manager.token(for: account)
    #expect(refresher.asked.count == 1)
  }

  @Test @HostActor func manyCallersMakeOneRequest() async throws {
    let refresher = ScriptedRefresher()
    let manager = try await manager(refresher)
    let listener = Listener(manager.events)
    let account = try await signIn(manager)
    clock.now += 4000
    let tasks = (0..<100).map { _ in HostActor.task { try await manager.token(for: account).reveal() } }
    for task in tasks { #expect(try await task.value == "access-1-of-refresh") }
    #expect(refresher.asked.count == 1)
    #expect(listener.heard == ["added sign_in Alice", "updated refresh Alice"])
  }

  @Test @HostActor func manyRejectionsMakeOneRequest() async throws {
    let refresher = ScriptedRefresher()
    let manager = try await manager(refresher)
    let account = try await signIn(manager)
    let rejected = try await manager.token(for: account)
    let tasks = (0..<100).map { _ in
      HostActor.task { try await manager.token(for: account, afterRejected: rejected).reveal() }
    }
    for task in tasks { #expect(try await task.value == "access-1-of-refresh") }
    #expect(
      try await manager.token(for: account, afterRejected: rejected).reveal() == "access-1-of-refresh")
    #expect(refresher.asked.count == 1)
  }

  /// Stores on the same file stand for processes: they share nothing but the files.
  @Test(arguments: Engine.allCases) @HostActor func manyProcessesMakeOneRequest(engine: Engine) async throws {
    let place = try StorePlace(engine)
    let refresher = ScriptedRefresher()
    let first = try await manager(refresher, place)
    _ = try await signIn(first)
    let managers = try await times(8) { try await manager(refresher, place) }
    var accounts: [Account] = []
    for manager in managers { accounts.append(try #require(try await manager.store.current())) }
    for account in accounts { #expect(account.name == "Alice") }
    clock.now += 4000
    let tasks = zip(managers, accounts).flatMap { manager, account in
      (0..<4).map { _ in HostActor.task { try await manager.token(for: account).reveal() } }
    }
    for task in tasks { #expect(try await task.value == "access-1-of-refresh") }
    #expect(refresher.asked == ["refresh-0-of-sign-in"])
    clock.now += 4000
    #expect(try await managers[5].token(for: accounts[5]).reveal() == "access-2-of-refresh")
    let rejected = Secret("access-1-of-refresh")
    #expect(
      try await managers[2].token(for: accounts[2], afterRejected: rejected).reveal() == "access-2-of-refresh")
    #expect(refresher.asked == ["refresh-0-of-sign-in", "refresh-1-rotated"])
  }

  @Test @HostActor func whoIsCanceledDoesNotCancelTheRefresh() async throws {
    let refresher = ScriptedRefresher()
    let manager = try await manager(refresher)
    let account = try await signIn(manager)
    clock.now += 4000
    let gate = CancellableWait<Void>()
    refresher.meanwhile = { try await gate.value() }
    let canceled = HostActor.task { try await manager.token(for: account) }
    let patient = HostActor.task { try await manager.token(for: account).reveal() }
    while refresher.asked.isEmpty { await Task.yield() }
    canceled.cancel()
    await #expect(throws: CancellationError.self) { try await canceled.value }
    gate.finish(.success(()))
    #expect(try await patient.value == "access-1-of-refresh")
    #expect(refresher.asked.count == 1)
  }

  @Test(arguments: Engine.allCases) @HostActor
  func aRevokedGrantIsHeardOnceAndRemovesTheAccount(engine: Engine) async throws {
    let place = try StorePlace(engine)
    let refresher = ScriptedRefresher()
    let managers = try await times(2) { try await manager(refresher, place) }
    let listeners = managers.map { Listener($0.events) }
    let mine = try await signIn(managers[0])
    let accounts = [mine, try #require(try await managers[1].store.current())]
    clock.now += 4000
    refresher.failures = [ProviderFailure(code: "invalid_grant")]
    let tasks = (0..<20).map { number in
      HostActor.task { try await managers[number % 2].token(for: accounts[number % 2]) }
    }
    var codes: Set<String?> = []
    for task in tasks {
      let error = await #expect(throws: (any Error).self) { try await task.value }
      codes.insert((error as? any Failure)?.code)
    }
    #expect(codes == ["invalid_grant", "sign_in_required"])
    let error = await #expect(throws: AccountError.self) { try await managers[0].token(for: mine) }
    #expect(error?.description == "the account Alice is signed out (sign in again)")
    await #expect(throws: AccountError.self) { try await managers[1].token(for: accounts[1]) }
    #expect(listeners[0].heard == ["added sign_in Alice", "failed refresh 1", "removed revoked Alice"])
    #expect(listeners[1].heard == ["failed refresh 1", "removed revoked Alice"])
    #expect(listeners[0].failures.first?.account === mine)
    #expect(mine.isRemoved && accounts[1].isRemoved)
    #expect(try await managers[0].store.all().isEmpty)
    #expect(refresher.asked == ["refresh-0-of-sign-in"])
  }

  @Test @HostActor func aSignInMeanwhileIsKept() async throws {
    let refresher = ScriptedRefresher()
    let manager = try await manager(refresher)
    let account = try await signIn(manager)
    for failure in [nil, ProviderFailure(code: "invalid_grant")] {
      clock.now += 4000
      refresher.failures = [failure].compactMap { $0 }
      refresher.meanwhile = { _ = try await signIn(manager, access: "access-of-second-sign-in") }
      #expect(try await manager.token(for: account).reveal() == "access-of-second-sign-in")
      #expect(!account.isRemoved)
    }
    #expect(refresher.asked.count == 2)
  }

  @Test(arguments: [true, false]) @HostActor func withoutARefreshTokenTheLossIsHeardOnce(by401: Bool) async throws {
    let refresher = ScriptedRefresher()
    let manager = try await manager(refresher)
    let listener = Listener(manager.events)
    let account = try await signIn(manager, refresh: nil)
    let rejected = by401 ? try await manager.token(for: account) : nil
    if !by401 { clock.now += 4000 }
    for _ in 0..<3 {
      let error = await #expect(throws: AccountError.self) {
        try await manager.token(for: account, afterRejected: rejected)
      }
      #expect(error?.code == "sign_in_required")
      #expect(
        error?.description == """
          the account Alice has an access token that is no longer good, and no refresh token (sign in again)
          """)
    }
    #expect(listener.heard == ["added sign_in Alice", "failed refresh 1"])
    _ = try await signIn(manager, access: "another access token", refresh: nil)
    #expect(try await manager.token(for: account, afterRejected: rejected).reveal() == "another access token")
    clock.now += 4000
    await #expect(throws: AccountError.self) { try await manager.token(for: account) }
    #expect(listener.failures.count == 2)
  }

  @Test @HostActor func noAccessTokenIsExplained() async throws {
    let manager = try await manager(ScriptedRefresher())
    let account = try await signIn(manager, access: nil, refresh: nil)
    let error = await #expect(throws: AccountError.self) { try await manager.token(for: account) }
    #expect(error?.code == "no_access_token")
    #expect(
      error?.description == """
        the provider gave the account Alice no access token (scopes: openid offline_access) (ask for a scope of the \
        API, or for the client ID as a scope, when you sign in)
        """)
  }

  @Test @HostActor func aHandlerMayAskForTheToken() async throws {
    let refresher = ScriptedRefresher()
    let manager = try await manager(refresher)
    let account = try await signIn(manager)
    var seen: [String] = []
    _ = manager.events.onChanged { change in
      seen.append(try await manager.token(for: change.account).reveal())
    }
    try await manager.refresh(account)
    #expect(seen == ["access-1-of-refresh"])
    #expect(refresher.asked.count == 1)
  }
}
