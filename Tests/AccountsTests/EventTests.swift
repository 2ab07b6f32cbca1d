import Accounts
import Core
import HostLoop
import JSON
import Testing

@Suite struct EventTests {
  struct Broken: Error {}

  @HostActor func manager() async throws -> AccountManager {
    AccountManager(store: try await AccountStore(.memory)) { _ in ScriptedRefresher() }
  }

  @Test @HostActor func eachChangeIsHeardOnce() async throws {
    let manager = try await manager()
    let listener = Listener(manager.events)
    let account = try await signIn(manager)
    _ = try await signIn(manager)
    account.data = ["a": 1]
    try await manager.save(account)
    try await manager.save(account)
    try await manager.refresh(account)
    try await manager.signOut(account)
    try await manager.signOut(account)
    #expect(
      listener.heard == [
        "added sign_in Alice", "updated sign_in Alice", "updated user_data Alice", "updated refresh Alice",
        "removed sign_out Alice",
      ])
  }

  @Test @HostActor func inOrderOfSubscriptionUntilClosed() async throws {
    let manager = try await manager()
    var heard: [Int] = []
    var second: Subscription?
    let first = manager.events.onChanged { _ in
      heard.append(1)
      second?.close()
    }
    second = manager.events.onChanged { _ in heard.append(2) }
    _ = manager.events.onChanged { _ in
      heard.append(3)
      if heard.count < 4 { _ = manager.events.onChanged { _ in heard.append(4) } }
    }
    _ = try await signIn(manager)
    #expect(heard == [1, 3])
    first.close()
    first.close()
    _ = try await signIn(manager)
    #expect(heard == [1, 3, 3, 4])
  }

  @Test @HostActor func aHandlerThatThrowsKeepsNobodyFromHearing() async throws {
    let manager = try await manager()
    _ = manager.events.onChanged { _ in throw Broken() }
    let listener = Listener(manager.events)
    let error = await #expect(throws: HandlerFailures.self) { try await signIn(manager) }
    #expect(error?.errors.count == 1)
    #expect(error?.errors.first is Broken)
    #expect(error?.message == "a handler of on_changed failed: Broken()")
    #expect(listener.heard == ["added sign_in Alice"])
    #expect(try await manager.store.current()?.name == "Alice")
  }

  @Test @HostActor func aHandlerMaySignIn() async throws {
    let manager = try await manager()
    let listener = Listener(manager.events)
    _ = manager.events.onChanged { change in
      if change.account.name == "Alice", change.kind == .added { _ = try await signIn(manager, bob) }
    }
    _ = try await signIn(manager)
    #expect(listener.heard == ["added sign_in Alice", "added sign_in bob@contoso.example"])
  }
}
