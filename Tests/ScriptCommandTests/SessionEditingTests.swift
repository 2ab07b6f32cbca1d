import CommandLineSupport
import Foundation
import Testing

@Suite("What is typed in a session")
struct SessionEditingTests {
  private func session(in program: Program) throws -> TerminalSession {
    let session = try TerminalSession(program, ["--local", "--quiet"])
    try session.expect("> ")
    return session
  }

  /// Types lines, each of them at a prompt, and waits for the one behind the last. Prompts alone do not tell: one is drawn
  /// again when the typed characters move it.
  private func type(_ lines: [String], in session: TerminalSession) throws {
    for line in lines {
      session.type("\(line)\n")
      try session.expect("\(line)\r\n")
      try session.expect("> ")
    }
  }

  private func end(_ session: TerminalSession) {
    session.type("\u{4}")
    #expect(session.end() == 0)
  }

  private func history(of program: Program) throws -> String {
    try String(contentsOf: program.folder.appending(path: ".local/state/b2c-run/history"), encoding: .utf8)
  }

  @Test("what is typed while a call runs is there at the next prompt, and a Ctrl-D of then takes no key")
  func typedAhead() throws {
    let program = try Program()
    let session = try session(in: program)
    session.type("print 'waiting' io.stdout:flush() while not io.open 'go' do async.sleep(0.005) end\n")
    try session.expect("\r\nwaiting\r\n")
    // The end of the line, by a key that would stand there as such behind one that quotes it.
    session.type("answer = 6 * 7\n\u{4}\u{5}ans")
    try session.expect("answer = 6 * 7\r\n")
    try session.expect("ans")
    try program.write("go", "")
    try session.expect("> answer = 6 * 7")
    try session.expect("> ans")
    session.type("wer\n")
    try session.expect("\r\n42\r\n")
    try session.expect("> ")
    end(session)
  }

  @Test("with the keys of vi, too, Tab completes and Ctrl-D ends", arguments: ["", "\u{1B}"])
  func vi(beforeEnd: String) throws {
    let program = try Program()
    try program.write(".editrc", "bind -v\n")
    let session = try session(in: program)
    session.type("tas\t.im\t")
    try session.expect("port")
    session.type("\u{3}")
    try session.expect("^C\r\n> ")
    session.type(beforeEnd)
    end(session)
  }

  @Test("several lines come back as one, to be changed, and the secrets among them are in no file")
  func blocks() throws {
    let program = try Program()
    let first = try session(in: program)
    try type(
      [
        "tenant.users.add {", "  username = 'carol',", "  password = 'Looking-Glass-9',", "}", "function twice(x)", "",
        "  return 2 * x", "end",
      ], in: first)
    end(first)
    #expect(
      try history(of: program) == """
        tenant.users.add {
        \t  username = 'carol',
        \t  password = '[secret]',
        \t}
        function twice(x)
        \t
        \t  return 2 * x
        \tend

        """)
    let second = try session(in: program)
    second.type("\u{1B}[A")
    try second.see("> function twice(x)\n\n  return 2 * x\nend")
    second.type("\u{7F}\u{7F}\u{7F}")
    try second.seeNo("end")
    try type(["end", "twice(21)"], in: second)
    end(second)
    #expect(second.screen.contains("\r\n42\r\n"), "\(second.screen)")
    #expect(!second.screen.contains(">> "), "\(second.screen)")
  }

  @Test("what has not run stays in the session: its secrets are not known")
  func mistakes() throws {
    let program = try Program()
    let session = try session(in: program)
    try type(["password = = 'Looking-Glass-9'", "answer = 42"], in: session)
    session.type("f { password = 'Looking-Glass-9',\n")
    try session.expect(">> ")
    session.type("\u{3}")
    try session.expect("^C\r\n> ")
    session.type("\u{1B}[A\u{1B}[A")
    let mistake = "> password = = 'Looking-Glass-9'"
    try session.see("\(mistake) at the end") { $0.lines.last { !$0.isEmpty } == mistake }
    session.type("\u{3}")
    try session.expect("^C\r\n> ")
    end(session)
    #expect(try history(of: program) == "answer = 42\n")
  }

  @Test("a timer lasts as long as its line, and a warning says so when that ends")
  func timers() throws {
    let session = try session(in: Program())
    session.type("timer = async.every(60, print)\n")
    try session.expect(
      "warn  the timer of async.every at line:1 was stopped, as the function that started it has ended")
    try session.expect("> ")
    session.type("timer\n")
    try session.expect("\r\ntimer (closed)\r\n")
    try session.expect("> ")
    session.type("async.every(0.001, function() error 'broken' end) async.sleep(1000)\n")
    try session.expect("error: broken\r\n")
    try session.expect("> ")
    end(session)
    #expect(session.screen.components(separatedBy: "warn").count == 2, "\(session.screen)")
  }
}
