import CommandLineSupport
import Glibc
import Testing

/// Tests of the addresses that a person pastes on a terminal.
@Suite("Pastes", .timeLimit(.minutes(2))) struct PasteTests {
  static let script = """
    local b2c = require "b2c"
    local url = b2c.browser.open("https://b2c.example/authorize?state=s1",
      { agent = "terminal", redirect_uri = "http://localhost:8400/cb" })
    print("got " .. #url .. " " .. url:sub(-9) .. ".")
    """

  static let prompt = "or the code it shows, and press Enter:"

  @Test(
    "longer than the lines of a terminal, wrapped, marked, corrected",
    arguments: [
      ("URL\r", 0), ("\u{1B}[200~URL\u{1B}[201~\r", 0), ("xyz\u{7F}\u{7F}\u{7F}URL\r", 0), ("xyz\u{15}URL\r", 0),
      ("\u{1B}[200~WRAPPED\u{1B}[201~\r", 0), ("WRAPPED\r", 0), ("\u{1B}[AURL\r", 0), ("what is this\r|URL\r", 1),
    ])
  func takes(typed: String, mistakes: Int) throws {
    let code = String(repeating: "abcdefghij", count: 1000)
    let url = "http://localhost:8400/cb?code=\(code)&state=s1"
    let program = try Program()
    let session = try TerminalSession(program, ["--local", try program.write("paste.lua", Self.script)])
    try session.expect(Self.prompt)
    for piece in typed.split(separator: "|") {
      let wrapped = url.prefix(40) + "\r\n   " + url.dropFirst(40)
      let text = piece.replacing("WRAPPED", with: wrapped).replacing("URL", with: url)
      try session.paste(String(text))
      if mistakes > 0, piece == typed.split(separator: "|").first { try session.expect("paste it again:") }
    }
    try session.expect("got \(url.utf8.count) \(url.suffix(9)).")
    #expect(session.end() == 0)
  }

  @Test("two sign-ins at once ask one after the other")
  func twoAtOnce() throws {
    let program = try Program()
    let script = try program.write(
      "two.lua",
      """
      local b2c = require "b2c"
      local function ask(state)
        local url = b2c.browser.open("https://b2c.example/authorize?state=" .. state,
          { agent = "terminal", redirect_uri = "http://localhost:8400/cb" })
        print("for " .. state .. ": " .. url:match "code=([^&]+)")
      end
      b2c.async.all { function() ask "s1" end, function() ask "s2" end }
      """)
    let session = try TerminalSession(program, ["--local", script])
    let before = session.firstModes
    for _ in 1...2 { try session.expect(Self.prompt) }
    session.type("first\r")
    try session.expect("for s1: first")
    session.type("second\r")
    try session.expect("for s2: second")
    #expect(session.end() == 0)
    #expect(session.localModes == before)
  }

  @Test(
    "the terminal is as it was: at the end, after Ctrl-C, at the end of the input",
    arguments: ["\u{4}", "\u{3}", "code=abcd\r"])
  func isRestored(typed: String) throws {
    let program = try Program()
    let session = try TerminalSession(program, ["--local", try program.write("paste.lua", Self.script)])
    let before = session.firstModes
    try session.expect("\u{1B}[?2004h")
    try session.expect(Self.prompt)
    #expect(session.localModes != before)
    session.type(typed)
    try session.expect("\u{1B}[?2004l")
    let status = session.end()
    #expect(session.localModes == before)
    #expect(status == (typed == "\u{3}" ? 130 : typed == "\u{4}" ? 1 : 0))
  }
}
