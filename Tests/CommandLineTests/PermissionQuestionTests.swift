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
    try session.expect("script.lua:4: io.open: needs permission to read /etc/hostname\r\n")
    try session.expect("  the script says why: for the name of this machine\r\n")
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
}
