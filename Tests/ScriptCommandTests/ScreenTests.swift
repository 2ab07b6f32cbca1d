import CommandLineSupport
import Foundation
import Glibc
import Testing

@Suite("A screen of a script's own", .timeLimit(.minutes(5)))
struct ScreenTests {
  private static let opening = "local screen <close> = b2c.term.screen() screen:draw { 'here it is' } "

  @Test(
    "the terminal is as it was, however the script ends",
    arguments: [
      ("screen:key()", "x", 0), ("error 'broken'", "", 1), ("os.exit(7)", "", 7), ("screen:key()", "\u{3}", 130),
      ("while true do end", "\u{3}", 130), ("b2c.async.timeout(0.01, function() screen:key() end)", "", 1),
      ("b2c.async.all { function() screen:key() end, function() error 'broken' end }", "", 1),
      ("screen:close() screen:close()", "", 0), ("pcall(screen.key, screen)", "\u{3}", 130),
      ("while true do pcall(error) end", "\u{3}\u{3}", 130),
    ] as [(String, String, Int32)])
  func isRestored(script: String, keys: String, status: Int32) throws {
    let session = try TerminalSession(Program(), ["-e", Self.opening + script])
    let before = session.firstModes
    if !keys.isEmpty { try session.see("here it is") }
    session.type(keys)
    #expect(session.end() == status, "\(session.screen)")
    #expect(session.localModes == before)
    #expect(!session.display.isAlternate)
    #expect(session.display.isCursorShown)
    #expect(session.screen.contains("here it is"))
    if script.contains("broken") {
      #expect(session.display.text.contains("(command line):1: broken"), "\(session.display.text)")
    }
  }

  @Test("the time limit ends it, too, and says so on the terminal's own screen")
  func timeout() throws {
    let session = try TerminalSession(Program(), ["--timeout", "1", "-e", Self.opening + "screen:key()"])
    #expect(session.end() == 124)
    #expect(session.display.text.contains("b2c-run: stopped after 1 s (--timeout)"), "\(session.display.text)")
    #expect(!session.display.isAlternate)
  }

  @Test("what is printed and logged meanwhile is shown when it is closed")
  func output() throws {
    let session = try TerminalSession(
      Program(),
      [
        "-e",
        Self.opening
          + "print 'printed' b2c.log.info 'logged' io.write 'written\\n' screen:key() screen:close() print 'after'",
      ])
    try session.see("here it is")
    session.type("x")
    #expect(session.end() == 0)
    let behind = session.screen.split(separator: "\u{1B}[?1049l")
    #expect(behind.count == 2)
    #expect(!behind[0].contains("printed") && !behind[0].contains("logged"))
    #expect(behind[1].contains("printed\r\nwritten\r\n"), "\(behind[1])")
    #expect(behind[1].contains("logged"))
    #expect(behind[1].hasSuffix("after\r\n"))
  }

  @Test("keys come with their names and texts; waiting for them keeps nothing else from going on")
  func keys() throws {
    let script = """
      local screen <close> = b2c.term.screen()
      local seen, ticks = {}, 0
      b2c.async.all {
        function()
          repeat
            screen:draw { table.concat(seen, ' '), 'ready' }
            local key, text = screen:key()
            seen[#seen + 1] = key .. (text and '=' .. text or '')
          until key == 'q'
          screen:close()
          print(table.concat(seen, ' '), ticks > 3)
        end,
        function() while seen[#seen] ~= 'q=q' do b2c.async.sleep(0.01) ticks = ticks + 1 if ticks == 5 then seen[1] = 'five' end end end,
      }
      """
    let session = try TerminalSession(Program(), ["-e", script])
    try session.see("ready")
    // The first key comes when the other coroutine has run for a while.
    session.type("a")
    try session.see("five a=a") { $0.text.contains("a=a") }
    session.type("é\u{1B}[A\u{1B}[1;5D\r\t\u{7F}\u{1}\u{13}\u{1B}[200~two words\u{1B}[201~")
    try session.see("paste=two words")
    session.type("\u{1B}")
    try session.see("escape")
    session.resize(columns: 200, rows: 10)
    try session.see("resize")
    session.type("q")
    #expect(session.end() == 0)
    #expect(
      session.screen.contains(
        "é=é up ctrl-left enter tab backspace ctrl-a ctrl-s paste=two words escape resize q=q"), "\(session.screen)")
  }

  @Test("a wait for a key ends in time, and a draw with a mistake is named")
  func mistakes() throws {
    let script = """
      local screen = b2c.term.screen()
      local function message(f, ...) return select(2, pcall(f, screen, ...)).message end
      local texts = {
        tostring(screen:key { timeout = 0.01 }), message(screen.key, { timeout = -1 }), message(screen.draw, { 1, {} , true }),
        message(screen.draw, { { 'a', { 'b', style = 'bald' } } }), message(screen.draw, {}, { cursor = { 1 } }),
        message(function() b2c.term.prompt 'x' end), message(function() b2c.term.screen() end),
        screen:suspend(function() return message(screen.suspend, print) end),
      }
      screen:close()
      texts[#texts + 1] = message(screen.draw, {})
      print(table.concat(texts, '\\n'))
      """
    let session = try TerminalSession(Program(), ["-e", script], columns: 120)
    #expect(session.end() == 0)
    #expect(
      session.screen.replacing("\r\n", with: "\n").hasSuffix(
        """
        nil
        screen:key: option 'timeout': expected zero or more seconds, got -1.0
        screen:draw: line 3: expected a text, or { "text", style = "bold" }, got boolean
        screen:draw: line 1, piece 2: there is no style 'bald'
        screen:draw: option 'cursor': expected { row, column }
        term.prompt: a screen of the script's own is on the terminal
        term.screen: there is a screen already
        screen:suspend: the screen is suspended already, or closed
        screen:draw: the screen is closed

        """), "\(session.screen)")
  }

  @Test("Ctrl-Z gives the terminal back to the shell, and fg the screen to the script")
  func stops() throws {
    let script = Self.opening + "while screen:key() ~= 'q' do end"
    let session = try TerminalSession(
      Program(), ["-e", script], shell: "\"$0\" \"$@\"; echo stopped as $?; fg > /dev/null; echo ended as $?")
    try session.see("here it is")
    session.type("\u{1A}")
    try session.expect("stopped as 148")
    try session.see("the screen again") { $0.isAlternate && $0.text.contains("here it is") }
    session.type("q")
    try session.expect("ended as 0")
    #expect(session.end() == 0)
    #expect(session.isEchoing)
  }

  @Test(
    "without a terminal there is none",
    arguments: [["</dev/null", "cat"], ["", "cat"]])
  func none(redirection: [String]) throws {
    let script = "print(pcall(b2c.term.screen)) print(b2c.term.size())"
    let session = try TerminalSession(
      Program(), ["-e", script], shell: "\"$0\" \"$@\" \(redirection[0]) | \(redirection[1])")
    #expect(session.end() == 0)
    #expect(session.screen.contains("term.screen: there is no terminal to draw on"), "\(session.screen)")
    #expect(session.screen.hasSuffix("nil\tnil\r\n"), "\(session.screen)")
    let dumb = try TerminalSession(Program(), ["-e", "b2c.term.screen()"], environment: ["TERM": "dumb"])
    #expect(dumb.end() == 1)
    #expect(dumb.screen.contains("hint: TERM names a terminal that cannot move the cursor"))
    #expect(
      try Program().withoutTerminal("-e", "print(select(2, pcall(b2c.term.screen)).code)").output == "no_terminal\n")
  }

  @Test("a permission that is asked for takes the screen away, and gives it back")
  func permission() throws {
    let script =
      Self.opening + "screen:draw { io.open('/etc/hostname') and 'opened' } repeat until screen:key() == 'x'"
    let session = try TerminalSession(Program(), ["-e", script])
    try session.see("Allow it? [y/n/A]")
    #expect(!session.display.isAlternate)
    session.type("y\r")
    try session.see("the screen again") { $0.isAlternate && $0.lines[0] == "opened" }
    session.type("x")
    #expect(session.end() == 0, "\(session.screen)")
  }

  @Test("what is in an error or a log line is no command to the terminal")
  func messages() throws {
    let bad = "\\27[2J\\xC2\\x9B31m"
    for script in [
      "error('a\(bad)')", "error { code = 'x', message = 'a\(bad)', hint = '\(bad)' }", "b2c.log.info('a\(bad)')",
    ] {
      let session = try TerminalSession(Program(), ["-e", script])
      _ = session.end()
      #expect(session.screen.contains("a␛[2J\u{FFFD}31m"), "\(session.screen)")
      #expect(!session.screen.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{9B}" })
    }
  }

  @Test("names of files, labels and what the session tells of are no commands to the terminal")
  func names() throws {
    let program = try Program()
    try program.write("a\u{1B}[2J\nb.csv", "text\n\"\"\n")
    let summary = try program.run("--local", "import", "a\u{1B}[2J\nb.csv")
    #expect(summary.output.hasPrefix("a␛[2J⏎b.csv: 1 row in "), "\(summary)")
    #expect(!(summary.output + summary.errors).contains("\u{1B}"), "\(summary)")
    for script in ["b2c.term.progress { label = 'a\\27[2J' }:update(1)", "error 'a\\27[2J'"] {
      let session = try TerminalSession(program, script.hasPrefix("b2c") ? ["-e", script] : [])
      if !script.hasPrefix("b2c") {
        try session.expect("> ")
        session.type(script + "\n")
      }
      try session.expect("a␛[2J")
      if !script.hasPrefix("b2c") {
        try session.expect("> ")
        session.type("\u{4}")
      }
      #expect(session.end() == 0)
    }
  }

  @Test("what heads a table is no command to the terminal")
  func tableHeads() throws {
    let script = "term.table { { ['a\\27[2J\\nb'] = 1 } }"
    #expect(try Program().run("-e", script).output == "a␛[2J⏎b\n      1\n")
  }

  @Test("styles are for terminals")
  func styles() throws {
    let script =
      "local s = b2c.term.style('a\\27b', 'bold red') print(s) print('x' .. s .. 'y') b2c.term.table { { s, 'z' } }"
    #expect(try Program().run("-e", script).output.hasPrefix("a\u{1B}b\nxa\u{1B}by\na␛b  z\n"))
    let colored = try TerminalSession(Program(), ["-e", script], environment: ["NO_COLOR": ""])
    #expect(colored.end() == 0)
    let look = "\u{1B}[1;31ma␛b\u{1B}[0m"
    #expect(colored.screen == "\(look)\r\nx\(look)y\r\n\(look)  z\r\n", "\(colored.screen)")
    let plain = try TerminalSession(Program(), ["-e", script])
    #expect(plain.end() == 0)
    #expect(plain.screen.hasPrefix("\u{1B}[1ma␛b\u{1B}[0m\r\n"))
  }
}
