import CommandLineSupport
import Foundation
import TestSupport
import Testing

/// The disk of the database's server is full, and has room again later. The tables are on a small disk.
@Suite("A server of the database without room", .enabled(if: PostgresServer.mayMount))
struct FullServerTests {
  private let server: PostgresServer
  private let store: String
  private let database: String
  private let tenant: RunningTenant
  private var program: Program { tenant.program }

  init() throws {
    server = try PostgresServer(disk: "48m")
    database = try server.makeDatabase(onDisk: true)
    store = server.address(database)
    tenant = try RunningTenant()
    let made = try tenant.program.run("--store", store, "store", "upgrade")
    #expect(made.status == 0, "\(made)")
  }

  @Test("A sign-in and an import fail with the way out, and work when there is room")
  func commands() throws {
    try program.write("rows.csv", "Text\na\nb\n")
    try server.setDisk(full: true)
    let signIn = ["--store", store, "-e", Program.signIn]
    try expectFull(program.run(list: signIn))
    try server.setDisk(full: false)
    #expect(try program.run(list: signIn).output == "Alice Liddell\n")
    try server.setDisk(full: true)
    try expectFull(program.run("--store", store, "import", "rows.csv"))
    try server.setDisk(full: false)
    let imported = try program.run("--store", store, "import", "rows.csv")
    #expect(imported.status == 0 && imported.output.contains("added        2"), "\(imported)")
  }

  private func expectFull(_ result: Program.Result) {
    #expect(result.status == 1, "\(result)")
    #expect(result.errors.contains("No space left on device\n  hint: make room on the server's disk\n"), "\(result)")
  }

  private static let waits =
    "No space left on device (make room on the server's disk); waiting for it: rows under way are kept"

  @Test("An import that is under way says so, waits, and goes on: each row once")
  func importing() throws {
    #expect(try program.run("--store", store, "-e", Program.signIn).status == 0)
    // More than the room that is left, also compressed.
    let count = 8000
    var generator = SystemRandomNumberGenerator()
    let texts = (0..<count).map { number in
      "\(number) " + (0..<40).map { _ in String(generator.next(), radix: 36) }.joined()
    }
    try program.write("rows.csv", "Text\n" + texts.joined(separator: "\n") + "\n")
    try server.setDisk(full: true, leaving: "2M")
    let log = program.folder.appending(path: "import.log").path
    let process = try program.start(list: ["--store", store, "import", "rows.csv", "--progress", "none"], log: log)
    defer { process.terminate() }
    try wait(for: Self.waits, in: log)
    try server.setDisk(full: false)
    try wait(for: " is back", in: log)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\((try? String(contentsOfFile: log, encoding: .utf8)) ?? "")")
    let listed = try program.run("--store", store, "-e", "for task in b2c.tasks.each() do print(task.text) end")
    #expect(listed.output.split(separator: "\n").map(String.init).sorted() == texts.sorted())
  }

  private func wait(for text: String, in log: String) throws {
    var last = ""
    for _ in 0..<1200 {
      last = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
      if last.contains(text) { return }
      usleep(50_000)
    }
    Issue.record("there is no \"\(text)\" in the log:\n\(last)")
  }

  @Test("serve says so, and loses no due time")
  func serving() throws {
    // A state of several pages, so that each run needs room.
    let tick = """
      { on = { every = '1s' }, overlap = 'queue', catch_up = 'all' }
      local parts = {}
      for number = 1, 4000 do parts[number] = math.random(0) end
      run.state.text = table.concat(parts)
      """
    let jobs = try RunningServer(["tick": tick], isStarted: false)
    try jobs.start(["--store", store, "--machine", "north"])
    try jobs.wait(for: "tick run")
    try server.setDisk(full: true)
    try jobs.wait(for: "No space left on device (make room on the server's disk)")
    try server.setDisk(full: false)
    let last = try server.sql("SELECT max(id) FROM run", in: database)
    let next = "SELECT count(*) FROM run WHERE id > \(last) AND state = 'ok'"
    let deadline = Date(timeIntervalSinceNow: 60)
    while try server.sql(next, in: database) == "0", Date() < deadline { usleep(50_000) }
    #expect(jobs.end() == 0)
    let gaps = """
      SELECT count(*) FROM (SELECT due - lag(due) OVER (ORDER BY due) AS step FROM run WHERE job = 'tick') s
      WHERE step <> 1000
      """
    #expect(try server.sql(gaps, in: database) == "0", "\(jobs.text)")
    #expect(try server.sql("SELECT count(*) FROM run WHERE state NOT IN ('ok', 'due')", in: database) == "0")
  }
}
