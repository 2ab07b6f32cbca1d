import CommandLineSupport
import Foundation
import JSON
import Testing

@Suite("b2c.debug")
struct TerminalDebuggerTests {
  @Test("b2c.debug() halts under the debugger, and on a terminal opens a session with the variables")
  func debugFunction() throws {
    let script = """
      local b2c = require "b2c"
      local function work(amount)
        local twice = amount * 2
        b2c.debug()
        twice = twice + 1
        return twice
      end
      print("result", work(20))
      """
    let client = try DebugClient(script)
    try client.launch()
    let halt = try client.halt()
    #expect(halt.reason == "breakpoint" && halt.line == 5)
    try client.request("continue")
    #expect(try client.end() == 0)

    let program = try Program()
    let path = try program.write("work.lua", script)
    let session = try TerminalSession(program, [path])
    for (line, answer) in [
      ("twice", "40"), (":locals", "amount = 20"), (":bt", "  work.lua:8 in main chunk"),
      (":up", "work.lua:8 in main chunk"),
      ("twice", "nil"), (":down", "work.lua:4 in work"), ("twice = 50", ""), (":next", "halted at work.lua:5 in work"),
      (":nxt", "did you mean :next?"), (":step", "halted at work.lua:6 in work"), ("twice", "51"),
    ] {
      try session.expect("debug> ")
      session.type(line + "\n")
      if !answer.isEmpty { try session.expect(answer) }
    }
    try session.expect("debug> ")
    session.type(":continue\n")
    try session.expect("result\t51")
    #expect(session.end() == 0)
    let result = try program.run(path)
    #expect(
      result.status == 0 && result.output == "result\t41\n" && result.errors.contains("no terminal and no debugger"))
  }
}
