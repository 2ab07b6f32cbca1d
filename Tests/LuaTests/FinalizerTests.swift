import HostLoop
import Lua
import Testing

/// Finalizers run whenever memory is allocated, also from Swift, and when the state is closed.
@HostActor @Suite("Finalizers")
struct FinalizerTests {
  @Test("when the state closes, a finalizer reaches no host function")
  func atClose() async throws {
    var calls = 0
    let count = HostFunction("count", "") { _ in
      calls += 1
      return []
    }
    for finalizer in [
      "count()", "pcall(count)", "wait()", "echo({})", "error('x')", "coroutine.wrap(wait)()", "iterator()",
      "while true do echo() end", "('x'):rep(1 << 30)", "tostring(io.stdout)",
    ] {
      let host = try Host(memoryLimit: 32 << 20, functions: [count])
      host.state.globals["iterator"] = .function(host.state.closure(count))
      try await host.run("keep = setmetatable({}, {__gc = function() \(finalizer) end})")
      host.state.close()
    }
    #expect(calls == 0)
  }

  @Test("a closure that was finalized before its caller is an error")
  func order() async throws {
    let host = try Host()
    host.state.globals["new"] = .function(
      host.state.function(
        HostFunction("new", "") { arguments in
          [.function(arguments.state.closure(HostFunction("one", "") { _ in [.integer(1)] }))]
        }))
    let script = """
      local results = {}
      for i = 1, 10 do
        local t = setmetatable({}, {__gc = function(t) results[i] = table.pack(pcall(t.iterator)) end})
        t.iterator = new()
      end
      wait() -- Swift lets go of what it has returned
      for i = 1, 3 do collectgarbage() end
      return #results, results[1][1], results[1][2]
      """
    let text = try await host.text(script)
    #expect(text == "10 false the function has been collected")
  }

  @Test("the memory limit holds in a finalizer that an allocation of Swift's set off")
  func memory() async throws {
    let host = try Host(
      memoryLimit: 32 << 20,
      functions: [
        HostFunction("tables", "") { _ in [.list((0..<100).map { _ in .list([]) })] }
      ])
    let script = """
      local caught
      for i = 1, 2000 do
        setmetatable({}, {__gc = function()
          local ok, e = pcall(string.rep, 'x', 1 << 30)
          caught = e
          echo({})
        end})
        tables()
      end
      return caught
      """
    let text = try await host.text(script)
    #expect(text == "not enough memory")
  }

  @Test("a finalizer cannot wait")
  func waiting() async throws {
    let script = """
      local code
      for _, f in ipairs { wait, function() coroutine.wrap(wait)() end } do
        setmetatable({}, {__gc = function() code = select(2, pcall(f)).code end})
        code = nil
        collectgarbage()
        assert(code == 'cannot_wait', code)
      end
      return 'done'
      """
    // The error passes coroutine.wrap as it is.
    #expect(try await Host().text(script) == "done")
  }
}
