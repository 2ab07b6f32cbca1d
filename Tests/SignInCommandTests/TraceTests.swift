import CommandLineSupport
import Foundation
import Testing

@Suite("The trace of a run")
struct TraceTests {
  static let script = """
    local b2c = require "b2c"
    b2c.accounts.on_changed(function(change) b2c.log.debug("changed", { kind = change.kind }) end)
    local alice = b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
    b2c.tasks.add "Water the plants"
    b2c.http.get(b2c.settings.taskAPI .. "/nowhere?api_key=keep-this-quiet", { raise = false })
    alice:refresh()
    """

  /// The events of a trace, each a line that is JSON.
  static func events(_ program: Program, _ name: String = "trace.json") throws -> [[String: Any]] {
    try String(contentsOf: program.folder.appending(path: name), encoding: .utf8).split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  @Test("it tells in order what happened, and which line wanted it")
  func events() throws {
    let program = try Program()
    try program.write("flow.lua", Self.script)
    let result = try program.run("--local", "--trace", "trace.json", "flow.lua")
    #expect(result.status == 0, "\(result)")
    let events = try Self.events(program)
    #expect(events.compactMap { $0["id"] as? Int } == Array(1...events.count))
    #expect(events.first?["type"] as? String == "trace")
    #expect(events.first?["version"] as? Int == 1)
    #expect(events.last?["type"] as? String == "end")
    #expect(events.last?["status"] as? Int == 0)
    #expect(events.last?["events"] as? Int == events.count)

    let exchanges = events.filter { $0["type"] as? String == "exchange" }
    #expect(exchanges.allSatisfy { ($0["took"] as? Int ?? -1) >= 0 })
    let told = exchanges.map { exchange in
      let request = exchange["request"] as? [String: Any]
      let path = (request?["url"] as? String).flatMap { URL(string: $0)?.lastPathComponent } ?? ""
      let via = (exchange["via"] as? [String])?.first ?? exchange["line"] as? String ?? ""
      return [exchange["from"], request?["method"], path, exchange["to"], via].map { "\($0 ?? "-")" }
        .joined(separator: " ")
    }
    #expect(
      told == [
        "browser GET authorize authority flow.lua:3", "browser POST login authority flow.lua:3",
        "host GET openid-configuration authority flow.lua:3", "host POST token authority flow.lua:3",
        "host GET keys authority flow.lua:3", "host POST tasks tasks flow.lua:4",
        "script GET nowhere authority flow.lua:5", "host POST token authority flow.lua:6",
        // The ID token of a refresh is checked by the metadata and the keys of the account's own provider.
        "host GET openid-configuration authority flow.lua:6", "host GET keys authority flow.lua:6",
      ])
    let kinds = events.filter { $0["type"] as? String == "navigation" }.compactMap { $0["kind"] as? String }
    #expect(kinds == ["authorize", "login", "redirect"])
    let callbacks = events.filter { $0["type"] as? String == "callback" }
    #expect(callbacks.compactMap { $0["name"] as? String } == ["on_changed", "on_changed"])
    #expect(callbacks.allSatisfy { $0["defined"] as? String == "flow.lua:2" })
    // The log line was below the level that is shown.
    let log = try #require(events.first { $0["type"] as? String == "log" })
    #expect(log["message"] as? String == "changed")
    #expect(log["line"] as? String == "flow.lua:2")
    #expect(events.contains { $0["type"] as? String == "refresh" && $0["outcome"] as? String == "renewed" })
  }

  @Test("a token's claims are there with what was checked, and the same token has the same name")
  func tokens() throws {
    let program = try Program()
    try program.write("flow.lua", Self.script)
    #expect(try program.run("--local", "--trace", "trace.json", "flow.lua").status == 0)
    let events = try Self.events(program)
    let token = try #require(events.first { $0["type"] as? String == "token" && $0["kind"] as? String == "id token" })
    #expect((token["claims"] as? [String: Any])?["name"] as? String == "Alice Liddell")
    #expect((token["header"] as? [String: Any])?["alg"] as? String == "RS256")
    let validation = try #require(events.first { $0["type"] as? String == "validation" })
    #expect(validation["token"] as? String == token["label"] as? String)
    #expect(validation["valid"] as? Bool == true)
    let checks = validation["checks"] as? [[String: Any]] ?? []
    #expect(
      checks.compactMap { $0["name"] as? String } == [
        "form", "algorithm", "signature", "issuer", "audience", "subject", "expiry", "issued at", "not before",
        "sign-in time", "nonce", "policy", "access token hash", "code hash",
      ])
    let add = try #require(events.first { $0["to"] as? String == "tasks" })
    let headers = (add["request"] as? [String: Any])?["headers"] as? [[String]] ?? []
    #expect(headers.contains(["Authorization", "Bearer [access token #1]"]))
  }

  @Test("the failing check of an ID token is named, and B2C's codes say what they mean")
  func failures() throws {
    let provider = try ScriptedProvider(.wrongAudience)
    let program = try Program()
    try program.write("settings.plist", provider.settings)
    try program.write(
      "flow.lua",
      """
      local b2c = require "b2c"
      b2c.accounts.sign_in { agent = "headless", username = "alice", password = "\(ScriptedProvider.password)" }
      """)
    #expect(try program.run("--trace", "trace.json", "flow.lua").status == 1)
    let events = try Self.events(program)
    let validation = try #require(events.first { $0["type"] as? String == "validation" })
    let checks = validation["checks"] as? [[String: Any]] ?? []
    #expect(validation["valid"] as? Bool == false)
    #expect(checks.last?["name"] as? String == "audience")
    #expect(checks.last?["result"] as? String == "failed")
    #expect((validation["error"] as? [String: Any])?["code"] as? String == "audience_mismatch")
    #expect(checks.dropLast().allSatisfy { $0["result"] as? String == "passed" })
  }

  @Test("only its owner may read it; a file that was there is replaced")
  func file() throws {
    let program = try Program()
    for name in ["trace.json", "trace.har", "trace.html"] {
      try program.write(name, "an-older-trace")
      #expect(try program.run("--trace", name, "-e", "print(1)").status == 0)
      let path = program.folder.appending(path: name).path
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("an-older-trace"))
    }
    let rest = try FileManager.default.contentsOfDirectory(atPath: program.folder.path)
    #expect(rest.filter { $0.hasSuffix(".part") } == [])
  }

  @Test("a run that is killed leaves what it did until then")
  func killed() throws {
    let program = try Program()
    let result = try program.run(
      "--local", "--trace", "trace.json", "-e",
      """
      b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
      print "signed in" io.flush()
      b2c.async.sleep(60)
      """
    ) { kill($0.processIdentifier, SIGKILL) }
    #expect(result.status == SIGKILL)
    let events = try Self.events(program)
    #expect(events.contains { $0["type"] as? String == "sign_in" })
    #expect(!events.contains { $0["type"] as? String == "end" })
  }

  @Test("a script that fails, is stopped, or ends the process has a trace that says so")
  func endings() throws {
    let program = try Program()
    let endings = [("error 'so'", 1), ("os.exit(7)", 7), ("while true do end", 124)]
    for (chunk, status) in endings {
      let result = try program.run("--timeout", "0.5", "--trace", "trace.json", "-e", chunk)
      #expect(Int(result.status) == status)
      let events = try Self.events(program)
      #expect(events.last?["status"] as? Int == status, "\(chunk)")
      let error = events.first { $0["type"] as? String == "error" }
      if status == 1 { #expect(error?["line"] as? String == "(command line):1") }
    }
  }

  @Test("a sign-in that is stopped says by what")
  func stopped() throws {
    let program = try Program()
    let flags = ["--local", "--trace", "trace.json", "-e"]
    let signIn = "b2c.accounts.sign_in { flow = function() print 'in' io.flush() b2c.async.sleep(60) end }"
    for (script, sentence) in [
      (signIn, "the run was interrupted"),
      ("pcall(b2c.async.timeout, 0.2, function() \(signIn) end)", "the script ended this before it was done"),
    ] {
      _ = try program.run(list: flags + [script]) { if script == signIn { kill($0.processIdentifier, SIGINT) } }
      let table = try program.run("trace", "show", "trace.json").output
      #expect(table.contains("sign-in canceled"), "\(table)")
      #expect(table.contains("\n    canceled: \(sentence)\n"), "\(table)")
    }
  }

  @Test("an import's requests are numbers, but for the first ones and those that fail")
  func importing() throws {
    let program = try Program()
    try program.write("rows.csv", "text\n" + (1...600).map { "Task \($0)\n" }.joined())
    try program.write(
      "import.lua",
      """
      local b2c = require "b2c"
      b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
      b2c.tenant.fault { method = "POST", path = "/api/tasks", status = 503, every = 400 }
      b2c.tasks.import("rows.csv", { progress = "none" })
      """)
    let result = try program.run("--local", "--trace", "trace.json", "import.lua")
    #expect(result.status == 0, "\(result)")
    let events = try Self.events(program)
    let posts = events.filter {
      $0["type"] as? String == "exchange" && $0["to"] as? String == "tasks"
        && ($0["request"] as? [String: Any])?["method"] as? String == "POST"
    }
    let statuses = posts.compactMap { ($0["response"] as? [String: Any])?["status"] as? Int }
    #expect(statuses.filter { $0 == 503 }.count == 1)
    let series = events.filter { $0["type"] as? String == "exchanges" }
    let rows = series.flatMap { $0["rows"] as? [[Int]] ?? [] }
    #expect(statuses.count + rows.count == 601)
    #expect(rows.count >= 570)
    #expect(rows.allSatisfy { $0.count == 5 && $0[2] == 201 && $0[3] > 0 && $0[4] > 0 })
    #expect(series.allSatisfy { $0["line"] as? String == "import.lua:4" })
    let phases = events.filter { $0["type"] as? String == "import" }.compactMap { $0["phase"] as? String }
    #expect(phases.prefix(3) == ["begin", "reading known rows", "sending"])
    // The event of a phase precedes the events in the phase.
    let sending = try #require(events.first { $0["phase"] as? String == "sending" }?["at"] as? Int)
    #expect((posts.compactMap { $0["at"] as? Int } + rows.map { $0[0] }).allSatisfy { $0 >= sending })
    // The row that was sent again is no number, which would not say so.
    #expect(posts.compactMap { $0["retry"] as? Int } == [1])
    #expect(phases.last == "end")
    #expect(phases.contains("retry"))
    let end = try #require(events.last { $0["phase"] as? String == "end" })
    #expect(end["added"] as? Int == 600)
  }

  @Test("what is sent again with another token has a number")
  func sentAgain() throws {
    let program = try Program()
    try program.write(
      "flow.lua",
      """
      local b2c = require "b2c"
      b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
      for _, method in ipairs { "POST", "GET" } do
        b2c.tenant.fault { method = method, path = "/api/tasks", status = 401 }
      end
      b2c.tasks.add "Water the plants"
      b2c.tasks.list()
      """)
    let result = try program.run("--local", "--trace", "trace.json", "flow.lua")
    #expect(result.status == 0, "\(result)")
    let requests = try Self.events(program).filter {
      $0["type"] as? String == "exchange" && $0["to"] as? String == "tasks"
    }
    let told = requests.map { request in
      let method = (request["request"] as? [String: Any])?["method"] as? String ?? ""
      let status = (request["response"] as? [String: Any])?["status"] as? Int ?? 0
      return "\(method) \(status) \(request["retry"] as? Int ?? 0)"
    }
    #expect(told == ["POST 401 0", "POST 201 1", "GET 401 0", "GET 200 1"])
  }

  @Test("a row that failed: its line of the file, and the script's")
  func failedRow() throws {
    let program = try Program()
    try program.write("rows.csv", "Text,Note\n\"Buy\nmilk\",1\n,2\n")
    let script = "b2c.tenant.sign_in() b2c.tasks.import('rows.csv', { progress = 'none', failed_rows = false })"
    let result = try program.run("--local", "--trace", "trace.json", "-e", script)
    #expect(result.status == 5, "\(result)")
    let failed = try #require(try Self.events(program).first { $0["phase"] as? String == "row failed" })
    #expect(failed["row"] as? Int == 2)
    #expect(failed["sourceLine"] as? Int == 4)
    #expect(failed["line"] as? String == "(command line):1")
    #expect(try program.run("trace", "show", "trace.json").output.contains("import: row 2 (line 4) failed"))
  }
}
