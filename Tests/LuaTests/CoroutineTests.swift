import HostLoop
import Lua
import Testing

@HostActor @Suite("Host functions that wait, and the script's own coroutines")
struct CoroutineTests {
  @Test(arguments: [
    ("plain call", "return wait(1, 2)", "1 2"),
    ("inside pcall", "return pcall(wait, 5)", "true 5"),
    ("inside xpcall", "return xpcall(wait, print, 5)", "true 5"),
    ("inside coroutine.wrap", "return coroutine.wrap(function() return wait(7) end)()", "7"),
    (
      "inside three coroutines",
      """
      local function nest(n) if n == 0 then return wait('deep') end return coroutine.wrap(nest)(n - 1) end
      return nest(3)
      """, "deep"
    ),
    (
      "a generator that waits between yields",
      """
      local gen = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(wait(i)) end end)
      return gen(), gen(), gen()
      """, "1 2 3"
    ),
    (
      "values go in by resume",
      """
      local co = coroutine.create(function(a) local b = coroutine.yield(wait(a)); return wait(a + b) end)
      local _, first = coroutine.resume(co, 1)
      local ok, second = coroutine.resume(co, 10)
      return first, ok, second, coroutine.status(co)
      """, "1 true 11 dead"
    ),
    (
      "a for loop's iterator",
      "local sum = 0; for x in (function(_, i) i = wait((i or 0) + 1); if i < 4 then return i end end) do sum = sum + x end return sum",
      "6"
    ),
    (
      "a dead coroutine", "local c = coroutine.create(wait); coroutine.resume(c); return coroutine.resume(c)",
      "false cannot resume dead coroutine"
    ),
    ("an error in a coroutine", "return coroutine.resume(coroutine.create(function() error('oh', 0) end))", "false oh"),
    (
      "a close variable after waiting",
      "local log = ''; do local x <close> = setmetatable({}, {__close = function() log = log .. 'closed' end}); wait() end return log",
      "closed"
    ),
  ])
  func waiting(_ name: Comment, script: String, expected: String) async throws {
    #expect(try await Host().text(script) == expected, name)
  }

  @Test(arguments: [
    "table.sort({3, 2, 1}, function(a, b) wait(); return a < b end)",
    "return (string.gsub('abc', '.', function() return wait('x') end))",
    "return tostring(setmetatable({}, {__tostring = function() return wait('x') end}))",
  ])
  func whereLuaCannotPause(script: String) async throws {
    let error = try await Host().error(script)
    #expect(error.code == "cannot_wait")
    #expect(
      error.message
        == "wait has to wait, and Lua cannot pause here: inside table.sort, a string.gsub function or a metamethod"
    )
  }

  @Test func yieldOutside() async throws {
    let error = try await Host().error("coroutine.yield(1)")
    #expect(error.message == "coroutine.yield outside a coroutine (use it inside coroutine.create or coroutine.wrap)")
    #expect(error.location == "test.lua:1")
  }

  @Test("ten thousand coroutines wait at once")
  func many() async throws {
    let host = try Host()
    let function = try host.state.load(Array("local n = ...; return wait(n)".utf8), name: "test.lua")
    let calls = (0..<10_000).map { number in
      HostActor.task { try await function.call([.integer(Int64(number))]).first?.integer ?? -1 }
    }
    var sum: Int64 = 0
    for call in calls { sum += try await call.value }
    #expect(sum == 49_995_000)
  }

  @Test("canceling runs close variables, innermost first, and cannot be swallowed")
  func cancellation() async throws {
    let host = try Host()
    try await host.run(
      """
      log = {}
      function closing(name) return setmetatable({}, {__close = function() log[#log + 1] = name end}) end
      function work()
        local outer <close> = closing('outer')
        while true do
          pcall(function()
            coroutine.wrap(function() local inner <close> = closing('inner'); forever() end)()
          end)
        end
      end
      """)
    let work = try #require(host.state.globals["work"].function)
    let task = HostActor.task { try await work.call().count }
    await Task.yield()
    try await HostLoop.shared.sleep(seconds: 0)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await host.text("return table.concat(log, ' ')") == "inner outer")
  }

  /// Task A waits in the coroutine `waiting`; meanwhile B does something to it.
  @Test(
    "a coroutine that waits for the host is nobody else's to touch",
    arguments: [
      (
        "return coroutine.resume(waiting)",
        "false cannot resume non-suspended coroutine: it is waiting for a host function"
      ),
      (
        "return pcall(wrapped)",
        "false cannot resume non-suspended coroutine: it is waiting for a host function"
      ),
      ("return pcall(coroutine.close, waiting)", "false cannot close a coroutine that is waiting for a host function"),
      ("return coroutine.status(waiting)", "normal"),
      (
        "return coroutine.resume(task)",
        "false cannot resume non-suspended coroutine: it is waiting for a host function"
      ),
      ("return pcall(coroutine.close, task)", "false cannot close a coroutine that is waiting for a host function"),
      ("return coroutine.status(task)", "normal"),
    ])
  func touching(script: String, expected: String) async throws {
    let answer = CancellableWait<[LuaValue]>()
    let host = try Host(functions: [.suspending("held", "") { _ in try await answer.value() }])
    let first = try host.state.load(
      Array(
        """
        task = coroutine.running()
        wrapped = coroutine.wrap(function() waiting = coroutine.running() return held() end)
        return wrapped()
        """.utf8), name: "a.lua")
    let task = HostActor.task { try await first.call().first?.string ?? "" }
    await Task.yield()
    while host.state.globals["waiting"].isNil { try await HostLoop.shared.sleep(seconds: 0) }
    let text = try await host.text(script)
    #expect(text.replacing("test.lua:1: ", with: "") == expected)
    #expect(try await host.text("return wait('other')") == "other")
    answer.finish(.success([.string("mine")]))
    #expect(try await task.value == "mine")
  }

  @Test(arguments: [
    (
      "a task's own coroutine is the main one", "return select(2, coroutine.running()), coroutine.isyieldable()",
      "true false"
    ),
    (
      "another is not",
      "return coroutine.wrap(function() return select(2, coroutine.running()), coroutine.isyieldable() end)()",
      "false true"
    ),
    (
      "one suspended by a script goes on in any task",
      "co = coroutine.create(function() local a = coroutine.yield(1) return wait(a) end) coroutine.resume(co) "
        + "return coroutine.wrap(function() return coroutine.resume(co, 5) end)()", "true 5"
    ),
    (
      "many waits in one nested coroutine",
      "return coroutine.wrap(function() local n = 0 for i = 1, 1000 do n = n + wait(i) end return n end)()", "500500"
    ),
    ("closing", "local c = coroutine.create(print) return coroutine.close(c), coroutine.status(c)", "true dead"),
    (
      "closing oneself", "return pcall(coroutine.close, (coroutine.running()))",
      "false cannot close a running coroutine"
    ),
    (
      "closing what has resumed one",
      "local c = coroutine.running() return coroutine.wrap(function() return pcall(coroutine.close, c) end)()",
      "false cannot close a normal coroutine"
    ),
    (
      "a coroutine resumes itself", "return coroutine.resume((coroutine.running()))",
      "false cannot resume non-suspended coroutine"
    ),
    (
      "an error in a close handler",
      "local c = coroutine.create(function() local x <close> = setmetatable({}, {__close = function() error('oh', 0) end}) "
        + "coroutine.yield() end) coroutine.resume(c) return coroutine.close(c)", "false oh"
    ),
    (
      "a wait where an outer coroutine cannot pause",
      "local code table.sort({1, 2}, function() code = select(2, pcall(coroutine.wrap(wait))).code return false end) "
        + "return code, wait(1)", "cannot_wait 1"
    ),
    (
      "a close handler waits",
      "do local x <close> = setmetatable({}, {__close = function() result = wait(3) end}) end return result", "3"
    ),
    (
      "a close handler waits after an error",
      "pcall(function() local x <close> = setmetatable({}, {__close = function() result = wait(3) end}) error('x') end) "
        + "return result", "3"
    ),
  ])
  func manual(_ name: Comment, script: String, expected: String) async throws {
    #expect(try await Host().text(script) == expected, name)
  }

  @Test("a call holds the owner of the state, and fails after the owner's end")
  func owner() async throws {
    final class Owner: Sendable {}
    var owner: Owner? = Owner()
    let (begun, released) = (SharedResult<Void>(), SharedResult<Void>())
    let host = try Host(functions: [
      .suspending("lives", "Waits, and says if the owner is there.") { [weak owner] _ in
        begun.finish(.success(()))
        try await released.value()
        return [.boolean(owner != nil)]
      }
    ])
    host.state.owner = owner.map { LuaState.Owner($0) }
    let call = HostActor.task { try await host.text("return lives()") }
    try await begun.value()
    owner = nil
    released.finish(.success(()))
    #expect(try await call.value == "true")
    do {
      _ = try await host.run("return 1")
      Issue.record("the call did not fail")
    } catch let error as LuaError { #expect(error.code == "script_ended") }
  }
}
