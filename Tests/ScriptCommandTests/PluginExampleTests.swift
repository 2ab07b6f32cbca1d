import CommandLineSupport
import Foundation
import HTTPServer
import JSON
import Synchronization
import Testing

/// Each example plugin, copied into ./plugins as its reader copies it.
@Suite("Examples of plugins")
struct PluginExampleTests {
  private func program(_ name: String) throws -> Program {
    let program = try Program(flags: ["--trust-plugins"])
    let file = Program.project.appending(path: "examples/plugins/\(name).lua")
    try program.write("plugins/\(name).lua", try String(contentsOf: file, encoding: .utf8))
    return program
  }

  private static let project = #"""
    TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE
    meta,view_style=list,,,,,,,,
    task,Plan the trip,,1,1,Ann (1),,every monday,en,Europe/Berlin
    task,"Book the hotel, near the sea",by phone,4,2,,,2027-05-01,,
    task,Ask Ruth,,4,3,,,,,
    ,,,,,,,,,
    section,Home,,,,,,,,
    task,"Say ""hello""",,4,1,,,,,
    note,Twice,,,,,,,,
    task,Water the plants,,4,2,,,,,

    """#

  @Test("todoist: a project with sub-tasks, there and back")
  func todoist() throws {
    let program = try program("todoist")
    try program.write("trip.csv", Self.project)
    let read = try program.run(
      "--quiet", "--local=data", "import", "--concurrency", "1", "--format", "todoist", "trip.csv")
    #expect(read.status == 0, "\(read)")
    let list = "tenant.sign_in() for task in tasks.each() do print(task.text) end"
    let texts = """
      Plan the trip
      Plan the trip > Book the hotel, near the sea
      Plan the trip > Book the hotel, near the sea > Ask Ruth
      Say "hello"
      Say "hello" > Water the plants

      """
    #expect(try program.run("--quiet", "--local=data", "-e", list).output == texts)
    let written = try program.run("--quiet", "--local=data", "export", "out.todoist.csv")
    #expect(written.status == 0, "\(written)")
    #expect(
      try String(contentsOf: program.folder.appending(path: "out.todoist.csv"), encoding: .utf8) == #"""
        TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE
        task,Plan the trip,Due: every monday,1,1,,,,,
        task,"Book the hotel, near the sea",by phone,4,2,,,2027-05-01,,
        task,Ask Ruth,,4,3,,,,,
        section,Home,,,,,,,,
        task,"Say ""hello""",Twice,4,1,,,,,
        task,Water the plants,,4,2,,,,,

        """#)
    #expect(try program.run("--quiet", "--local=more", "import", "--concurrency", "1", "out.todoist.csv").status == 0)
    #expect(try program.run("--quiet", "--local=more", "-e", list).output == texts)
  }

  @Test("slack: a message when an import did not go well, and none when it did")
  func slack() throws {
    let messages = Mutex<[String]>([])
    let server = try HTTPServer { request in
      let json = try? JSON(parsing: request.body)
      messages.withLock { $0.append("\(request.path) \(json?["text"]?.string ?? "?")") }
      return ServerResponse(text: "ok", type: "text/plain")
    }
    defer { server.stop() }
    let program = try program("slack")
    try program.write("good.csv", "text\nMilk\n")
    try program.write("bad.csv", "text,done\nMilk,yes\nEggs,perhaps\n")
    let hook = ["--set", "slackWebhook=http://127.0.0.1:\(server.port)/services/T0"]
    let run = ["--local", "--quiet", "--allow-net=127.0.0.1:\(server.port)"] + hook
    #expect(try program.run(list: run + ["slack-test", "Hello"]).status == 0)
    #expect(try program.run(list: run + ["import", "good.csv"]).status == 0)
    #expect(try program.run(list: run + ["import", "bad.csv"]).status == 5)
    #expect(try program.run(list: run + ["import", "missing.csv"]).status == 1)
    let sent = messages.withLock { $0 }
    #expect(sent.count == 3, "\(sent)")
    #expect(sent.first == "/services/T0 Hello")
    #expect(
      sent[1].hasPrefix("/services/T0 Import of bad.csv: finished\n1 added, 1 failed, 0 unsettled\nrow 2: \"done\""))
    #expect(sent[2].hasPrefix("/services/T0 Import of missing.csv: stopped\n"))
    #expect(sent[2].contains("missing.csv"))

    // Without the permission the import goes on, and says why nothing was posted.
    let denied = try program.run(list: ["--local", "--quiet"] + hook + ["import", "bad.csv"])
    #expect(denied.status == 5)
    #expect(
      denied.errors.contains(
        "error after_import of the plugin slack failed: plugins/slack.lua:19: http.post: needs permission to connect to "
          + "127.0.0.1:\(server.port); run with --allow-net=127.0.0.1:\(server.port)"), "\(denied)")
    #expect(messages.withLock(\.count) == 3)
  }

  @Test("audit: a line for each sign-in, failure and change, none of which holds a secret")
  func audit() throws {
    let program = try program("audit")
    let script = """
      pcall(accounts.sign_in, { agent = "headless", username = "alice", password = "mistaken-1" })
      local alice = accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
      local task = tasks.add "Milk"
      tasks.list()
      tasks.remove(task)
      accounts.sign_out(alice)
      """
    let result = try program.run("--local", "--allow-write=audit.ndjson", "-e", script)
    #expect(result.status == 0, "\(result)")
    #expect(result.errors == "")
    let text = try String(contentsOf: program.folder.appending(path: "audit.ndjson"), encoding: .utf8)
    let entries = try text.split(separator: "\n").map { try JSON(parsing: Array($0.utf8)) }
    let events = entries.map { entry in
      [
        entry["event"], entry["code"], entry["reason"], entry["method"],
        entry["status"].map { .string($0.encoded()) },
      ]
      .compactMap { $0?.string }.joined(separator: " ")
    }
    #expect(
      events == [
        "request POST 200", "sign_in_failed AADB2C90225", "request POST 302", "request POST 200",
        "account_added sign_in", "request POST 201", "request DELETE 204", "account_removed sign_out",
      ], "\(text)")
    #expect(entries.allSatisfy { $0["time"]?.string?.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/#) != nil })
    #expect(SecretSearch(["Wonderland-1", "mistaken-1", "eyJ"]).finds(in: Data(text.utf8)) == [])

    // A second run adds to it.
    _ = try program.run("--local", "--quiet", "--allow-write=audit.ndjson", "-e", "tenant.sign_in()")
    let longer = try String(contentsOf: program.folder.appending(path: "audit.ndjson"), encoding: .utf8)
    #expect(longer.hasPrefix(text) && longer.count > text.count)
  }
}
