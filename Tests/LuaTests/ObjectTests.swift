import HostLoop
import Lua
import Synchronization
import Testing

@HostActor
private final class Counter: LuaObject {
  nonisolated static let live = Atomic<Int>(0)
  var count: Int64 = 0
  var isClosed = false

  init() { Counter.live.add(1, ordering: .relaxed) }
  deinit { Counter.live.subtract(1, ordering: .relaxed) }

  static let luaType = HostType(
    "counter", "Counts.",
    properties: [
      .init(
        "count", .integer, "So far.", of: Counter.self, set: { counter, value, _ in counter.count = value.integer ?? 0 }
      ) {
        counter, _ in .integer(counter.count)
      },
      .init("closed", .boolean, "Whether.", of: Counter.self) { counter, _ in .boolean(counter.isClosed) },
    ],
    methods: [
      HostFunction("counter:add", "Adds.", [Parameter("self", .object("counter")), Parameter("n", .integer)]) {
        arguments in
        let counter: Counter = try arguments.object(0)
        counter.count += arguments[1].integer ?? 0
        return [arguments[0]]
      }
    ],
    close: { ($0 as? Counter)?.isClosed = true },
    describe: { "counter at \(($0 as? Counter)?.count ?? 0)" })
}

@HostActor @Suite("Swift objects in Lua", .serialized)
struct ObjectTests {
  private func host() throws -> (Host, Counter) {
    let host = try Host()
    let counter = Counter()
    host.state.globals["c"] = .object(counter)
    return (host, counter)
  }

  @Test(arguments: [
    ("c:add(2):add(3); return c.count", "5"),
    ("c.count = 9; return c.count, c.nothing", "9 nil"),
    ("return tostring(c), c == echo(c), getmetatable(c), type(c)", "counter at 0 true false userdata"),
    ("do local x <close> = c end return c.closed", "true"),
  ])
  func use(script: String, expected: String) async throws {
    let (host, _) = try host()
    #expect(try await host.text(script) == expected)
  }

  @Test(arguments: [
    ("c.add(5)", "counter:add: expected a counter, got number"),
    ("c:add('x')", "counter:add: argument 1: expected an integer, got string"),
    ("c.closed = true", "counter.closed cannot be set"),
    ("c.other = 1", "counter.other cannot be set"),
    ("c.add(io.stdout, 1)", "counter:add: expected a counter, got userdata"),
  ])
  func misuse(script: String, message: String) async throws {
    let (host, _) = try host()
    #expect(await host.error(script).message == message)
  }

  @Test("one Swift object is one Lua value, released when both sides let go")
  func lifetime() async throws {
    let before = Counter.live.load(ordering: .relaxed)
    do {
      let host = try Host(functions: [HostFunction("new", "") { _ in [.object(Counter())] }])
      #expect(try await host.text("for i = 1, 100 do new() end keep = new() collect() return 1") == "1")
      try await host.run("return 1")
      #expect(Counter.live.load(ordering: .relaxed) == before + 1)
      try await host.run("keep = nil collect()")
      #expect(Counter.live.load(ordering: .relaxed) == before)
    }
  }

  @Test("modules are read-only")
  func modules() async throws {
    let host = try Host()
    let module = HostModule(
      "demo", "", [HostFunction("demo.one", "") { _ in [.integer(1)] }],
      fields: [Parameter("version", .string, "Which it is.")]
    ) { name, _ in name == "version" ? .string("1.0") : .nil }
    host.state.globals["demo"] = .table(host.state.table(of: module))
    #expect(try await host.text("return demo.one(), demo.version, demo.none") == "1 1.0 nil")
    #expect(await host.error("demo.one = 2").message == "b2c.demo is read-only: cannot set 'one'")
    #expect(await host.error("rawset(demo, 'one', 2)").message == "rawset: b2c.demo is read-only")
    #expect(await host.error("table.insert(demo, 2)").message == "b2c.demo is read-only: cannot set 'number'")
    #expect(await host.error("setmetatable(demo, {})").message == "cannot change a protected metatable")
    #expect(try await host.text("return getmetatable(demo), next(demo), rawget(demo, 'one')") == "false nil nil")
    let keys = "local k = {} for name in pairs(demo) do k[#k + 1] = name end table.sort(k) return table.concat(k, ',')"
    #expect(try await host.text(keys) == "one,version")
  }
}
