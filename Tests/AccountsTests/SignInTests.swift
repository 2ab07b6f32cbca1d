import Accounts
import Core
import Glibc
import HostLoop
import JSON
import TestSupport
import Testing

@Suite struct SignInTests {
  struct Refused: Error, Equatable {
    var attempt: Int
  }

  @HostActor func manager() throws -> AccountManager {
    AccountManager(store: try AccountStore(.memory)) { _ in ScriptedRefresher() }
  }

  func steps(failing: Int, claims: JSON = alice) -> SignInSteps {
    SignInSteps(
      run: { _, attempt in
        if attempt <= failing { throw Refused(attempt: attempt) }
        return TokenGrant(accessToken: Secret("access-token-of-nobody"))
      },
      validate: { _, _ in claims })
  }

  @Test @HostActor func aFailureIsHeardOnceAndThrown() async throws {
    let manager = try manager()
    let listener = Listener(manager.events)
    await #expect(throws: Refused(attempt: 1)) {
      try await manager.signIn(SignInOptions(policy: "B2C_1_x", accountType: "work"), steps(failing: 1))
    }
    let failure = try #require(listener.failures.first)
    #expect(listener.heard == ["failed authorize 1"])
    #expect(failure.policy == "B2C_1_x")
    #expect(failure.accountType == "work")
    #expect(failure.account == nil)
    #expect(failure.error as? Refused == Refused(attempt: 1))
    #expect(try manager.store.all().isEmpty)
  }

  @Test @HostActor func goesOnWithTheOptionsOfAHandler() async throws {
    let manager = try manager()
    let listener = Listener(manager.events)
    _ = manager.events.onFailed { failure in
      SignInOptions(policy: "reset-\(failure.attempt)", payload: failure.attempt)
    }
    _ = manager.events.onFailed { _ in SignInOptions(policy: "too late") }
    let account = try await manager.signIn(SignInOptions(policy: "sign-in"), steps(failing: 2))
    #expect(account.policy == "reset-2")
    #expect(listener.heard == ["failed authorize 1", "failed authorize 2", "added sign_in Alice"])
    #expect(listener.failures.map(\.policy) == ["sign-in", "reset-1"])
  }

  @Test @HostActor func atMostFiveAttempts() async throws {
    let manager = try manager()
    let listener = Listener(manager.events)
    _ = manager.events.onFailed { _ in SignInOptions() }
    await #expect(throws: Refused(attempt: 5)) {
      try await manager.signIn(SignInOptions(), steps(failing: .max))
    }
    #expect(listener.failures.map(\.attempt) == [1, 2, 3, 4, 5])
  }

  @Test @HostActor func whatIsNotValidIsNoAccount() async throws {
    let manager = try manager()
    let listener = Listener(manager.events)
    var steps = steps(failing: 0)
    steps.validate = { _, _ in throw Refused(attempt: 0) }
    await #expect(throws: Refused.self) { try await manager.signIn(SignInOptions(), steps) }
    #expect(listener.heard == ["failed token 1"])
    #expect(try manager.store.all().isEmpty)
    let error = await #expect(throws: AccountError.self) {
      try await manager.signIn(SignInOptions(), self.steps(failing: 0, claims: ["iss": "x"]))
    }
    #expect(error?.kind == .noSubject)
  }

  @Test @HostActor func aCanceledSignInIsNoFailure() async throws {
    let manager = try manager()
    let listener = Listener(manager.events)
    var steps = steps(failing: 0)
    steps.run = { _, _ in throw CancellationError() }
    await #expect(throws: CancellationError.self) { try await manager.signIn(SignInOptions(), steps) }
    #expect(listener.heard.isEmpty)
  }

  @Test @HostActor func aHandlerThatThrowsEndsTheSignIn() async throws {
    let manager = try manager()
    _ = manager.events.onFailed { _ in throw EventTests.Broken() }
    let listener = Listener(manager.events)
    let error = await #expect(throws: HandlerFailures.self) {
      try await manager.signIn(SignInOptions(), steps(failing: 1))
    }
    #expect(error?.cause as? Refused == Refused(attempt: 1))
    #expect(listener.heard == ["failed authorize 1"])
    #expect(
      error?.message
        == "a handler of on_failed failed: Broken(), told of this failure: Refused(attempt: 1)")
  }

  @Test(
    arguments: [
      (["name": "Ann", "emails": ["a@b.c"], "sub": "s"], "Ann"),
      (["name": "", "emails": ["a@b.c"], "sub": "s"], "a@b.c"),
      (["emails": [], "preferred_username": "ann", "sub": "s"], "ann"), (["sub": "s"], "s"),
    ] as [(JSON, String)])
  @HostActor func isNamedByItsClaims(claims: JSON, name: String) async throws {
    #expect(try await signIn(manager(), claims).name == name)
  }

  @Test(.timeLimit(.minutes(1))) @HostActor func aCanceledWaitForTheKeyEnds() async throws {
    let folder = TemporaryFolder()
    let manager = AccountManager(store: try AccountStore(.folder(folder.path))) { _ in ScriptedRefresher() }
    let listener = Listener(manager.events)
    // Another process makes keys: it holds the lock of the byte for that.
    let other = open("\(folder.path)/accounts.lock", O_RDWR | O_CLOEXEC)
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 1 << 62
    lock.l_len = 1
    let setLock: Int32 = 37
    #expect(fcntl(other, setLock, &lock) == 0)
    let first = HostActor.task { try await signIn(manager).name }
    let second = HostActor.task { try await signIn(manager, bob).name }
    for _ in 0..<10 { await Task.yield() }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    close(other)
    #expect(try await first.value == "Alice")
    #expect(listener.heard == ["added sign_in Alice"])
  }
}
