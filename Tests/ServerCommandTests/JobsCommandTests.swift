import CommandLineSupport
import Foundation
import HostLoop
import JSON
import Testing

@Suite("jobs")
struct JobsCommandTests {
  @Test("fits its tables to the terminal")
  func widths() throws {
    let server = try RunningServer([
      "tick": "{ on = { every = '1h' } }", "fails": "{ on = { every = '30d' } }\nerror(('word '):rep(40))",
    ])
    #expect(try server.jobs("run", "fails").status == 0)
    try server.wait(for: "fails run 1: failed")
    #expect(try server.jobs("pause", "tick").status == 0)
    try server.pass(hours: 2)
    try server.wait(for: "tick: skipped the due time")
    try server.pass(hours: 2)
    for _ in 0..<100 where try !server.jobs("runs").output.contains(" ×") { usleep(50_000) }
    let runs = try server.jobs("runs").output
    #expect(runs.contains(" ×") && !runs.contains("times until"), "\(runs)")
    for columns in [60, 80, 100] {
      let session = try TerminalSession(server.program, ["jobs", "runs"], columns: columns, environment: ["TZ": "UTC"])
      #expect(session.end() == 0)
      let lines = session.screen.split(whereSeparator: \.isNewline)
      #expect(lines.allSatisfy { $0.count <= columns }, "\(session.screen)")
      #expect(session.screen.contains("REASON") == (columns >= 80), "\(session.screen)")
    }
  }

  @Test("shows when a run failed, not when somebody looks")
  func timeOfFailure() throws {
    let server = try RunningServer(["fails": "{ on = { every = '1h' } }\nerror 'it broke'"])
    try server.pass(hours: 1)
    try server.wait(for: "fails run 1: failed")
    let runs = try server.jobs("runs", "--json").output
    let ended = try #require(runs.firstMatch(of: #/"ended":"([^"]+)"/#)?.output.1)
    let log = try server.program.run(
      list: ["--log-format", "json", "jobs", "log", "1"], environment: ["TZ": "UTC"])
    #expect(log.errors.contains("\"time\":\"\(ended)\""), "\(log) \(ended)")
    // It took less than a second, and not none.
    #expect(try server.jobs("runs").output.contains(#/ (< 0\.1|\d\.\d) s +/#))
  }

  @Test("asks on a terminal before it allows anything")
  func allowAsks() throws {
    let server = try RunningServer(
      ["job": "-- needs: --allow-env=HOME  its home\nrequire('b2c').job { on = { start = true } }"], isStarted: false)
    let session = try TerminalSession(server.program, ["jobs", "allow", "job"])
    try session.expect("--allow-env=HOME  its home")
    try session.expect("Allow it for each run? [y/n]")
    session.type("n\r")
    try session.expect("nothing has been allowed to the job job")
    try session.expect("b2c-run jobs allow job")
    #expect(session.end() == 4)
    let again = try TerminalSession(server.program, ["jobs", "allow", "job"])
    try again.expect("Allow it for each run? [y/n]")
    again.type("y\r")
    try again.expect("allowed the job job")
    #expect(again.end() == 0)
    #expect(try server.jobs("show", "job").output.contains("allowed  --allow-env=HOME"))
  }
}

@Suite("The examples of jobs")
struct JobExampleTests {
  private static let folder = Program.project.appending(path: "examples/jobs").path

  @Test("declare what they say")
  func declare() throws {
    let program = try Program()
    let result = try program.run("jobs", "--folder", Self.folder, "--json")
    #expect(!result.output.contains("\"state\":\"broken\""), "\(result)")
    for name in ["alike", "approval", "digest", "failures", "feed", "inbox", "nightly", "review"] {
      #expect(result.output.contains("\"name\":\"\(name)\""), "\(name)")
    }
    let digest = try program.run("jobs", "next", "digest", "2", "--from", "2027-01-01 00:00", "--folder", Self.folder)
    #expect(digest.output.contains("2027-01-04 08:00 Europe/Athens"), "\(digest)")
  }

  @Test("an inbox and an approval work as described")
  func work() throws {
    let program = try Program()
    for name in ["inbox", "approval"] {
      let source = URL(filePath: Self.folder).appending(path: "\(name).lua")
      try program.write("jobs/\(name).lua", String(contentsOf: source, encoding: .utf8))
    }
    let server = try RunningServer([:], in: program, isStarted: false)
    #expect(try server.jobs("allow", "inbox", "--yes").status == 0)
    try server.start(["--local", "--hooks", "0"])
    try program.write("inbox/a.csv", "text\nMilk\nBread\n")
    try server.wait(for: "inbox run 1: ok")
    #expect(try server.jobs("log", "1").output.contains("inbox/a.csv: 2 added, 0 failed"))
    let port = try server.port("receiving webhooks")
    _ = try curl(server, "-d", "{\"text\": \"Order a new desk\"}", "http://127.0.0.1:\(port)/hooks/request")
    try server.wait(for: "approval run 2: waits")
    let log = try server.jobs("log", "2").output
    let path = try #require(log.firstMatch(of: #/localhost:9000(\S+)/#)).output.1
    _ = try curl(server, "-X", "POST", "http://127.0.0.1:\(port)\(path)")
    try server.wait(for: "approval run 2: ok")
    #expect(try server.jobs("log", "2").output.hasSuffix("added Order a new desk\n"))
  }

  /// The server of this example, with one list that waits for a person.
  private func reviewed() throws -> RunningServer {
    let program = try Program()
    for path in ["examples/jobs/review.lua", "Tests/Examples/review_test.lua"] {
      let source = Program.project.appending(path: path)
      try program.write("jobs/\(source.lastPathComponent)", String(contentsOf: source, encoding: .utf8))
    }
    try FileManager.default.createDirectory(
      at: program.folder.appending(path: "review"), withIntermediateDirectories: true)
    let server = try RunningServer([:], in: program, isStarted: false)
    #expect(try server.jobs("allow", "review", "--yes").status == 0)
    try server.start(["--local", "--listen", "0"])
    try program.write("review/a.csv", "Nr,Title\n1,Milk\n2,Bread\n")
    try server.wait(for: "review run 1: waits for an approval: Import review/a.csv: 2 new tasks, 0 changes?")
    return server
  }

  @Test("a plan waits for a person, who approves it on the page that shows it")
  @HostActor func review() async throws {
    let server = try reviewed()
    let address = "http://localhost:\(try server.port("the jobs are at"))/runs/1"
    try await WebBrowser.with { browser in
      try await browser.show(width: 390, isDark: true)
      try await browser.open(address)
      let text = try await browser.text("main")
      #expect(text.contains("Import review/a.csv: 2 new tasks, 0 changes?") && text.contains("2 to create"), "\(text)")
      #expect(try await browser.text(".card a[href='/runs/1/files/0']") == "review/a.csv.plan.html")
      #expect(try await browser.evaluate("document.documentElement.scrollWidth <= innerWidth").bool == true)
      try await browser.leave(by: "form[action='/runs/1/approve'] button")
      #expect(try await browser.address() == address)
    }
    try server.wait(for: "review run 1: approved: Import review/a.csv: 2 new tasks, 0 changes?")
    try server.wait(for: "review run 1: ok")
    #expect(try server.jobs("log", "1").output.contains("2 created"))
  }

  @Test("a plan that is declined, or has changed meanwhile, changes nothing")
  func declined() throws {
    let server = try reviewed()
    #expect(try server.jobs("decline", "1").errors.contains("declined the run 1"))
    try server.wait(for: "review run 1: ok")
    #expect(try server.jobs("log", "1").output.hasSuffix("review/a.csv: nothing was changed (declined)\n"))
    #expect(try server.jobs("approve", "1").errors.contains("the run 1 has ended: ok"))

    try server.program.write("review/b.csv", "Nr,Title\n1,Milk\n")
    try server.wait(for: "review run 2: waits for an approval")
    // Another plan in the place of the approved one.
    try server.program.write("other.csv", "Nr,Title\n7,Gold\n")
    let other = try server.program.run(
      "-A", "--local", "-e",
      "b2c.tenant.sign_in(); b2c.tasks.plan('other.csv', { key = 'Nr', plan = 'review/b.csv.plan.json' })")
    #expect(other.status == 0, "\(other)")
    #expect(try server.jobs("approve", "2").status == 0)
    try server.wait(for: "review run 2: failed")
    #expect(try server.jobs("log", "2").errors.contains("review/b.csv.plan.json is another plan now"))
  }

  @Test("the test of the example passes")
  func test() throws {
    let program = try Program()
    for path in ["examples/jobs/review.lua", "Tests/Examples/review_test.lua"] {
      let source = Program.project.appending(path: path)
      try program.write("jobs/\(source.lastPathComponent)", String(contentsOf: source, encoding: .utf8))
    }
    try FileManager.default.createDirectory(
      at: program.folder.appending(path: "review"), withIntermediateDirectories: true)
    let result = try program.run("--allow-read=review", "--allow-write=review", "test", "jobs/review_test.lua")
    #expect(result.status == 0, "\(result)")
  }
}
