import CommandLineSupport
import Foundation
import Testing

@Suite("How a run ends")
struct EndingTests {
  @Test("a syntax error names file and line")
  func syntaxError() throws {
    let program = try Program()
    try program.write("broken.lua", "local x = 1\nif x then\n")
    let result = try program.run("broken.lua")
    #expect(result.status == 1)
    #expect(result.errors == "b2c-run: broken.lua:3: 'end' expected (to close 'if' at line 2) near <eof>\n")
  }

  @Test("an error of the script shows where, and how it came there")
  func scriptError() throws {
    let program = try Program()
    try program.write("bad.lua", "local function f()\n  local t\n  return t.x\nend\nf()\n")
    let result = try program.run("bad.lua")
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("b2c-run: bad.lua:3: attempt to index a nil value (local 't')\n"), "\(result)")
    #expect(result.errors.contains("bad.lua:5: in main chunk"))
  }

  @Test func noSettings() throws {
    let program = try Program()
    let result = try program.run("-e", "print(b2c.settings.clientID)")
    #expect(result.status == 3)
    #expect(
      result.errors == """
        b2c-run: (command line):1: there are no settings: looked for settings.plist and \(program.folder.path)/.config/b2c-run/settings.plist
          hint: write one of them, name a file with --settings FILE, or try the local tenant with --local

        """)
  }

  @Test(
    "time and memory limits",
    arguments: [
      ["--timeout", "0.2", "-e", "while true do end"],
      ["--timeout", "0.2", "-e", "while true do pcall(function() while true do end end) end"],
      ["--timeout", "0.2", "-e", "b2c.async.sleep(3600)"],
      ["--memory", "32M", "-e", "local s = ('x'):rep(1 << 30)"],
    ])
  func limits(arguments: [String]) throws {
    let result = try Program().run(list: arguments)
    #expect(result.status == 124, "\(result)")
    let message = arguments[0] == "--timeout" ? "stopped after 0.2 s (--timeout)" : "not enough memory"
    #expect(result.errors.contains("b2c-run: \(message)\n") || result.errors.contains(": \(message)\n"), "\(result)")
  }

  @Test("what cannot be stopped ends the process, which names the line")
  func stuck() throws {
    let script = "local t = setmetatable({}, {}) getmetatable(t).__call = t print 'before'\nt()"
    let program = try Program()
    try program.write("stuck.lua", script)
    let limit = try program.run("--timeout", "0.2", "stuck.lua")
    #expect(limit.status == 124)
    #expect(limit.output == "before\n")
    #expect(limit.errors == "b2c-run: ended at stuck.lua:2, in the middle of a call that does not stop\n")
    try program.write("stuck.lua", "print 'started' io.stdout:flush() \(script)")
    let interrupted = try program.run("stuck.lua", whenSpeaking: { $0.interrupt() })
    #expect(interrupted.status == 130)
    // It may be interrupted before the call.
    #expect(["", limit.errors].contains(interrupted.errors))
  }

  @Test(
    "Ctrl-\\ tells where a script stands that waits or computes, and it goes on",
    arguments: [("b2c.async.sleep(0.1)", "waits for async.sleep, 0.1 s"), ("local x = 1", "runs")])
  func report(work: String, state: String) throws {
    let program = try Program()
    try program.write(
      "work.lua",
      """
      local b2c = require "b2c"
      local function done() return io.open("done") end
      os.execute "(sleep 1; kill -QUIT $PPID; sleep 1; : > done) &"
      while not done() do
        \(work)
      end
      print "done"
      """)
    let result = try program.run("-A", "work.lua")
    #expect(result.status == 0, "\(result)")
    #expect(result.output == "done\n")
    #expect(result.errors.contains("- \(state)\n    work.lua:"), "\(result)")
  }

  @Test(
    "Ctrl-C stops a script that waits or computes, and runs its close variables",
    arguments: [
      "b2c.async.sleep(3600)", "while true do end", "b2c.async.all { function() b2c.async.sleep(3600) end }",
    ])
  func interrupt(work: String) throws {
    let script = """
      local _ <close> = setmetatable({}, { __close = function() print("closed") end })
      print("started")
      io.stdout:flush()
      \(work)
      """
    let result = try Program().run("-e", script, whenSpeaking: { $0.interrupt() })
    #expect(result.status == 130, "\(result)")
    #expect(result.output == "started\nclosed\n")
  }

  @Test("SIGTERM runs the close variables as Ctrl-C does")
  func termination() throws {
    let script = """
      local _ <close> = setmetatable({}, { __close = function() print("closed") end })
      os.execute "kill -TERM $PPID" b2c.async.sleep(60)
      """
    let result = try Program().run("--allow-run", "-e", script)
    #expect(result.status == 143, "\(result)")
    #expect(result.output == "closed\n")
  }

  @Test("a terminal that is closed ends it, unless nohup wants otherwise; so does termination")
  func signals() throws {
    for (signal, status) in [("HUP", 129), ("TERM", 143)] as [(String, Int32)] {
      let script = "os.execute 'kill -\(signal) $PPID' b2c.async.sleep(60) print 'not reached'"
      let result = try Program().run("--allow-run", "-e", script)
      #expect(result.status == status, "\(result)")
      #expect(result.output == "")
    }
    let script = "os.execute 'kill -HUP $PPID' b2c.async.sleep(0.05) print 'done'"
    let result = try Program().shell("trap '' HUP; exec \"$0\" --allow-run -e \"$1\"", script)
    #expect(result.status == 0, "\(result)")
    #expect(result.output == "done\n")
  }
}
