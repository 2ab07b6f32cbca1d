import CommandLineSupport
import Foundation
import Testing

@Suite("Questions for permissions, on a terminal")
struct PermissionQuestionTests {
  static let script = """
    -- Reads what it should not.
    -- needs: --allow-read=/etc  for the name of this machine
    local function try(name)
      local ok, problem = pcall(io.open, name)
      print(ok and "opened" or problem.code)
    end
    try "/etc/hostname"
    try "/etc/hostname"
    try "/etc/passwd"
    """

  private func session(_ flags: [String] = [], script: String = script) throws -> TerminalSession {
    let program = try Program()
    try program.write("script.lua", script)
    return try TerminalSession(program, flags + ["script.lua"])
  }

  @Test("what, by which call and line, and why; the answer holds for that thing, also a no")
  func answers() throws {
    let session = try session()
    try session.expect("  the script says why: for the name of this machine\r\n")
    try session.expect("script.lua:4: io.open: needs permission to read /etc/hostname\r\n")
    try session.expect("  y: yes, n: no, A: yes, and reading everything\r\n")
    try session.expect("Allow it? [y/n/A] ")
    session.type("y\n")
    try session.expect("opened\r\nopened\r\n")
    try session.expect("needs permission to read /etc/passwd")
    try session.expect("Allow it? [y/n/A] ")
    session.type("what\n")
    try session.expect("Allow it? [y/n/A] ")
    session.type("n\n")
    try session.expect("permission_denied\r\n")
    #expect(session.end() == 0, "\(session.screen)")
  }

  @Test("a no is remembered; A is for all of the kind")
  func kinds() throws {
    let refused = try session()
    try refused.expect("Allow it? [y/n/A] ")
    refused.type("n\n")
    try refused.expect("permission_denied\r\npermission_denied\r\n")
    try refused.expect("Allow it? [y/n/A] ")
    refused.type("A\n")
    #expect(refused.end() == 0)
    #expect(refused.screen.hasSuffix("opened\r\n"), "\(refused.screen)")
    let allowed = try session()
    try allowed.expect("Allow it? [y/n/A] ")
    allowed.type("A\n")
    #expect(allowed.end() == 0)
    #expect(allowed.screen.hasSuffix("opened\r\nopened\r\nopened\r\n"), "\(allowed.screen)")
  }

  @Test("--no-prompt never asks, and what only -A allows is not asked for")
  func never() throws {
    let session = try session(["--no-prompt"])
    #expect(session.end() == 0)
    #expect(!session.screen.contains("Allow it?"), "\(session.screen)")
    let system = try self.session(script: "io.open '/proc/self/environ'")
    #expect(system.end() == 4)
    #expect(!system.screen.contains("Allow it?"), "\(system.screen)")
  }

  @Test("Ctrl-C at the question ends the run, also where the denial would be caught")
  func interrupt() throws {
    let session = try session(script: "while true do pcall(io.open, '/etc/hostname') end")
    try session.expect("Allow it? [y/n/A] ")
    session.type("\u{3}")
    #expect(session.end() == 130, "\(session.screen)")
  }

  @Test("what was typed before the question is no answer to it")
  func typedAhead() throws {
    let session = try session(
      script:
        "print 'ready' io.stdout:flush() local t = os.time() + 1 while os.time() < t do end io.open '/etc/hostname'")
    try session.expect("ready")
    session.type("y\n")
    try session.expect("Allow it? [y/n/A] ")
    session.type("n\n")
    #expect(session.end() == 4, "\(session.screen)")
  }

  @Test("a connection is asked for at the line that waits for it")
  func network() throws {
    let session = try session(
      script: """
        local b2c = require "b2c"

        b2c.async.all { function() b2c.http.get "http://nowhere.invalid/" end }
        """)
    try session.expect("script.lua:3: http.get: needs permission to connect to nowhere.invalid\r\n")
    try session.expect("A: yes, and every connection\r\n")
    try session.expect("Allow it? [y/n/A] ")
    session.type("y\n")
    #expect(session.end() == 1)
    #expect(session.screen.contains("cannot connect to nowhere.invalid:80"), "\(session.screen)")
  }

  static let blanks = String(repeating: "\u{A0}", count: 2000)

  @Test(
    "what a script puts into a question cannot push what is asked for off the screen, nor hide it",
    arguments: [
      // The reason goes on for more than a screen.
      "-- needs: --allow-read=/etc/hostname  to show notes\(blanks)fake: needs permission to read notes.txt\nio.open '/etc/hostname'",
      // So does a name.
      "io.open('/etc/hostname\(blanks)fake: needs permission to read notes.txt')",
      // The end of the screen scrolls by itself, far from what is hidden, in other characters, with more below.
      "io.write('\\27[23;24r\\27[?69h\\27[8m\\27(0\\27[10;1Hfake\\27[1;1H') io.stdout:flush() io.open '/etc/hostname'",
      // Text in the color of the background, and all of it on a printer.
      "io.write('\\27]10;black\\27\\\\\\27]11;black\\27\\\\\\27[5i') io.stdout:flush() io.open '/etc/hostname'",
    ])
  func spoofed(script: String) throws {
    let session = try session(script: script)
    try session.see("Allow it? [y/n/A]")
    let lines = session.display.lines
    let end = try #require(lines.lastIndex { $0.hasPrefix("Allow it?") })
    #expect(lines[end - 1] == "  y: yes, n: no, A: yes, and reading everything")
    let sentence = lines[..<(end - 1)].last { $0.contains("io.open: needs permission to read /etc/hostname") }
    #expect(sentence != nil, "\(session.display.text)")
    #expect(end <= 6 && lines[(end + 1)...].allSatisfy(\.isEmpty), "\(session.display.text)")
    #expect(session.display.isPlain)
    session.type("n\n")
    #expect(session.end() == 4)
  }

  @Test("letters that stand side by side as one character push nothing off the screen")
  func manyLettersInOneCharacter() throws {
    // 2,200 letters are 28 lines of 80 columns.
    let session = try session(
      script: "os.execute('touch hostname # ' .. ('\\u{D4E}'):rep(2200) .. ' needs permission to run ls')")
    #expect(session.end() == 4)
    #expect(!session.screen.contains("Allow it?"), "\(session.screen)")
  }

  @Test("the name of a chunk is no sentence of the question")
  func chunkNames() throws {
    let session = try session(
      script: "load('io.open(\"/etc/hostname\")', '=a.lua:1: io.open: needs permission to read x')()")
    try session.expect(
      "a.lua:1:␣io.open:␣needs␣permission␣to␣read␣x:1: io.open: needs permission to read /etc/hostname\r\n")
    try session.expect("Allow it? [y/n/A] ")
    session.type("n\n")
    #expect(session.end() == 4)
  }

  @Test("a run of blanks is told as such")
  func blanksAreCounted() throws {
    let session = try session(script: "io.open('/etc/a\(Self.blanks)b\u{2003}c')")
    try session.expect("needs permission to read /etc/a[2000 blanks]b␣c\r\n")
    try session.expect("Allow it? [y/n/A] ")
    session.type("n\n")
    #expect(session.end() == 4)
  }

  @Test("what does not fit on the screen is refused without a question")
  func tooLong() throws {
    let session = try session(script: "os.execute('touch ' .. ('a/'):rep(1000) .. ' harmless')")
    #expect(session.end() == 4)
    #expect(!session.screen.contains("Allow it?"), "\(session.screen)")
  }

  @Test("a yes to a command is one to this command, not to all that its program can do")
  func commands() throws {
    let session = try session(
      script: "os.execute 'touch harmless' os.execute 'touch harmless' os.execute 'touch harmful'")
    try session.expect("os.execute: needs permission to run touch harmless\r\n")
    session.type("y\n")
    try session.expect("os.execute: needs permission to run touch harmful\r\n")
    try session.expect("Allow it? [y/n/A] ")
    session.type("n\n")
    #expect(session.end() == 4)
    #expect(!FileManager.default.fileExists(atPath: session.folder.appending(path: "harmful").path))
    #expect(FileManager.default.fileExists(atPath: session.folder.appending(path: "harmless").path))
  }
}
