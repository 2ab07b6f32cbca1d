import CommandLineSupport
import Foundation
import Testing

/// The list on a terminal, at a task API where things go wrong: run by a script of its own, which sets up the tenant.
@Suite("b2c-run tasks on a terminal, in trouble", .timeLimit(.minutes(5)))
struct TaskScreenTroubleTests {
  private static func session(
    _ prepare: String, columns: Int = 80, rows: Int = 24
  ) throws -> TerminalSession {
    let program = try Program()
    try FileManager.default.copyItem(
      at: Program.project.appending(path: "scripts/screens"), to: program.folder.appending(path: "screens"))
    try program.write(
      "trouble.lua",
      """
      local b2c = require "b2c"
      local account = b2c.tenant.sign_in()
      \(prepare)
      require "screens.tasks"(account)
      """)
    return try TerminalSession(program, ["--local", "trouble.lua"], columns: columns, rows: rows)
  }

  @Test(
    "what goes wrong is said below the list, which stays",
    arguments: [
      ("status = 403, method = 'GET', every = 2", "r", "the list could not be read: GET", "403"),
      ("status = 401, method = 'POST', times = 2", "ax\r", "the task was not added: POST", "401"),
      ("status = 500, method = 'DELETE'", "dy", "the task was not removed:", "500"),
      ("drop = true, method = 'DELETE'", "dy", "the task was not removed:", "127.0.0.1"),
    ])
  func errors(fault: String, keys: String, message: String, detail: String) throws {
    let session = try Self.session(
      "b2c.tasks.add 'Buy milk' b2c.tenant.fault { path = '/api/tasks', \(fault) }")
    try session.see("1 task")
    for key in keys { session.type(String(key)) }
    try session.see(message)
    try session.see(detail)
    try session.see("> Buy milk")
    session.type("q")
    #expect(session.end() == 0)
  }

  @Test("while a request is under way, keys work, and leaving waits for nothing")
  func slow() throws {
    let session = try Self.session(
      "for i = 1, 3 do b2c.tasks.add('Task ' .. i) end b2c.tenant.fault { method = 'GET', path = '/api/tasks', delay = 50, every = 2 }"
    )
    try session.see("3 tasks")
    session.type("r")
    try session.see("a sign of the request") { $0.lines[0].contains(#/[|/\\-] 3 tasks/#) }
    session.type("j")
    try session.see("> Task 2")
    session.type("/3")
    try session.see("1 of 3 tasks")
    session.type("\u{1B}")
    try session.see("Task 1")
    session.type("q")
    #expect(session.end() == 0)
  }

  @Test("a change that is on its way is not left without a word")
  func leaving() throws {
    let session = try Self.session("b2c.tenant.fault { method = 'POST', delay = 50 }")
    try session.see("0 tasks")
    session.type("aSlow\r")
    try session.seeNo("New task")
    session.type("q")
    try session.see("a change is on its way")
    session.type("q")
    #expect(session.end() == 0)
  }

  @Test("ten thousand tasks are there at once, and each key is answered")
  func many() throws {
    let session = try Self.session(
      """
      b2c.tasks.import(coroutine.wrap(function() for i = 1, 10000 do coroutine.yield { text = 'Task ' .. i } end end),
        { format = 'ndjson', journal = false, concurrency = 32 })
      """)
    try session.see("10000 tasks")
    session.type("\u{1B}[F")
    try session.see("the last selected") { $0.selected.first?.hasPrefix("> Task ") == true && $0.lines[2] != "" }
    session.type("/Task 777")
    try session.see("11 of 10000 tasks")
    session.type("\rq")
    #expect(session.end() == 0)
  }
}
