import HostLoop
import Lua
import Testing

@HostActor @Suite("Errors, both ways")
struct ErrorTests {
  private static let add = HostFunction(
    "tasks.add", "",
    [
      Parameter("task", .either([.string, .table])),
      .options([
        Parameter("policy", .string, optional: true), Parameter("limit", .integer, optional: true),
        Parameter("format", .choice(["csv", "json"]), optional: true),
      ]),
    ]
  ) { [$0["policy"]] }

  @Test(arguments: [
    ("add(nil)", "tasks.add: argument 1: expected a string or table, got nil"),
    ("add()", "tasks.add: argument 1: expected a string or table, got nothing"),
    ("add(print)", "tasks.add: argument 1: expected a string or table, got function"),
    ("add('x', 5)", "tasks.add: argument 2: expected a table, got number"),
    ("add('x', { polcy = 'a' })", "tasks.add: unknown option 'polcy'"),
    ("add('x', { policy = 1 })", "tasks.add: option 'policy': expected a string, got number"),
    ("add('x', { limit = 1.5 })", "tasks.add: option 'limit': expected an integer, got 1.5"),
    ("add('x', { format = 'xml' })", "tasks.add: option 'format': expected one of \"csv\", \"json\", got \"xml\""),
    ("add('x', { 'a' })", "tasks.add: options have names, got a number as key"),
  ])
  func arguments(call: String, message: String) async throws {
    let host = try Host()
    host.state.globals["add"] = .function(host.state.function(Self.add))
    let error = await host.error("\n\n" + call)
    #expect(error.message == message)
    #expect(error.location == "test.lua:3")
  }

  @Test func nearestOption() async throws {
    let host = try Host()
    host.state.globals["add"] = .function(host.state.function(Self.add))
    #expect(await host.error("add('x', { polcy = 'a' })").hint == "did you mean 'policy'?")
    #expect(await host.error("add('x', { zzz = 'a' })").hint == "known are policy, limit, format")
  }

  @Test("a script sees an error object, and pcall gives it back as it is")
  func object() async throws {
    let host = try Host()
    let script = """
      local ok, e = pcall(fail, 'no luck')
      local again = select(2, pcall(error, e))
      return ok, e.code, e.message, e.hint, e.status, e.retryable, e.details.a, e.where, tostring(e), again == e
      """
    #expect(
      try await host.text(script)
        == "false failed no luck do not call it 500 false b test.lua:1 test.lua:1: no luck true")
    #expect(
      try await host.text("local _, e = pcall(function() fail('x') end) return tostring(e), e.where")
        == "test.lua:1: x test.lua:1")
  }

  @Test("what the script raised arrives in Swift with place and traceback")
  func uncaught() async throws {
    let error = try await Host().error("local function inner() error('bad') end\nfunction outer() inner() end\nouter()")
    #expect(error.description == "test.lua:1: bad")
    #expect(error.traceback?.contains("test.lua:2: in function 'outer'") == true)
  }

  @Test func values() async throws {
    #expect(try await Host().error("error({ code = 7 })").value?.table?["code"].integer == 7)
    #expect(try await Host().error("error()").message == "error with a nil value")
    #expect(try await Host().error("local x; x.y = 1").message == "attempt to index a nil value (local 'x')")
    #expect(
      try await Host().error("error(setmetatable({}, {__tostring = function() error('no') end}))").message
        == "(a value whose description failed)")
  }

  @Test func syntax() async throws {
    let error = try await Host().error("x = 1\nlocal function (")
    #expect(error.code == "syntax_error")
    #expect(error.description == "test.lua:2: <name> expected near '('")
    #expect(try await Host().error("\u{1B}Lua").code == "syntax_error")
  }

  @Test("a child's traceback is joined to that of the code that started it")
  func joined() async throws {
    let host = try Host(functions: [
      .suspending("start", "", [Parameter("f", .function)]) { arguments in
        try await arguments[0].function?.call() ?? []
      }
    ])
    let error = await host.error(
      "local function child() fail('deep') end\nlocal function parent() start(child) end\nparent()")
    #expect(error.description == "test.lua:1: deep")
    let traceback = try #require(error.traceback)
    let parts = traceback.split(separator: "started by:")
    #expect(parts.count == 2)
    #expect(parts.first?.contains("test.lua:1: in function") == true)
    #expect(
      parts.last?.contains("test.lua:2: in upvalue 'parent'") == true || parts.last?.contains("test.lua:2:") == true)
  }

  @Test("an error in a to-be-closed variable takes the place of the first, as in Lua")
  func closing() async throws {
    let error = try await Host().error(
      "local x <close> = setmetatable({}, {__close = function() error('second') end})\nerror('first')")
    #expect(error.message == "second")
  }

  @Test("what a message says is cleaned on its way")
  func cleaning() async throws {
    let host = try Host()
    host.state.cleanMessage = { $0.replacing("hunter2", with: "[secret]") }
    #expect(try await host.text("local _, e = pcall(fail, 'password hunter2') return e.message") == "password [secret]")
    #expect(await host.error("error('hunter2')").message == "[secret]")
  }
}
