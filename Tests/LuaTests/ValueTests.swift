import HostLoop
import Lua
import Testing

@HostActor @Suite("Values cross the border as they are")
struct ValueTests {
  @Test(arguments: [
    ("return math.type(echo(3)), math.type(echo(3.0))", "integer float"),
    ("return echo(math.maxinteger) == math.maxinteger, echo(math.mininteger) == math.mininteger", "true true"),
    ("return echo(1/0), echo(-1/0)", "inf -inf"),
    ("local s = 'a\\0b\\255'; return #echo(s), echo(s) == s", "4 true"),
    ("return echo(''), #echo('')", " 0"),
    ("return select('#', echo(nil, nil))", "2"),
    ("local t = {}; return echo(t) == t, echo(print) == print", "true true"),
    ("return echo(true), echo(false), echo(nil)", "true false nil"),
    ("local co = coroutine.create(print); return echo(co) == co", "true"),
  ])
  func roundTrip(script: String, expected: String) async throws {
    #expect(try await Host().text(script) == expected)
    let suspended = script.replacing("echo(", with: "wait(")
    #expect(try await Host().text(suspended) == expected)
  }

  @Test("a float is taken for an integer only when it is one")
  func integers() {
    #expect(LuaValue.number(3).integer == 3)
    #expect(LuaValue.number(3.5).integer == nil)
    #expect(LuaValue.number(1e300).integer == nil)
    #expect(LuaValue.integer(.max).integer == .max)
  }

  @Test func tables() async throws {
    let host = try Host()
    let table = host.state.makeTable()
    table["name"] = .string("Ada")
    table[.integer(1)] = .integer(10)
    table[.integer(2)] = .number(2.5)
    table[.nil] = .integer(1)
    table[.number(.nan)] = .integer(1)
    #expect(table.count == 2)
    #expect(table["name"].string == "Ada")
    #expect(try table.elements.compactMap(\.number) == [10, 2.5])
    #expect(try table.pairs.count == 3)
    host.state.globals["t"] = .table(table)
    #expect(try await host.text("return t.name, t[1], #t") == "Ada 10 2")
  }

  @Test("lists and records become fresh tables")
  func literals() async throws {
    let host = try Host(functions: [
      HostFunction("make", "") { _ in
        [.record([("list", .list([.integer(1), .string("zwei")])), ("absent", .nil), ("on", .boolean(true))])]
      }
    ])
    #expect(try await host.text("local t = make(); return #t.list, t.list[2], t.absent, t.on") == "2 zwei nil true")
  }

  @Test("Swift lets go of what it no longer refers to")
  func references() async throws {
    let host = try Host()
    try await host.run("big = setmetatable({}, {__mode = 'v'})")
    try await host.run("big[1] = {}; echo(big[1])")
    try await host.run("collect() return 1")
    #expect(try await host.text("return #big") == "0")
  }
}
