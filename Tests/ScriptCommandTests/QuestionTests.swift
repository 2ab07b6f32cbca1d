import CommandLineSupport
import Foundation
import Testing

@Suite("Questions on a terminal")
struct QuestionTests {
  @Test("a prompt shows its default, and takes it when nothing is typed")
  func prompt() throws {
    let script = """
      print(b2c.term.prompt "User name")
      print(b2c.term.prompt("User name", { default = "alice" }))
      print(b2c.term.prompt("Who?", { default = "bob" }))
      """
    let session = try TerminalSession(Program(), ["-e", script])
    try session.expect("User name: ")
    session.type("carol\n")
    try session.expect("User name [alice]: ")
    session.type("\n")
    try session.expect("Who? [bob] ")
    session.type("  dave \n")
    #expect(session.end() == 0)
    #expect(session.screen.contains("\r\ncarol\r\n"))
    #expect(session.screen.contains("\r\nalice\r\n"))
    #expect(session.screen.hasSuffix("\r\n  dave \r\n"))
  }

  @Test("what is in a question moves nothing on the screen")
  func controlCharacters() throws {
    let session = try TerminalSession(Program(), ["-e", "b2c.term.prompt 'a\\27[31mb\\u{9B}32m\\u{202E}c\\nd'"])
    try session.expect("a␛[31mb\u{FFFD}32m\\u{202E}c\r\nd: ")
    session.type("\n")
    #expect(session.end() == 0)
  }

  @Test("a question is asked again until it is answered")
  func confirm() throws {
    let session = try TerminalSession(
      Program(),
      ["-e", "print(b2c.term.confirm 'Sure?', b2c.term.confirm('Really?', { default = true }))"])
    try session.expect("Sure? [y/n] ")
    session.type("\n")
    try session.expect("Sure? [y/n] ")
    session.type("maybe\n")
    try session.expect("Sure? [y/n] ")
    session.type("No\n")
    try session.expect("Really? [Y/n] ")
    session.type("\n")
    #expect(session.end() == 0)
    #expect(session.screen.hasSuffix("false\ttrue\r\n"))
  }

  @Test("a question that gets no answer in three tries is given up")
  func noAnswer() throws {
    let session = try TerminalSession(Program(), ["-e", "b2c.term.confirm 'Sure?'"])
    for _ in 1...3 {
      try session.expect("Sure? [y/n] ")
      session.type("perhaps\n")
    }
    #expect(session.end() == 1)
    #expect(
      session.screen.contains("b2c-run: (command line):1: term.confirm: no answer to \"Sure?\" in 3 tries\r\n"),
      "\(session.screen)")
  }

  @Test("a password is not shown, not even by what prints it, and the echo is on again afterwards")
  func password() throws {
    let session = try TerminalSession(
      Program(), ["-e", "local p = b2c.term.password() print(p, #p:reveal()) b2c.log.info('it is ' .. p:reveal())"])
    #expect(session.isEchoing)
    try session.expect("Password: ")
    #expect(!session.isEchoing)
    session.type("Wonderland-1\n")
    #expect(session.end() == 0)
    #expect(session.isEchoing)
    #expect(session.screen.contains("[secret]\t12\r\n"))
    #expect(!session.screen.contains("Wonderland"), "\(session.screen)")
  }

  @Test("a question that is a secret gives one")
  func secretPrompt() throws {
    let session = try TerminalSession(
      Program(), ["-e", "print(b2c.term.prompt('PIN', { secret = true, default = '0000' }))"])
    try session.expect("PIN: ")
    #expect(!session.isEchoing)
    session.type("\n")
    #expect(session.end() == 0)
    #expect(session.screen.hasSuffix("[secret]\r\n"))
  }

  @Test(
    "the echo comes back however the question ends",
    arguments: [
      ("\u{3}", "b2c.term.password()", 130),
      ("\u{3}", "pcall(b2c.term.password) print('not reached')", 130),
      ("\u{4}", "b2c.term.password()", 1),
      ("", "b2c.async.timeout(0.01, b2c.term.password)", 1),
      ("", "b2c.async.all { b2c.term.password, function() error 'stop' end }", 1),
      ("", "b2c.async.all { b2c.term.password, function() b2c.async.sleep(0.01) os.exit(7) end }", 7),
    ] as [(String, String, Int32)])
  func echo(keys: String, script: String, status: Int32) throws {
    let session = try TerminalSession(Program(), ["-e", script])
    try session.expect("Password: ")
    session.type(keys)
    #expect(session.end() == status, "\(session.screen)")
    #expect(session.isEchoing)
    #expect(!session.screen.contains("not reached"))
  }

  @Test("Ctrl-\\ tells where the script stands, and the question goes on")
  func report() throws {
    let session = try TerminalSession(Program(), ["-e", "print(#b2c.term.password():reveal())"])
    try session.expect("Password: ")
    session.type("\u{1C}")
    try session.expect("waits for term.password")
    #expect(!session.isEchoing)
    session.type("four\n")
    #expect(session.end() == 0, "\(session.screen)")
    #expect(session.screen.hasSuffix("4\r\n"), "\(session.screen)")
  }

  @Test("a second Ctrl-C ends what a first one hangs in, and the echo comes back")
  func twice() throws {
    let script = """
      local _ <close> = setmetatable({}, { __close = function() print 'closing' while true do end end })
      b2c.term.password()
      """
    let session = try TerminalSession(Program(), ["-e", script])
    try session.expect("Password: ")
    session.type("\u{3}")
    try session.expect("closing")
    session.type("\u{3}")
    #expect(session.end() == 130, "\(session.screen)")
    #expect(session.isEchoing)
  }

  @Test("questions of several coroutines come one after the other")
  func turns() throws {
    let session = try TerminalSession(
      Program(),
      [
        "-e",
        """
        local a = b2c.async.all {
          function() return b2c.term.prompt 'One' end, function() return b2c.term.password 'Two' end,
          function() return b2c.term.prompt 'Three' end,
        }
        print(a[1], a[2]:reveal(), a[3])
        """,
      ])
    try session.expect("One: ")
    session.type("1\n")
    try session.expect("1\r\n")
    try session.expect("Two: ")
    #expect(!session.isEchoing)
    session.type("2\n")
    try session.expect("Three: ")
    session.type("3\n")
    try session.expect("3\r\n")
    #expect(session.end() == 0)
    #expect(session.screen.hasSuffix("\r\n1\t2\t3\r\n"), "\(session.screen)")
  }

  @Test("the terminal is asked also where standard input is a pipe")
  func pipe() throws {
    let session = try TerminalSession(
      Program(), ["-e", "print(io.read 'a' == '', b2c.term.prompt 'Name', b2c.term.password())"], hasPipe: true)
    try session.expect("Name: ")
    session.type("alice\n")
    try session.expect("Password: ")
    #expect(!session.isEchoing)
    session.type("Wonderland-1\n")
    #expect(session.end() == 0, "\(session.screen)")
    #expect(session.isEchoing)
    #expect(session.screen.hasSuffix("true\talice\t[secret]\r\n"), "\(session.screen)")
  }

  @Test(
    "without a terminal there is nobody to ask",
    arguments: [
      ("term.prompt", "b2c.term.prompt 'Name'"), ("term.confirm", "b2c.term.confirm('Sure?', { default = true })"),
      ("term.password", "b2c.term.password()"),
    ])
  func noTerminal(name: String, script: String) throws {
    let result = try Program().withoutTerminal("-e", script)
    #expect(result.status == 1)
    #expect(
      result.errors == """
        b2c-run: (command line):1: \(name): there is no terminal to ask at
          hint: run the script on a terminal, or give the answer another way, such as an option of its command line

        """)
    #expect(
      try Program().withoutTerminal("-e", "print(select(2, pcall(b2c.term.password)).code)").output == "no_terminal\n")
  }
}
