import CommandLineSupport
import Foundation
import Testing

@Suite("How a run ends")
struct EndingTests {
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
