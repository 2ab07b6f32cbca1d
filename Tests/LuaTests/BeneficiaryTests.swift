import HostLoop
import Lua
import Testing

/// Work that a host function starts keeps the owner of the functions until the work ends, also after the script.
@HostActor
struct BeneficiaryTests {
  @HostActor
  private final class Owner: Sendable {
    let gate = CancellableWait<Void>()
    private(set) var answers = 0

    func answer() { answers += 1 }
  }

  @Test func workThatOutlivesItsScriptFindsItsOwner() async throws {
    let began = CancellableWait<Task<Int, any Error>>()
    weak var seen: Owner?
    try await {
      let owner = Owner()
      seen = owner
      let gate = owner.gate
      let host = try Host(functions: [
        .suspending("begin", "Starts work, and does not wait for it.") { [unowned owner] _ in
          began.finish(
            .success(
              HostActor.task {
                try await gate.value()
                owner.answer()
                return owner.answers
              }))
          return []
        }
      ])
      host.state.owner = LuaState.Owner(owner)
      try await host.run("begin()")
    }()
    let work = try await began.value()
    try #require(seen).gate.finish(.success(()))
    #expect(try await work.value == 1)
    // The task gives it up when it has ended.
    for _ in 0..<100 where seen != nil { try await HostLoop.shared.sleep(seconds: 0.01) }
    #expect(seen == nil)
  }
}
