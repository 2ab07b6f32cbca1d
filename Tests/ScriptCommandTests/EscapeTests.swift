import CommandLineSupport
import Foundation
import Testing

/// Each script of Tests/Escapes tries to get out of its permissions, against a real outside: files, a listening socket,
/// an environment variable. No script may get a canary, change anything outside, connect, or crash the process.
@Suite("What scripts are kept in by")
struct EscapeTests {
  static let folder = Program.project.appending(path: "Tests/Escapes")
  static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".lua") && $0 != "support.lua" }.sorted()

  @Test(arguments: names)
  func escape(name: String) throws {
    let outside = try EscapeGround()
    let header = try Header(of: name)
    let before = try outside.snapshot()
    let result = try outside.run(name, flags: header.flags)
    #expect(result.status == header.status, "\(result)")
    // It was tried to its end.
    #expect(result.output.contains("held\n"), "\(result)")
    for word in ["ESCAPED", "ODD"] { #expect(!result.output.contains(word), "\(result)") }
    #expect(!(result.output + result.errors).contains(outside.canary), "\(result)")
    #expect(try outside.snapshot() == before, "something was changed outside")
    #expect(!outside.wasConnected, "a connection was made")
  }

  @Test("each says what it tries and where that is known from")
  func headers() throws {
    #expect(Self.names.count >= 60)
    for name in Self.names {
      let lines = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8).split(separator: "\n")
      #expect(lines[0].hasPrefix("-- ") && lines[0].count > 30, "\(name)")
      #expect(lines.prefix(4).contains { $0.hasPrefix("-- From: ") }, "\(name)")
    }
  }

  @Test("the ground is one on which an escape is seen")
  func control() throws {
    let outside = try EscapeGround()
    let before = try outside.snapshot()
    for (script, flags) in [
      ("print(io.open(b2c.args.outside .. '/canary.txt'):read 'a')", ["--allow-read"]),
      ("print(os.getenv 'CANARY_VARIABLE')", ["--allow-env"]),
      ("print(io.popen 'cat ../outside/canary.txt':read 'a')", ["-A"]),
    ] {
      try outside.write("control.lua", "b2c = require 'b2c' " + script)
      #expect(try outside.run("control.lua", flags: flags).output.contains(outside.canary), "\(script)")
    }
    try outside.write(
      "control.lua",
      "io.open('link.txt', 'a'):write 'x' require 'b2c'.http.get('http://127.0.0.1:' .. require 'b2c'.args.port, { timeout = 0.1 })"
    )
    _ = try outside.run("control.lua", flags: ["-A"])
    #expect(outside.wasConnected)
    #expect(try outside.snapshot() != before)
  }

  /// The flags and the exit status that a script declares for its run.
  struct Header {
    var flags: [String] = []
    var status: Int32 = 0

    init(of name: String) throws {
      let text = try String(contentsOf: EscapeTests.folder.appending(path: name), encoding: .utf8)
      for line in text.split(separator: "\n").prefix(while: { $0.hasPrefix("--") }) {
        let words = line.split(separator: " ").map(String.init)
        if words[1] == "flags:" { flags = Array(words.dropFirst(2)) }
        if words[1] == "status:" { status = Int32(words[2]) ?? 0 }
      }
    }
  }
}
