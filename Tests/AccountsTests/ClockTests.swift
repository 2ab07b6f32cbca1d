import Accounts
import Core
import HostLoop
import Testing

/// A machine whose clock is wrong, or set while the program runs.
@Suite struct ClockTests {
  let clock = Clock()
  let refresher: ScriptedRefresher

  @HostActor init() { refresher = ScriptedRefresher() }

  @HostActor func manager() async throws -> AccountManager {
    AccountManager(store: try await AccountStore(.memory, now: clock.read), pauses: noPauses) { _ in refresher }
  }

  @Test @HostActor func setBackATokenIsNotImmortal() async throws {
    let manager = try await manager()
    let account = try await signIn(manager)
    clock.now -= 86_400
    #expect(try await manager.token(for: account).reveal() == "access-1-of-refresh")
    #expect(account.expiresAt == clock.now + 3600)
    // Nor is it believed to be good when there is no other.
    clock.now -= 86_400
    refresher.failures = [ProviderFailure(code: "invalid_client")]
    await #expect(throws: ProviderFailure.self) { try await manager.token(for: account) }
  }

  @Test @HostActor func setBackAPauseEnds() async throws {
    let manager = try await manager()
    let account = try await signIn(manager)
    clock.now += 4000
    refresher.failures = [ProviderFailure(code: "server_error", retryAfter: "900")]
    await #expect(throws: ProviderFailure.self) { try await manager.token(for: account) }
    clock.now -= 86_400
    #expect(try await manager.token(for: account).reveal() == "access-2-of-refresh")
  }

  @Test @HostActor func aDifferenceIsToldOnce() async throws {
    let manager = try await manager()
    var told: [ClockSkew] = []
    let subscription = manager.events.onClockSkew { told.append($0) }
    let account = try await signIn(manager)
    for difference in [nil, 3, -300, -2820, -2822, 2.0, -2821] {
      refresher.clockDifference = difference
      try await manager.refresh(account)
    }
    #expect(told.map(\.seconds) == [-2820, -2821])
    #expect(
      told.first?.description == """
        this machine's clock is 47 min behind the provider's; tokens may look expired or not yet valid (set it right, \
        for example with: timedatectl set-ntp true)
        """)
    subscription.close()
    refresher.clockDifference = 90_000
    try await manager.refresh(account)
    #expect(told.count == 2)
  }

  @Test(arguments: [(600.0, "10 min ahead of"), (-90_000, "25 h behind"), (1e9, "11574 days ahead of")])
  func isSaidInWords(seconds: Double, words: String) {
    #expect(ClockSkew(seconds: seconds)?.message.hasPrefix("this machine's clock is \(words) the provider's; ") == true)
  }

  @Test @HostActor func aSignInTellsItToo() async throws {
    let manager = try await manager()
    var told: [Double] = []
    _ = manager.events.onClockSkew { told.append($0.seconds) }
    let request = SignInRequest { _ in
      manager.compareClocks(-4000)
      throw ProviderFailure(code: "token_not_yet_valid")
    }
    await #expect(throws: ProviderFailure.self) { try await manager.signIn(request) }
    #expect(told == [-4000])
  }
}
