import CommandLineSupport
import Foundation
import Testing

@Suite("b2c-run test")
struct TestCommandTests {
  @Test("a test or a file that ends the process fails with the signal, and all others are run")
  func endedProcess() throws {
    let program = try Program()
    let die = "io.popen('kill -KILL $PPID'):close() b2c.async.sleep(60)"
    try program.write(
      "a_test.lua", "it('passes', function() end)\nit('dies', function() \(die) end)\nit('goes on', function() end)")
    try program.write("b_test.lua", "local b2c = require 'b2c'\n\(die)")
    try program.write("c_test.lua", "it('is there', function() print(io.read()) error 'shown' end)")
    let result = try program.run("--allow-all", "test", input: "a line\n")
    #expect(result.status == 1)
    for text in [
      "✓ passes", "✗ dies", "✓ goes on",
      "  a_test.lua:2\n    process_ended: the test ended its process by signal 9 (Killed)",
      "✗ the file itself\n    process_ended: the file ended its process by signal 9", "      a line\n",
      "2 passed, 3 failed",
    ] { #expect(result.output.contains(text), "\(result)") }
  }

  @Test("Ctrl-C ends the run, which says what was not run")
  func interrupt() throws {
    let program = try Program()
    try program.write(
      "slow_test.lua",
      "it('passes', function() end) it('waits', function() b2c.async.sleep(600) end) it('is left', function() end)")
    let session = try TerminalSession(program, ["test"])
    try session.expect("✓ passes")
    session.type("\u{3}")
    #expect(session.end() == 130)
    #expect(session.screen.contains("1 passed, 2 not run in "), "\(session.screen)")
  }
}
