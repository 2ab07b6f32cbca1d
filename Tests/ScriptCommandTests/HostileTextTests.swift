import CommandLineSupport
import Foundation
import Testing

/// Text of a file, a server or a script that would give the terminal a command if it came there as it is.
@Suite struct HostileTextTests {
  /// A title (OSC), a cleared screen (CSI), the same by one C1 byte, and a right-to-left override, as bash and Lua write them.
  private static let bash = "\\e]0;owned\\a\\e[2J\\xc2\\x9b2Jx\\xe2\\x80\\xae"
  private static let lua = "\\27]0;owned\\7\\27[2J\\xc2\\x9b2Jx\\xe2\\x80\\xae"

  /// The program itself sends styles and moves the cursor, and none of these.
  private func expectClean(_ screen: String, _ words: [String], sourceLocation: SourceLocation = #_sourceLocation) {
    let scalars = screen.unicodeScalars
    #expect(
      !scalars.contains { $0 == "\u{7}" || $0 == "\u{9B}" || $0 == "\u{202E}" }, "\(words): \(screen.debugDescription)",
      sourceLocation: sourceLocation)
    #expect(
      !screen.contains("\u{1B}]") && !screen.contains("\u{1B}[2J"), "\(words): \(screen.debugDescription)",
      sourceLocation: sourceLocation)
  }

  @Test("the log of a run, followed and afterwards, and its error")
  func logs() throws {
    let server = try RunningServer([
      "bad": "{ on = { start = true } }\nprint '\(Self.lua)' io.stderr:write '\(Self.lua)\\n' error '\(Self.lua)'"
    ])
    try server.wait(for: "bad run 1: failed")
    for words in [
      ["log", "1"], ["log", "1", "--follow"], ["log", "1", "--json"], ["runs"], ["runs", "--json"], ["show", "bad"],
      ["show", "bad", "--json"],
    ] {
      let session = try TerminalSession(server.program, ["jobs"] + words, columns: 200)
      _ = session.end()
      #expect(session.screen.contains("owned"), "\(words): \(session.screen)")
      expectClean(session.screen, words)
    }
    // A program gets the log as it is.
    #expect(try server.jobs("log", "1").output.contains("\u{1B}]0;owned\u{7}"))
  }

  @Test(
    "names of files, texts of tasks, traces and tests",
    arguments: [
      ["help", "H.lua"], ["check", "."], ["check", "H.lua"], ["test", "."], ["H.lua"],
      ["--local=data", "tasks", "list"],
      ["--local=data", "tasks", "list", "--json"], ["--local=data", "imports"], ["--local=data", "imports", "--json"],
      ["--local=data", "export", "-"], ["import", "H.csv", "--dry-run"], ["jobs", "show", "H"],
      ["--settings", "H.plist", "doctor"],
      ["trace", "show", "H.json"], ["plugins"], ["--plugin", "H.lua", "plugins"], ["secrets", "get", "H"], ["H"],
      ["--H"],
    ])
  func commands(words: [String]) throws {
    let program = try Program()
    let made = try program.shell(
      """
      h=$'\(Self.bash)'
      printf -- '-- %s\\nprint(undefined_%s)\\nerror "%s"\\n' "$h" 1 "$h" >"$h.lua"
      printf 'it("%s", function() error "%s" end)' "$h" "$h" >"${h}_test.lua"
      printf 'Text\\n%s\\n' "$h" >"$h.csv"
      printf '{"%s": 1}' "$h" >"$h.json"; printf '{"%s": "x", "clientID": "%s"}' "$h" "$h" >"$h.plist"
      "$0" --local=data -e 'b2c.tenant.sign_in() b2c.tasks.add(...)' "$h"
      "$0" --local=data import "$h.csv" --progress none
      """, "")
    _ = made
    let hostile = words.map { word in
      word.hasPrefix("-") && word != "--H" || !word.contains("H")
        ? word : word.replacing("H", with: "\u{1B}]0;owned\u{7}\u{1B}[2J\u{9B}2Jx\u{202E}")
    }
    let session = try TerminalSession(program, hostile, columns: 200)
    _ = session.end()
    expectClean(session.screen, words)
    let piped = try program.run(list: hostile)
    if !["export", "--json"].contains(where: words.contains) { expectClean(piped.output + piped.errors, words) }
  }

  @Test("TERM=dumb has no colors and no styles")
  func dumb() throws {
    let script =
      "local t = b2c.term print(t.style('a', 'bold red')) b2c.log.warn('b') t.table { { t.style('c', 'red') } } error 'd'"
    let session = try TerminalSession(Program(), ["-e", script], environment: ["TERM": "dumb", "NO_COLOR": ""])
    _ = session.end()
    #expect(!session.screen.contains("\u{1B}"), "\(session.screen.debugDescription)")
  }

  @Test("a question resets the terminal, also with TERM=dumb")
  func question() throws {
    for term in ["xterm", "dumb"] {
      let session = try TerminalSession(
        Program(), ["-e", "io.write '\\27[8m' io.stdout:flush() io.open '/etc/hostname'"], environment: ["TERM": term])
      try session.expect("\u{1B}[0m")
      try session.expect("Allow it? [y/n/A]")
      session.type("n\r")
      _ = session.end()
    }
  }
}
