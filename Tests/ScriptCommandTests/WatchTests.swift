import CommandLineSupport
import Foundation
import Testing

@Suite("--watch")
struct WatchTests {
  @Test("runs again when a module of the script changes, not when the script itself writes a file")
  func module() throws {
    let program = try Program()
    try program.write("in/module.lua", "return 'first'")
    try program.write(
      "in/script.lua",
      "print((require 'module')) local f <close> = io.open('in/written.txt', 'w') f:write(os.clock())")
    let session = try TerminalSession(program, ["--watch", "--allow-write=in", "in/script.lua"])
    try session.expect("first\r\n")
    try session.expect("waiting for changes; Ctrl-C ends")
    try program.write("in/module.lua", "return 'second'")
    try session.expect("in/module.lua changed; running again")
    try session.expect("second\r\n")
    try session.expect("waiting for changes")
    try program.write("in/data/new.csv", "a,b")
    try session.expect("in/data/new.csv changed; running again")
    try session.expect("waiting for changes")
    // A file that was in the folder before the folder was moved here is new as well.
    try program.write("elsewhere/deep/old.csv", "a,b")
    try FileManager.default.moveItem(
      at: program.folder.appending(path: "elsewhere"), to: program.folder.appending(path: "in/2026"))
    try session.expect("in/2026/deep/old.csv changed; running again")
    try session.expect("waiting for changes")
    session.type("\u{3}")
    #expect(session.end() == 130)
    #expect(!session.screen.contains("written.txt"), "\(session.screen)")
  }

  @Test("stops a run that is under way, with its <close> variables, and starts afresh", arguments: [false, true])
  func stops(computes: Bool) throws {
    let program = try Program()
    let script = """
      local b2c = require "b2c"
      local _ <close> = setmetatable({}, { __close = function() print "closed" end })
      print("round", count) count = 1
      io.stdout:flush()
      \(computes ? "while true do end" : "b2c.async.sleep(1000)")
      """
    try program.write("script.lua", script)
    let session = try TerminalSession(program, ["--watch", "script.lua"])
    for _ in 1...2 {
      try session.expect("round\tnil\r\n")
      try program.write("script.lua", script)
      try session.expect("closed\r\n")
      try session.expect("script.lua changed; running again")
    }
    try session.expect("round\tnil\r\n")
    session.type("\u{3}")
    #expect(session.end() == 130)
  }

  @Test("a script with a mistake is waited for, and each run has its own time")
  func mistake() throws {
    let program = try Program()
    try program.write("script.lua", "while true do end")
    let session = try TerminalSession(program, ["--watch", "--timeout", "0.2", "script.lua"])
    try session.expect("not done after 0.2 s")
    try session.expect("waiting for changes")
    try program.write("script.lua", "print(")
    try session.expect("unexpected symbol")
    try session.expect("waiting for changes")
    try program.write("script.lua", "print 'fine'")
    try session.expect("fine\r\n")
    session.type("\u{3}")
    #expect(session.end() == 130)
  }

  @Test("tests are run again, too")
  func tests() throws {
    let program = try Program()
    try program.write("one_test.lua", "it('is one', function() expect(2).to_equal(1) end)")
    let session = try TerminalSession(program, ["--watch", "test"])
    try session.expect("1 failed")
    try session.expect("waiting for changes")
    try program.write("one_test.lua", "it('is one', function() expect(1).to_equal(1) end)")
    try session.expect("1 passed")
    session.type("\u{3}")
    #expect(session.end() == 130)
  }

  @Test(arguments: [
    (["--watch", "-"], "b2c-run: --watch: standard input cannot be read again\n"),
    (["--watch", "tenant"], "b2c-run: --watch: there is no sense in running tenant again\n"),
    (["--watch", "nowhere.lua"], "b2c-run: cannot find the script 'nowhere.lua'\n"),
  ])
  func wrongUse(arguments: [String], message: String) throws {
    let result = try Program().run(list: arguments)
    #expect(result.status == 2)
    #expect(result.errors.hasPrefix(message), "\(result)")
  }

  @Test("the name of a file is no command to the terminal")
  func names() throws {
    let program = try Program()
    try program.write("script.lua", "print 'run'")
    let session = try TerminalSession(program, ["--watch", "script.lua"])
    try session.expect("waiting for changes")
    try program.write("a\u{1B}[2J\rb.lua", "")
    try session.expect("a␛[2J⏎b.lua changed; running again")
    session.type("\u{3}")
    #expect(session.end() == 130)
  }
}
