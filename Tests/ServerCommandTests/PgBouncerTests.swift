import CommandLineSupport
import Foundation
import TestSupport
import Testing

/// Several machines behind PgBouncer in transaction mode: each transaction may have another connection of the server.
@Suite("Behind PgBouncer", .enabled(if: PgBouncer.isInstalled))
struct PgBouncerTests {
  private let server: PostgresServer
  private let database: String
  private let pooler: PgBouncer
  private let store: [String]

  init() throws {
    server = try .shared
    database = try server.makeDatabase()
    pooler = try PgBouncer(server)
    store = ["--store", pooler.address(database)]
  }

  private func number(_ sql: String) throws -> Int { Int(try server.sql(sql, in: database)) ?? -1 }

  /// Waits until a query has a number that is not zero.
  private func wait(for sql: String) throws {
    for _ in 0..<1200 {
      if try number(sql) > 0 { return }
      usleep(50_000)
    }
    Issue.record("\(sql) stays 0")
  }

  @Test("an import with a helper goes on after a kill, and after the end of PgBouncer: each row once")
  func imports() throws {
    let tenant = try RunningTenant()
    let program = tenant.program
    // PgBouncer may not listen yet, which is waited for.
    #expect(try program.run(list: store + ["store", "upgrade"]).status == 0)
    #expect(try program.run(list: store + ["-e", Program.signIn]).output == "Alice Liddell\n")
    try program.write("rows.csv", "Text\n" + (1...3000).map { "task \($0)\n" }.joined())
    let lease = ["B2C_RUN_LEASE": "1"]
    let slow = store + ["import", "rows.csv", "--progress", "none", "--rate", "600"]
    let log = program.folder.appending(path: "helper.log").path
    let helper = try program.start(list: store + ["work", "--progress", "none"], environment: lease, log: log)
    defer { helper.terminate() }
    let first = try program.start(list: slow, environment: lease)
    try wait(for: "SELECT count(*) FROM block WHERE state = 'done'")
    kill(first.processIdentifier, SIGKILL)
    first.waitUntilExit()
    let second = try program.start(list: slow, environment: lease)
    try wait(for: "SELECT count(*) FROM lease WHERE name LIKE 'planner/%' AND epoch > 1")
    pooler.kill()
    usleep(500_000)
    try pooler.start()
    second.waitUntilExit()
    #expect(second.terminationStatus == 0)
    let report = try program.run(list: store + ["import", "rows.csv", "--progress", "none"], environment: lease)
    #expect(report.status == 0, "\(report)")
    let listed = try program.run(list: store + ["-e", "for task in b2c.tasks.each() do print(task.text) end"])
    let texts = listed.output.split(separator: "\n").map(String.init)
    #expect(texts.sorted() == (1...3000).map { "task \($0)" }.sorted(), "\(texts.count) tasks; \(listed.errors)")
  }

  @Test("serve runs each due time once, and goes on after a kill, and after the end of PgBouncer")
  func serving() throws {
    let tick = """
      { on = { every = '1s' }, overlap = 'queue', catch_up = 'all' }
      run.step('one', function() return 7 end)
      """
    let jobs = ["tick": tick]
    let (north, south) = (try RunningServer(jobs, isStarted: false), try RunningServer(jobs, isStarted: false))
    for (name, server) in [("north", north), ("south", south)] {
      if server !== north { try north.program.handKey(of: store[1], to: server.program) }
      try server.start(store + ["--machine", name], environment: ["B2C_RUN_LEASE": "3"])
    }
    try north.wait(for: "tick run")
    north.end(SIGKILL)
    try south.wait(for: "this machine, south, plans the jobs")
    try south.wait(for: "tick run")
    pooler.kill()
    try south.wait(for: "the database is away")
    try pooler.start()
    try south.wait(for: "the database is back")
    let last = try number("SELECT max(id) FROM run")
    try wait(for: "SELECT count(*) FROM run WHERE id > \(last) AND state = 'ok'")
    #expect(south.end() == 0)
    let gaps = """
      SELECT count(*) FROM (SELECT due - lag(due) OVER (ORDER BY due) AS step FROM run WHERE job = 'tick') s
      WHERE step <> 1000
      """
    #expect(try number(gaps) == 0, "\(south.text)")
    #expect(try number("SELECT count(*) FROM step WHERE result <> '7'") == 0)
    #expect(try number("SELECT count(*) FROM run WHERE state = 'failed'") == 0, "\(south.text)")
  }
}
