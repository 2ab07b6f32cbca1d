import Glibc
import HostLoop
import Lua
import Testing

extension SignalTests {
  @HostActor @Suite("Stopping a script that never waits")
  struct StopTests {
    /// The script says when it runs by a host call, which has the signal sent to the thread that then runs the loop.
    @Test(arguments: [
      "started() while true do end",
      "while true do pcall(function() started() while true do end end) end",
      "while true do xpcall(error, function() started() while true do end end) end",
      "started() while true do xpcall(error, error) end",
      "coroutine.wrap(function() started() while true do end end)()",
      "while true do coroutine.resume(coroutine.create(function() started() while true do end end)) end",
      "local function deep(n) if n == 0 then started() while true do end end pcall(coroutine.wrap(deep), n - 1) end deep(90)",
      "local function f() pcall(f) pcall(f) end started() f()",
      "table.sort({1, 2, 3}, function() started() while true do pcall(function() while true do end end) end end)",
      // C code that runs no hook.
      "started() ('a'):rep(800):find('.-.-.-b$')",
      "started() while true do pcall(string.find, ('a'):rep(800), '.-.-.-b$') end",
      "started() string.gsub(('x'):rep(1 << 40 >> 16), 'x', pcall)",
      "started() for _ in ('x'):rep(1 << 24):gmatch('()x') do end",
      "started() load(string.gmatch((' '):rep(1 << 24), ' '))",
      "started() local t = {} for i = 1, 1 << 20 do t[i] = i * 7919 % 1000003 end while true do table.sort(t) end",
      "started() local t = {} for i = 1, 1 << 20 do t[i] = i end while true do table.concat(t) end",
      "started() table.move({}, 1, 1 << 60, 2)",
      "started() table.insert(setmetatable({}, {__len = function() return 1 << 60 end}), 1, 5)",
      "started() table.remove(setmetatable({}, {__len = function() return 1 << 60 end}), 1)",
      "started() table.concat(setmetatable({}, {__index = function() return '' end}), '', 1, 1 << 60)",
      "started() load(function() return ' ' end)",
      "while true do load(function() started() while true do end end) end",
      "started() local s = ('x=1 '):rep(1 << 20) while true do load(s) end",
      // Metamethods.
      "tostring(setmetatable({}, {__tostring = function() started() while true do end end}))",
      "error(setmetatable({}, {__tostring = function() started() while true do end end}))",
      "local t = setmetatable({}, {__index = function(t, k) return t[k] end}) started() while true do pcall(function() return t.x end) end",
      // These scripts have code that runs when they stop.
      "local s <close> = closing() started() while true do end",
      "local s <close> = closing() local f <close> = setmetatable({}, {__close = function() while true do end end}) started() while true do end",
      "local s <close> = closing() table.sort({1, 2, 3}, function() started() while true do end end)",
      "local s <close> = closing() local f <close> = setmetatable({}, {__close = function() while true do pcall(function() while true do end end) end end}) started() while true do end",
      "local c = coroutine.create(function() local x <close> = setmetatable({}, {__close = function() started() while true do end end}) coroutine.yield() end) coroutine.resume(c) coroutine.close(c)",
      "table.sort({1, 2, 3}, function() pcall(function() local s <close> = closing() started() while true do end end) end)",
    ])
    func endless(script: String) async throws {
      let closed = Flag()
      let swallowed = Flag()
      let host = try Host(functions: [
        HostFunction("started", "") { _ in
          pthread_kill(pthread_self(), SIGUSR1) == 0 ? [] : [.boolean(false)]
        },
        HostFunction("closed", "") { _ in
          closed.isSet = true
          return []
        },
        HostFunction("swallowed", "") { _ in
          swallowed.isSet = true
          return []
        },
      ])
      host.state.obey(signal: SIGUSR1)
      let support = "local function closing() return setmetatable({}, {__close = function() closed() end}) end "
      await #expect(throws: CancellationError.self) { try await host.run(support + script + " swallowed()") }
      #expect(closed.isSet == script.contains("closing()"))
      #expect(!swallowed.isSet)
      #expect(host.state.isStopping)
      await #expect(throws: CancellationError.self) { try await host.run("return 1") }
      host.state.rearm()
      #expect(try await host.text("return wait(1) + 1") == "2")
      host.state.close()
    }

    @Test("a stop reaches every state that obeys the signal, and those that were closed are no more")
    func states() async throws {
      let first = try Host()
      first.state.obey(signal: SIGUSR1)
      let second = try Host()
      second.state.obey(signal: SIGUSR1)
      let third = try Host()
      third.state.obey(signal: SIGUSR1)
      second.state.close()
      pthread_kill(pthread_self(), SIGUSR1)
      #expect(first.state.isStopping && third.state.isStopping)
      third.state.close()
      first.state.rearm()
      #expect(try await first.text("return 1") == "1")
      first.state.close()
    }
  }
}

@HostActor
private final class Flag {
  var isSet = false
}
