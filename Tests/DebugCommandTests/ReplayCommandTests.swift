import CommandLineSupport
import Foundation
import Testing

@Suite("b2c-run replay", .serialized)
struct ReplayCommandTests {
  private static let script = """
    local b2c = require "b2c"
    b2c.tenant.sign_in()
    b2c.tasks.add("Water the plants")
    print(#b2c.tasks.list())
    """

  private let program: Program

  init() throws {
    program = try Program()
    try program.write("script.lua", Self.script)
  }

  private func record(_ words: String..., options: [String] = []) throws -> Program.Result {
    try program.run(
      list: ["--local", "--quiet", "--no-prompt"] + options + ["--trace", "trace.json", "--replayable"] + words)
  }

  /// Runs it where there is no network at all, not even the machine's own.
  private func replay(_ words: String..., options: [String] = []) throws -> Program.Result {
    try program.run(
      list: ["--user", "--map-root-user", "--net", Program.binary.path, "--quiet", "--no-prompt"] + options
        + ["replay"] + words, executable: URL(filePath: "/usr/bin/unshare"))
  }

  @Test(
    "replays examples without a network, with the same output",
    arguments: [
      "quickstart.lua", "flows/dpop.lua", "flows/fapi2.lua", "flows/pkce_methods.lua", "flows/sign_up.lua",
      "flows/token_exchange.lua", "flows/two_accounts.lua",
    ])
  func examples(_ example: String) throws {
    let path = Program.project.appending(path: "examples/\(example)").path
    let recorded = try record(path)
    #expect(recorded.status == 0 && !recorded.output.isEmpty, "\(recorded)")
    let replayed = try replay("trace.json")
    #expect(replayed.status == 0 && replayed.output == recorded.output, "\(recorded)\n\(replayed)")
  }

  @Test("gives the script the clock, the random numbers, the order of pairs and the files of the recorded run")
  func inputs() throws {
    try program.write(
      "inputs.lua",
      """
      local b2c = require "b2c"
      b2c.tenant.sign_in()
      print(os.time(), os.date(), os.clock(), math.random(1 << 40), b2c.json.encode { 1.5 })
      math.randomseed()
      print(math.random(1 << 40))
      for name in pairs { a = 1, b = 2, c = 3, d = 4, e = 5 } do io.write(name, " ") end
      print(io.open("note.txt"):read("a"), select(2, io.open("nowhere.txt")))
      b2c.async.all {
        function() b2c.async.sleep(0.5) print "slow" end,
        function() print("quick", #b2c.tasks.list()) end,
      }
      print(#b2c.tenant.requests(), b2c.tenant.totals().requests)
      """)
    try program.write("note.txt", "of then")
    let recorded = try record("inputs.lua")
    #expect(recorded.status == 0, "\(recorded)")
    try program.write("note.txt", "of now")
    let replayed = try replay("trace.json")
    #expect(replayed.status == 0 && replayed.output == recorded.output, "\(recorded)\n\(replayed)")
    #expect(replayed.output.contains("of then"))
  }

  @Test(
    "names the first difference at the line of the script, with what was expected and what came",
    arguments: [
      (
        "local b2c = require 'b2c'\nb2c.tenant.sign_in()\nb2c.tasks.add('Water the cats')",
        "script.lua:3: the script sends another request: the parameter 'Text' differs",
        "expected: Water the plants", "got:      Water the cats"
      ),
      (
        "local b2c = require 'b2c'\nb2c.tenant.sign_in()\nprint(#b2c.tasks.list())\nb2c.tasks.add('Water the plants')",
        "script.lua:3: the script sends its requests in another order", "expected: POST http://127.0.0.1:",
        "got:      GET http://127.0.0.1:"
      ),
      (
        "local b2c = require 'b2c'\nb2c.tenant.sign_in()\nb2c.tasks.add('Water the plants')",
        "script.lua:4: the script ended, and trace.json has 1 request more", "expected: GET http://127.0.0.1:",
        "got:      the end"
      ),
      (
        Self.script + "\nb2c.tasks.list()", "script.lua:5: the script sends a request, and trace.json has no more",
        "expected: the end", "got:      GET http://127.0.0.1:"
      ),
      (
        Self.script + "\nprint(os.time())",
        "script.lua:5: the script asks for the time, by os.time, which trace.json does not have",
        "expected: no more of these", "got:      the time, by os.time"
      ),
      (
        Self.script + "\nio.open('more.txt')",
        "script.lua:5: the script asks for the file more.txt, which trace.json does not have",
        "expected: no more of these", "got:      the file more.txt"
      ),
    ])
  func differences(_ script: String, _ message: String, _ expected: String, _ got: String) throws {
    #expect(try record("script.lua").status == 0)
    try program.write("script.lua", script)
    let replayed = try replay("trace.json", "script.lua")
    #expect(replayed.status == 1, "\(replayed)")
    for text in [message, expected, got] { #expect(replayed.errors.contains(text), "\(replayed)") }
  }

  @Test("refuses a trace that was changed by hand, or is of another version, and one without what a replay needs")
  func badTraces() throws {
    #expect(try record("script.lua").status == 0)
    let trace = try String(contentsOf: program.folder.appending(path: "trace.json"), encoding: .utf8)
    let key = try String(contentsOf: program.folder.appending(path: "trace.json.key"), encoding: .utf8)
    func refusal(_ trace: String, key: String? = key, mode: Int = 0o600) throws -> String {
      try program.write("other.json", trace)
      let path = program.folder.appending(path: "other.json.key").path
      try? FileManager.default.removeItem(atPath: path)
      if let key {
        try program.write("other.json.key", key)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      }
      let replayed = try program.run("replay", "other.json")
      #expect(replayed.status == 1 && replayed.output.isEmpty, "\(replayed)")
      return replayed.errors
    }
    let older = trace.replacing(#""type":"replay","version":1"#, with: #""type":"replay","version":0"#)
    #expect(try refusal(older).contains("was recorded for replays of version 0, and this program replays version 1"))
    #expect(
      try refusal(trace.replacing("alice", with: "mallory")).contains("its lines are not those that were recorded"))
    let sealed = trace.replacing(#/"sealed":"[^"]{100}/#) { $0.output.dropLast(4) + "AAAA" }
    #expect(try refusal(sealed).contains("the key in other.json.key does not open what is sealed in it"))
    #expect(try refusal(trace, key: nil).contains("the key of other.json is missing"))
    #expect(try refusal(trace, mode: 0o644).contains("it must have mode 0600"))
    let cut = trace.split(separator: "\n").filter { !$0.contains(#""type":"replay""#) }.joined(separator: "\n") + "\n"
    #expect(try refusal(cut).contains("recorded it without --replayable, or was killed"))
    #expect(try refusal("print(1)\n").contains("is not a trace"))
  }

  @Test("replays a run with settings of a file, which is gone, and refuses one that began with accounts")
  func settings() throws {
    let tenant = try RunningTenant()
    let settings = try program.write("settings.plist", tenant.settings)
    try program.write(
      "script.lua",
      """
      local b2c = require "b2c"
      print(b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }.name)
      b2c.tasks.add "Water the plants"
      print(#b2c.tasks.list(), b2c.settings.clientID)
      """)
    func record() throws -> Program.Result {
      try program.run("--quiet", "--trace", "trace.json", "--replayable", "script.lua")
    }
    let recorded = try record()
    #expect(recorded.status == 0, "\(recorded)")
    try FileManager.default.removeItem(atPath: settings)
    let replayed = try replay("trace.json")
    #expect(replayed.status == 0 && replayed.output == recorded.output, "\(recorded)\n\(replayed)")
    try program.write("settings.plist", tenant.settings)
    let second = try record()
    #expect(second.status == 1 && second.errors.contains("a trace for replays keeps no accounts"), "\(second)")
  }

  @Test("keeps no secret in clear, and a key that only its owner may read")
  func secrets() throws {
    #expect(try record("script.lua").status == 0)
    let trace = try String(contentsOf: program.folder.appending(path: "trace.json"), encoding: .utf8)
    #expect(trace.contains(#""sealed":"#) && !trace.contains("Wonderland-1"))
    let key = program.folder.appending(path: "trace.json.key").path
    #expect(try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int == 0o600)
  }

  @Test("refuses options that cannot be meant")
  func usage() throws {
    func refusal(_ words: String...) throws -> String {
      let result = try program.run(list: words)
      #expect(result.status == 2, "\(result)")
      return result.errors
    }
    #expect(try refusal("--replayable", "script.lua").contains("--replayable: there is no trace"))
    #expect(try refusal("--trace", "x.html", "--replayable", "script.lua").contains("expected --trace FILE.json"))
    #expect(try refusal("--trace", "x.json", "--replayable", "test").contains("only a script file or -e"))
    #expect(try record("script.lua").status == 0)
    #expect(try refusal("--local", "replay", "trace.json").contains("are those of the trace"))
  }
}
