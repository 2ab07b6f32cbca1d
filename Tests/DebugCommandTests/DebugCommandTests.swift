import CommandLineSupport
import Foundation
import JSON
import Testing

@Suite("b2c-run debug")
struct DebugCommandTests {
  private static let factorial = """
    local function factorial(n)
      if n < 2 then
        return 1
      end
      return n * factorial(n - 1)
    end

    total = 0
    for i = 1, 4 do
      local value = factorial(i)
      total = total + value
    end
    print("total", total, ...)
    """

  @Test("halts at a breakpoint, shows the stack and the variables, steps, and goes on to the end")
  func breakpoint() throws {
    let client = try DebugClient(Self.factorial, ["--of=the script", "x"])
    let answers = try client.launch([["line": 11]])
    #expect(answers.first?["verified"] == true && answers.first?["line"] == 11)
    var halt = try client.halt()
    #expect(halt.reason == "breakpoint" && halt.line == 11)
    let locals = try client.variables("Locals", thread: halt.thread)
    #expect(
      locals == [
        "i": "1", "value": "1", "factorial": "function at script.lua:1", "...1": "\"--of=the script\"", "...2": "\"x\"",
      ])
    let threads = try client.request("threads")["threads"]?.array
    #expect(threads?.first?["name"] == "script")
    try client.request("next", ["threadId": .integer(Int64(halt.thread))])
    halt = try client.halt()
    #expect(halt.reason == "step" && halt.line == 9)
    #expect(try client.evaluate("total", thread: halt.thread) == "1")
    try client.request("next", ["threadId": .integer(Int64(halt.thread))])
    halt = try client.halt()
    #expect(halt.line == 10)
    try client.request("stepIn", ["threadId": .integer(Int64(halt.thread))])
    halt = try client.halt()
    #expect(halt.line == 2)
    #expect(try client.frames(halt.thread).compactMap { $0["name"]?.string } == ["factorial", "main chunk"])
    #expect(try client.variables("Upvalues", thread: halt.thread) == ["factorial": "function at script.lua:1"])
    try client.request("stepOut", ["threadId": .integer(Int64(halt.thread))])
    halt = try client.halt()
    #expect(halt.line == 10 || halt.line == 11)
    try client.request("setBreakpoints", ["source": ["path": .string(client.script)], "breakpoints": []])
    try client.request("continue", ["threadId": .integer(Int64(halt.thread))])
    #expect(try client.end() == 0)
    #expect(client.output() == "total\t33\t--of=the script\tx\n")
  }

  @Test("conditions, hit counts and log messages decide whether a breakpoint halts")
  func conditions() throws {
    let client = try DebugClient(Self.factorial)
    let answers = try client.launch([
      ["line": 11, "condition": "i == 3 and value == 6"], ["line": 10, "logMessage": "i is {i}, {i * }"],
      ["line": 5, "hitCondition": "6"], ["line": 7], ["line": 99], ["line": 3, "condition": "n =="],
      ["line": 3, "hitCondition": "often"],
    ])
    #expect(
      answers.map { $0["message"]?.string ?? "" } == [
        "", "", "", "moved to line 8, the next one with code", "line 99 has no code, and no line after it",
        "the condition 'n ==' is not a Lua expression: unexpected symbol near <eof>",
        "the hit condition 'often' is not understood; expected a number, with >=, >, <, <= or % in front",
      ])
    var lines: [Int] = []
    for _ in 0..<3 {
      let halt = try client.halt()
      lines.append(halt.line)
      try client.request("continue")
    }
    #expect(lines == [8, 11, 5])
    #expect(try client.end() == 0)
    #expect(client.output("console").hasPrefix("i is 1, {syntax error near '*'}\ni is 2"))
  }

  @Test("an evaluation reads and sets variables, is bounded, cannot wait, and shows no secret")
  func evaluation() throws {
    let script = """
      local secret = require("b2c").accounts.sign_in {
        agent = "headless", username = "alice", password = "Wonderland-1" }:token()
      local text = secret:reveal()
      local list = { 1, { name = "x" }, key = text }
      print(list[1], #text > 0, changed)
      """
    let client = try DebugClient(script, options: ["--local"])
    try client.launch([["line": 5]])
    let thread = try client.halt().thread
    let locals = try client.variables("Locals", thread: thread)
    #expect(locals["secret"] == "[secret]" && locals["text"] == "\"[secret]\"")
    #expect(locals["list"] == "{ 1, { … }, key = \"[secret]\" }")
    for (text, answer) in [
      ("list[2].name", "\"x\""), ("1, nil, 'a'", "1, nil, \"a\""), ("list[1] = 7", ""),
      ("list", "{ 7, { … }, key = \"[secret]\" }"),
      ("changed = true", ""), ("secret", "[secret]"), ("tostring(secret)", "\"[secret]\""), ("text", "\"[secret]\""),
      ("(function() local x = 2 return x end)()", "2"),
    ] { #expect(try client.evaluate(text, thread: thread) == answer, "\(text)") }
    for (text, message) in [
      ("while true do end", "the evaluation took more than 2 s and was stopped"),
      ("pcall(function() while true do end end) or 1", "the evaluation took more than 2 s and was stopped"),
      ("secret:reveal()", "secret:reveal is refused in a debugger"), ("list.x.y", "attempt to index a nil value"),
      ("1 +", "unexpected symbol near '1'"),
    ] {
      #expect(try client.evaluationRefusal(text, thread: thread).contains(message), "\(text)")
    }
    #expect(try client.evaluationRefusal("require('b2c').async.sleep(1)", thread: thread).contains("wait"))
    #expect(try client.evaluationRefusal("io.open('/etc/passwd')", thread: thread).contains("read"))
    try client.request("continue")
    #expect(try client.end() == 0)
    #expect(client.output() == "7\ttrue\ttrue\n")
  }

  @Test("an error that nothing catches halts the script before its stack unwinds")
  func exception() throws {
    let client = try DebugClient(
      "local t = { 5 }\nlocal function fail(x)\n  error('no ' .. x)\nend\npcall(fail, 1)\nfail(2)\n")
    try client.launch()
    let halt = try client.halt()
    #expect(halt.reason == "exception")
    #expect(try client.frames(halt.thread).compactMap { $0["name"]?.string }.contains("fail"))
    let info = try client.request("exceptionInfo")
    #expect(info["exceptionId"] == "script_error" && info["description"] == "script.lua:3: no 2")
    try client.request("continue")
    #expect(try client.end() == 1)
    #expect(client.output("stderr").contains("script.lua:3: no 2"))
  }

  @Test("an error that a pcall catches halts the script if the client wants it")
  func raised() throws {
    let client = try DebugClient("local ok = pcall(function(x)\n  error('no ' .. x)\nend, 1)\nprint(ok)\n")
    try client.launch(filters: ["raised", "uncaught"])
    let halt = try client.halt()
    #expect(halt.reason == "exception")
    #expect(try client.request("exceptionInfo")["description"] == "script.lua:2: no 1")
    #expect(try client.evaluate("x + 1", thread: halt.thread).isEmpty == false)
    try client.request("continue")
    #expect(try client.end() == 0)
    #expect(client.output() == "false\n")
  }

  @Test("tasks and coroutines are threads, and all halt together while requests go on")
  func threads() throws {
    let script = """
      local async = require("b2c").async
      local generator = coroutine.wrap(function()
        for i = 1, 3 do
          coroutine.yield(i)
        end
      end)
      local seen = generator()
      async.all {
        function() for i = 1, 3 do async.sleep(0.01) seen = seen + 1 end end,
        function()
          local value = generator()
          seen = seen + value
        end,
      }
      print(seen)
      """
    let client = try DebugClient(script)
    try client.launch([["line": 12]])
    let halt = try client.halt()
    #expect(halt.line == 12)
    let names = try client.request("threads")["threads"]?.array?.compactMap { $0["name"]?.string } ?? []
    #expect(names.first == "script: async.all" && names.count == 4, "\(names)")
    #expect(names.contains("coroutine at script.lua:4"), "\(names)")
    try client.request("next", ["threadId": .integer(Int64(halt.thread))])
    _ = try client.halt()
    try client.request("continue")
    #expect(try client.end() == 0)
    #expect(client.output() == "6\n")
  }

  @Test("a pause halts a script that computes, and one that waits; terminate ends it")
  func pause() throws {
    let client = try DebugClient("n = 0\nwhile n >= 0 do\n  n = n + 1\nend\nrequire('b2c').async.sleep(600)\n")
    try client.launch([["line": 3]])
    _ = try client.halt()
    try client.request("setBreakpoints", ["source": ["path": .string(client.script)], "breakpoints": []])
    try client.request("continue")
    try client.request("pause", ["threadId": 1])
    let halt = try client.halt()
    #expect(halt.reason == "pause" && [2, 3].contains(halt.line))
    _ = try client.evaluate("n = -5", thread: halt.thread)
    try client.request("continue")
    while try client.request("threads")["threads"]?.array?.first?["name"] != "script: async.sleep, 600 s" {
      usleep(10_000)
    }
    try client.request("pause", ["threadId": 1])
    #expect(try client.event("stopped")["description"] == "waits for async.sleep, 600 s")
    try client.request("terminate")
    #expect(try client.end() == 130)
  }

  @Test("a halt in table.sort works, where Lua cannot pause; function breakpoints halt at the first line")
  func sort() throws {
    let client = try DebugClient(
      "local t = { 2, 1 }\nlocal function less(a, b)\n  return a < b\nend\ntable.sort(t, less)\nprint(t[1])\nfunction named()\n  return 1\nend\nnamed()\n"
    )
    _ = try client.request("initialize")
    _ = try client.request("launch")
    let answer = try client.request("setFunctionBreakpoints", ["breakpoints": [["name": "named"]]])
    #expect(answer["breakpoints"]?.array?.first?["verified"] == true)
    try client.request("setBreakpoints", ["source": ["path": .string(client.script)], "lines": [3]])
    try client.request("configurationDone")
    var halt = try client.halt()
    #expect(halt.line == 3)
    #expect(try client.evaluate("a + b", thread: halt.thread) == "3")
    try client.request("continue")
    halt = try client.halt()
    #expect(halt.reason == "function breakpoint" && halt.line == 8)
    try client.request("continue")
    #expect(try client.end() == 0)
    #expect(client.output() == "1\n")
  }

  @Test("a client that goes away while the script is halted ends it, also where Lua cannot pause")
  func hangUp() throws {
    for script in ["local x = 1\nprint(x)", "table.sort({ 2, 1 }, function(a, b)\n  return a < b\nend)"] {
      let client = try DebugClient(script)
      try client.launch([["line": 2]])
      _ = try client.halt()
      #expect(try client.hangUp() == 130)
    }
  }

  @Test("a run of a job gets the event of a file")
  func job() throws {
    let job = """
      local run = require("b2c").job { summary = "Greets", on = { webhook = "/hello", scheme = "none" } }
      local name = run.step("name", function() return run.event.body end)
      print("hello", name)
      """
    let client = try DebugClient(
      job, as: "jobs/greet.lua", ["debug", "--job", "greet", "--event", "event.json"])
    try client.program.write("event.json", #"{ "kind": "webhook", "body": "Alice" }"#)
    try client.launch([["line": 3]])
    let thread = try client.halt().thread
    #expect(try client.variables("Locals", thread: thread)["name"] == "\"Alice\"")
    try client.request("continue")
    #expect(try client.end() == 0)
    #expect(client.output() == "hello\tAlice\n")
    let unknown = try client.program.run("debug", "--listen", "0", "--job", "great")
    #expect(unknown.status == 2 && unknown.errors.contains("did you mean 'greet'"), "\(unknown)")
    let alone = try client.program.run("debug", "--listen", "0", "--event", "event.json")
    #expect(alone.status == 2 && alone.errors.contains("--event has no effect without --job"), "\(alone)")
  }

  @Test("one test halts where it runs, and its result is told")
  func test() throws {
    let tests = """
      local one = 1
      it("is not debugged", function()
        assert(one == 1)
      end)
      it("adds", function()
        local sum = one + 1
        assert(sum == 3, "expected 3")
      end)
      """
    let client = try DebugClient(tests, as: "sum_test.lua", ["test", "--debug", "adds"])
    let unknown = try client.program.run("test", "--debug", "adds up", "--listen", "0")
    #expect(unknown.status == 2 && unknown.errors.contains("none of the 2 tests has the name 'adds up'"), "\(unknown)")
    try client.launch([["line": 3], ["line": 7]])
    let halt = try client.halt()
    #expect(halt.line == 7)
    #expect(try client.variables("Locals", thread: halt.thread)["sum"] == "2")
    try client.request("continue")
    #expect(try client.halt().reason == "exception")
    try client.request("continue")
    #expect(try client.end() == 1)
    #expect(client.output().contains("expected 3") && client.output().contains("1 failed"), "\(client.outputs)")
  }

  @Test("setVariable changes locals, upvalues, globals and tables, and nothing else")
  func setVariable() throws {
    let client = try DebugClient(
      "local a, t = 1, { 1, x = 2 }\nlocal function f()\n  local b = 3\n  print(a, b, t[1], t.x, g)\nend\nf()")
    try client.launch([["line": 4]])
    let thread = try client.halt().thread
    let frame = try client.frames(thread).first?["id"] ?? 0
    let scopes = try client.request("scopes", ["frameId": frame])["scopes"]?.array ?? []
    func set(_ scope: JSON, _ name: String, _ value: String) throws -> JSON {
      try client.request("setVariable", ["variablesReference": scope, "name": .string(name), "value": .string(value)])
    }
    #expect(try set(scopes[0]["variablesReference"] ?? 0, "b", "a + 1")["value"] == "2")
    #expect(try set(scopes[1]["variablesReference"] ?? 0, "a", "'x'")["value"] == "\"x\"")
    #expect(try set(scopes[2]["variablesReference"] ?? 0, "g", "true")["value"] == "true")
    let table = try client.request("evaluate", ["expression": "t", "frameId": frame])["variablesReference"] ?? 0
    #expect(try client.expand(table) == ["[1]": "1", "x": "2"])
    _ = try set(table, "[1]", "10")
    _ = try set(table, "x", "20")
    #expect(
      try client.refusal(
        "setVariable", ["variablesReference": scopes[0]["variablesReference"] ?? 0, "name": "no", "value": "1"])
        == "there is no variable 'no' that can be set")
    try client.request("continue")
    #expect(try client.end() == 0)
    #expect(client.output() == "x\t2\t10\t20\ttrue\n")
  }
}
