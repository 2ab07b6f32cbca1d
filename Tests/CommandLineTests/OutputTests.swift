import Foundation
import Testing

@Suite("Standard output that cannot be written")
struct OutputTests {
  @Test(
    "a reader that has seen enough ends the script quietly",
    arguments: [
      "while true do print('more') end",
      "while true do io.write('more\\n') end",
      "print('one') b2c.async.sleep(0.01) while true do print('more') b2c.async.sleep(0) end",
    ])
  func closed(script: String) throws {
    let result = try Program().shell("\"$0\" -e \"$1\" | head -1; echo ${PIPESTATUS[0]}", script)
    #expect(result.output.split(separator: "\n").last == "141")
    #expect(result.output.split(separator: "\n").count == 2)
    #expect(result.errors == "")
  }

  @Test("results that get lost are a failure")
  func full() throws {
    let result = try Program().shell("\"$0\" -e 'print(1)' > /dev/full; echo $?", "")
    #expect(result.output == "1\n")
    #expect(result.errors.hasPrefix("b2c-run: standard output could not be written: "), "\(result)")
  }

  @Test("a tenant prints its settings alone, for a person it has standard error, and Ctrl-C ends it")
  func tenant() throws {
    let result = try Program().run("tenant", whenSpeaking: { $0.interrupt() })
    #expect(result.status == 130, "\(result)")
    #expect(result.output.hasPrefix("<?xml") && result.output.hasSuffix("</plist>\n"))
    #expect(result.errors.hasPrefix("Local tenant contoso.onmicrosoft.com at http://127.0.0.1:"))
  }

  @Test("log lines that go to no terminal begin with the time")
  func logTimes() throws {
    let program = try Program()
    let start = Date()
    let script = "b2c.log.warn('one\\ntwo', { a = 1 })"
    let result = try program.shell("\"$0\" -e \"$1\" 2> errors", script)
    #expect(result.status == 0, "\(result)")
    let text = try String(contentsOf: program.folder.appending(path: "errors"), encoding: .utf8)
    let line = try #require(
      try #/([-0-9]+T[:0-9]+)\.\d{3}Z warn  one\n      two  a=1\n/#.wholeMatch(in: text), "\(text)")
    let time = try Date("\(line.1)Z", strategy: .iso8601)
    #expect(time > start.addingTimeInterval(-2) && time < Date().addingTimeInterval(2))
    let terminal = try TerminalSession(program, ["-e", script])
    #expect(terminal.end() == 0)
    #expect(terminal.screen.hasPrefix("warn  one\r\n"), "\(terminal.screen)")
  }
}
