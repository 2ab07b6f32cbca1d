import HostLoop
import Lua
import Testing

/// Scripts that try to get at the host: each ends as it says, or in an error that it can catch.
@HostActor @Suite("Scripts that go to the limits")
struct HostileScriptTests {
  @Test(arguments: [
    // Many values, deep stacks.
    ("return select('#', echo(table.unpack({}, 1, 10000)))", "10000"),
    ("return select('#', wait(table.unpack({}, 1, 10000)))", "10000"),
    ("local ok, e = pcall(echo, table.unpack({}, 1, 600000)) return ok, e.code", "false stack_overflow"),
    ("local ok, e = pcall(wait, table.unpack({}, 1, 600000)) return ok, e.code", "false stack_overflow"),
    (
      """
      local function f(...) nested() return (f(...)) end
      for size = 20000, 20010 do assert(not pcall(f, table.unpack({}, 1, size))) end
      return 'done'
      """, "done"
    ),
    ("local function f() return 1 + f() end return (select(2, pcall(f)):match('stack overflow'))", "stack overflow"),
    (
      "local function f() pcall(echo, 1, 2) return 1 + f() end return (pcall(f))", "false"
    ),
    ("local function f(n) if n == 0 then return wait(1) end return select(2, pcall(f, n - 1)) end return f(150)", "1"),
    (
      "local function f(n) if n == 0 then return wait(1) end return coroutine.wrap(f)(n - 1) end return f(150)", "1"
    ),
    (
      "local function f(n) return coroutine.wrap(f)(n + 1) end return (select(2, pcall(f, 1)):match('C stack overflow'))",
      "C stack overflow"
    ),
    (
      "local t = setmetatable({}, {}) getmetatable(t).__tostring = function() return shown(t) end return shown(t)",
      "(a value whose description failed)"
    ),
    (
      """
      local last
      for i = 1, 100000 do
        local before = last
        last = coroutine.create(function()
          local c <close> = setmetatable({}, {__close = function() if before then coroutine.close(before) end end})
          coroutine.yield()
        end)
        coroutine.resume(last)
      end
      return type(coroutine.close(last))
      """, "boolean"
    ),
    // Error values.
    ("local ok, e = pcall(error, nil) return ok, e", "false nil"),
    ("local t = {} local ok, e = pcall(error, t) return e == t", "true"),
    ("return shown(setmetatable({}, {__tostring = function() error('x') end}))", "(a value whose description failed)"),
    ("return shown(setmetatable({}, {__tostring = function() return {} end}))", "(a value whose description failed)"),
    ("return shown(setmetatable({}, {__name = 'mine'})):match('^mine: ') ~= nil", "true"),
    ("return xpcall(function() fail('x') end, function(e) return e.code, wait end)", "false failed"),
    ("local ok, e = xpcall(error, function(e) local ok, e = pcall(wait) return e.code end) return e", "cannot_wait"),
    // Tables.
    ("local t = {} for i = 0, 62 do t[1 << i] = 1 end return count(t) < 10000", "true"),
    ("return count({[1] = 1, [3] = 1, [1 << 40] = 1}) < 10000", "true"),
    ("return count(setmetatable({}, {__len = function() return 1 << 40 end, __index = function() return 1 end}))", "0"),
    // Strings.
    ("return #echo(('x'):rep(200000000))", "200000000"),
    ("return echo('\\0\\255\\0') == '\\0\\255\\0'", "true"),
    ("local ok, e = pcall(error, ('x'):rep(5000000), 0) return #e", "5000000"),
    ("return #(''):rep(1 << 62, '')", "0"),
    // Memory that only references held.
    ("for i = 1, 100000 do echo({i}) end return 'done'", "done"),
  ])
  func limits(script: String, expected: String) async throws {
    let text = try await host(memoryLimit: 0).text(script)
    #expect(text == expected)
  }

  @Test(
    "references of a script that never waits are let go of",
    arguments: ["echo({i})", "echo(function() end)", "echo(make())", "echo({}, {}, {})", "shown({})"])
  func references(call: String) async throws {
    let script = "for i = 1, 50000 do \(call) end return 'done'"
    #expect(try await host(memoryLimit: 8 << 20).text(script) == "done")
  }

  private func host(memoryLimit: Int) throws -> Host {
    try Host(
      memoryLimit: memoryLimit,
      functions: [
        HostFunction("shown", "", [.any("value")]) { [.string($0.state.text(of: $0[0]))] },
        HostFunction("count", "", [Parameter("t", .table)]) { [.integer(try $0[0].table?.sequence.count)] },
        HostFunction("make", "") { [.table($0.state.makeTable())] },
        HostFunction("nested", "") { _ in
          [(0..<200).reduce(LuaValue.boolean(true)) { inner, _ in .list([inner]) }]
        },
      ])
  }
}
