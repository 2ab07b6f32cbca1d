import CommandLineSupport
import Foundation
import Testing

/// `--timeout`, `--memory` and Ctrl-C work in every call of a script.
@Suite("No call is spared")
struct StoppingTests {
  @Test(
    "a host function that makes much is stopped in the middle, and `<close>` variables run",
    arguments: [
      "local t, s = {}, ('x'):rep(500000) for i = 1, 200 do t[i] = s end while true do b2c.json.encode(t) end",
      "while true do b2c.json.encode({ ('x'):rep(1000000) }) end",
      "os.execute 'sleep 60; true'", "io.popen('sleep 60; true'):close()", "io.popen('sleep 60', 'w'):close()",
      "while true do pcall(os.execute, 'sleep 60') end",
    ])
  func interruptible(work: String) throws {
    let script = "local _ <close> = setmetatable({}, { __close = function() print 'closed' end }) \(work)"
    let result = try Program().run("-A", "--timeout", "0.3", "-e", script)
    #expect(result.status == 124, "\(result)")
    #expect(result.errors.hasSuffix("stopped after 0.3 s (--timeout)\n"), "\(result)")
    #expect(result.output == "closed\n")
  }

  /// A host function without an end that looks at nothing, be it called or in its asynchronous part.
  private static let endless = [
    "b2c.term.width(('é'):rep(30000000))",
    "b2c.http.post('http://127.0.0.1:9/', { form = { a = ('é'):rep(30000000) } })",
  ]

  @Test("one that looks at nothing is ended with the process, which names line and call", arguments: endless)
  func stuck(work: String) throws {
    let program = try Program()
    let name = String(work.prefix { $0 != "(" }.dropFirst(4))
    try program.write("stuck.lua", "local b2c = require 'b2c'\nprint 'before' io.stdout:flush()\n\(work)\n")
    let expected = "b2c-run: ended at stuck.lua:3, in the middle of \(name), which does not stop\n"
    let limit = try program.run("-A", "--timeout", "2", "stuck.lua")
    #expect(limit.status == 124)
    #expect(limit.output == "before\n")
    #expect(limit.errors == expected)
    let interrupted = try program.run("-A", "stuck.lua", whenSpeaking: { $0.interrupt() })
    #expect(interrupted.status == 130)
  }

  @Test("a test that does not stop ends its process, and the other tests run")
  func tests() throws {
    let program = try Program()
    try program.write(
      "stuck_test.lua",
      "local b2c = require 'b2c' describe('a', function() it('stuck', function()\n  \(Self.endless[0])\nend) it('other', function() end) end)\n"
    )
    let result = try program.run("test", "--timeout", "2", "stuck_test.lua")
    #expect(result.status == 1, "\(result)")
    #expect(result.output.contains("the test ended its process with status 124"), "\(result)")
    #expect(result.output.contains("1 passed, 1 failed"), "\(result)")
    #expect(result.errors.contains("b2c-run: ended at stuck_test.lua:2, in the middle of term.width"), "\(result)")
  }

  @Test("what os.execute and io.popen have started ends with the script", arguments: ["--timeout", "interrupt"])
  func children(how: String) throws {
    let program = try Program()
    try program.write(
      "work.lua",
      """
      local pipe = io.popen("echo $$ >> started; sleep 60; true", "r")
      os.execute "echo $$ >> started; sleep 60 & echo $! >> started; until [ $(wc -l < started) = 3 ]; do :; done; echo started; wait"
      """)
    let result =
      how == "interrupt"
      ? try program.run("-A", "work.lua", whenSpeaking: { $0.interrupt() })
      : try program.run("-A", "--timeout", "1.5", "work.lua")
    #expect(result.status == (how == "interrupt" ? 130 : 124), "\(result)")
    let started = try String(contentsOf: program.folder.appending(path: "started"), encoding: .utf8)
    let processes = started.split(separator: "\n").compactMap { Int32($0) }
    #expect(processes.count == 3)
    #expect(processes.filter(Self.runs) == [])
  }

  /// Returns true if the process exists and is not a zombie.
  private static func runs(_ process: Int32) -> Bool {
    guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
    return !stat.contains(") Z ") && !stat.contains(") X ")
  }

  @Test("io.popen and os.execute do what Lua's own do")
  func commands() throws {
    let script = """
      local p = io.popen "echo hi; exit 3" print(p:read "l", p:close()) print(os.execute "exit 4")
      print(os.execute "kill -TERM $$") print(os.execute()) print(os.execute "true")
      local w = io.popen("cat; echo end", "w") w:write "to cat\\n" print(w:close())
      for line in io.popen "seq 3":lines() do io.write(line, " ") end
      print(pcall(io.popen, "true", "rw")) print(pcall(p.read, p))
      """
    let result = try Program().run("-A", "-e", script)
    #expect(
      result.output == """
        hi\tnil\texit\t3
        nil\texit\t4
        nil\tsignal\t15
        true
        true\texit\t0
        to cat
        end
        true\texit\t0
        1 2 3 false\tbad argument #2 to 'io.popen' (invalid mode)
        false\tattempt to use a closed file

        """)
  }

  @Test(
    "--memory counts what the host keeps for a script",
    arguments: [
      "local t = {} for i = 1, 1e7 do t[i] = b2c.settings.with { clientID = 'a' .. i } end",
      "local f = function() b2c.async.sleep(60) end local t = {} for i = 1, 20000 do t[i] = f end b2c.async.all(t)",
      "local t, s = {}, ('x'):rep(500000) for i = 1, 500 do t[i] = s end b2c.json.encode(t)",
    ])
  func counted(work: String) throws {
    let result = try Program().run("--local", "-A", "--memory", "24M", "--timeout", "300", "-e", work)
    #expect(result.status == 124, "\(result)")
    #expect(result.errors.contains("not enough memory"), "\(result)")
  }

  @Test("what garbage of the host takes is collected in time")
  func garbage() throws {
    let work = "for i = 1, 5000 do b2c.settings.with { clientID = 'a' .. i } end print 'done'"
    let result = try Program().run("--local", "--memory", "24M", "-e", work)
    #expect(result.output == "done\n", "\(result)")
  }

  @Test("what --memory cannot count ends the process, which names line, call and amount")
  func resident() throws {
    let program = try Program()
    try program.write("large.lua", "local b2c = require 'b2c'\nb2c.term.width(('é'):rep(20000000))\n")
    let result = try program.run("--memory", "90M", "large.lua")
    #expect(result.status == 124, "\(result)")
    #expect(
      result.errors.wholeMatch(
        of:
          #/b2c-run: ended at large\.lua:2, in the middle of term\.width, for it took \d+ MiB: --memory allows 90 MiB, and 64 MiB for the program itself\n/#
      ) != nil, "\(result)")
    // The program alone is within it, also with its libraries.
    #expect(
      try Program().run("--local", "--memory", "1M", "-e", "b2c.tenant.sign_in() print 'done'").output == "done\n")
  }

  @Test("names of millions of letters are refused, not searched for", arguments: [40_000, 12_000_000])
  func names(length: Int) throws {
    let script =
      "local ok, problem = pcall(b2c.async.map, {}, { [('x'):rep(\(length))] = 1 }, print) print(problem.code, #problem.message)"
    let result = try Program().run("--timeout", "5", "-e", script)
    #expect(result.status == 0, "\(result)")
    let words = result.output.split(whereSeparator: \.isWhitespace)
    #expect(words.first == "unknown_option" && (words.last.flatMap { Int($0) } ?? .max) < 70_000)
  }
}
