import Accounts
import Core
import Glibc
import HostLoop
import JSON
import OAuth
import TestSupport
import Testing

@Suite struct SignInTests {
  struct Refused: Error, Equatable {
    var attempt: Int
  }

  @HostActor func manager() async throws -> AccountManager {
    AccountManager(store: try await AccountStore(.memory)) { _ in ScriptedRefresher() }
  }

  /// A sign-in whose first attempts fail.
  func request(
    policy: String? = nil, accountType: String = "default", failing: Int = 0, claims: JSON = alice
  ) -> SignInRequest {
    SignInRequest(policy: policy, accountType: accountType) { attempt in
      if attempt <= failing { throw Refused(attempt: attempt) }
      return (TokenSet(accessToken: Secret("access-token-of-nobody")), claims)
    }
  }

  @Test @HostActor func aFailureIsHeardOnceAndThrown() async throws {
    let manager = try await manager()
    let listener = Listener(manager.events)
    await #expect(throws: Refused(attempt: 1)) {
      try await manager.signIn(request(policy: "B2C_1_x", accountType: "work", failing: 1))
    }
    let failure = try #require(listener.failures.first)
    #expect(listener.heard == ["failed authorize 1"])
    #expect(failure.policy == "B2C_1_x")
    #expect(failure.accountType == "work")
    #expect(failure.account == nil)
    #expect(failure.error as? Refused == Refused(attempt: 1))
    #expect(try await manager.store.all().isEmpty)
  }

  @Test @HostActor func goesOnWithTheRequestOfAHandler() async throws {
    let manager = try await manager()
    let listener = Listener(manager.events)
    _ = manager.events.onFailed { failure in
      request(policy: "reset-\(failure.attempt)", failing: 2)
    }
    _ = manager.events.onFailed { _ in request(policy: "too late") }
    let account = try await manager.signIn(request(policy: "sign-in", failing: 2))
    #expect(account.policy == "reset-2")
    #expect(listener.heard == ["failed authorize 1", "failed authorize 2", "added sign_in Alice"])
    #expect(listener.failures.map(\.policy) == ["sign-in", "reset-1"])
  }

  @Test @HostActor func atMostFiveAttempts() async throws {
    let manager = try await manager()
    let listener = Listener(manager.events)
    _ = manager.events.onFailed { _ in request(failing: .max) }
    await #expect(throws: Refused(attempt: 5)) {
      try await manager.signIn(request(failing: .max))
    }
    #expect(listener.failures.map(\.attempt) == [1, 2, 3, 4, 5])
  }

  @Test @HostActor func whatIsNotValidIsNoAccount() async throws {
    let manager = try await manager()
    let listener = Listener(manager.events)
    let refused = OAuthError("missing_id_token", .validation, "there is no ID token")
    let invalid = SignInRequest { _ in throw refused }
    await #expect(throws: OAuthError.self) { try await manager.signIn(invalid) }
    #expect(listener.heard == ["failed token 1"])
    #expect(try await manager.store.all().isEmpty)
    let error = await #expect(throws: AccountError.self) {
      try await manager.signIn(request(claims: ["iss": "x"]))
    }
    #expect(error?.kind == .noSubject)
    #expect(listener.heard == ["failed token 1", "failed token 1"])
  }

  @Test @HostActor func aCanceledSignInIsNoFailure() async throws {
    let manager = try await manager()
    let listener = Listener(manager.events)
    let canceled = SignInRequest { _ in throw CancellationError() }
    await #expect(throws: CancellationError.self) { try await manager.signIn(canceled) }
    #expect(listener.heard.isEmpty)
  }

  @Test @HostActor func aHandlerThatThrowsEndsTheSignIn() async throws {
    let manager = try await manager()
    _ = manager.events.onFailed { _ in throw EventTests.Broken() }
    let listener = Listener(manager.events)
    let error = await #expect(throws: HandlerFailures.self) {
      try await manager.signIn(request(failing: 1))
    }
    #expect(error?.cause as? Refused == Refused(attempt: 1))
    #expect(listener.heard == ["failed authorize 1"])
    #expect(
      error?.message
        == "a handler of on_failed failed: Broken(); it was called for this failure: Refused(attempt: 1)")
  }

  @Test @HostActor func everyAttemptIsEmitted() async throws {
    let events = Events()
    let manager = AccountManager(store: try await AccountStore(.memory), runEvents: events) { _ in ScriptedRefresher() }
    var told: [String] = []
    events.watch(RunEvent.self) { event, _ in
      guard case .signedIn(let attempt, _) = event else { return }
      told.append("\(attempt.number) \(attempt.policy ?? "") \(attempt.outcome) \(attempt.stage ?? "")")
    }
    _ = manager.events.onFailed { _ in request(policy: "second", failing: 1) }
    _ = try await manager.signIn(request(policy: "first", failing: 1))
    #expect(told == ["1 first failed authorize", "2 second added "])
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
    let manager = AccountManager(store: try await AccountStore(.folder(folder.path))) { _ in ScriptedRefresher() }
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
