import Glibc
import HostLoop
import Lua
import Testing

@HostActor @Suite("Stopping a script that never waits", .serialized)
struct StopTests {
  /// The script says when it runs by a host call, which has the signal sent to the thread that then runs the loop.
  @Test(arguments: [
    "started() while true do end",
    "while true do pcall(function() started() while true do end end) end",
    "coroutine.wrap(function() started() while true do end end)()",
    "table.sort({1, 2, 3}, function() started() while true do end end)",
    "local s <close> = setmetatable({}, {__close = function() closed() end}) started() while true do end",
  ])
  func endless(script: String) async throws {
    let closed = Flag()
    let host = try Host(functions: [
      HostFunction("started", "") { _ in
        pthread_kill(pthread_self(), SIGUSR1) == 0 ? [] : [.boolean(false)]
      },
      HostFunction("closed", "") { _ in
        closed.isSet = true
        return []
      },
    ])
    host.state.stop(onSignal: SIGUSR1)
    await #expect(throws: CancellationError.self) { try await host.run(script) }
    #expect(closed.isSet == script.contains("closed"))
  }
}

@HostActor
private final class Flag {
  var isSet = false
}
