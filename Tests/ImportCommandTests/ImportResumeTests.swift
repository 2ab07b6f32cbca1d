import CommandLineSupport
import Foundation
import Testing

@Suite("Imports that were interrupted, and gone on with")
struct ImportResumeTests {
  private static let rows = (1...60).map { "Task \($0)" }

  private func expectOnceEach(_ texts: [String], _ expected: [String] = rows) {
    #expect(texts.sorted() == expected.sorted())
  }

  @Test("killed in the middle: the next run adds the rest, whether the last answers got lost or the requests")
  func killed() throws {
    let server = try TaskServer { _, number in
      number <= 20 ? .add : .hang(seconds: 60, adds: number % 2 == 0)
    }
    let tenant = try RunningTenant(for: server)
    try tenant.program.write("a.txt", Self.rows.joined(separator: "\n"))
    let process = try tenant.program.start("import", "a.txt", "--concurrency", "4..4")
    try server.waitForRequests(24)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    let list = try tenant.program.run("imports", "list")
    #expect(list.output.contains("a.txt"), "\(list)")
    #expect(list.output.contains("stopped at row"), "\(list)")

    server.treat { _, _ in .add }
    let second = try tenant.program.run("import", "a.txt", "--settle-after", "0")
    #expect(second.status == 0, "\(second)")
    #expect(second.output.contains("by earlier runs"), "\(second)")
    expectOnceEach(server.texts)

    let third = try tenant.program.run("import", "a.txt")
    #expect(third.status == 0, "\(third)")
    #expect(
      third.errors.contains(
        "info  all rows were imported earlier; to import them again: --resume no (resume = false in a script)\n"))
    expectOnceEach(server.texts)
    #expect(try tenant.program.run("imports", "list").output.contains("  finished    60    60       0          0\n"))
  }

  @Test("the same API, however its scheme and host are written, is the same import")
  func sameAPI() throws {
    let server = try TaskServer()
    let tenant = try RunningTenant(for: server)
    try tenant.program.write("a.txt", "one\ntwo\n")
    for address in [server.url, server.url.uppercased() + "/"] {
      let run = try tenant.program.run("--set", "taskAPI=\(address)", "import", "a.txt")
      #expect(run.status == 0, "\(run)")
    }
    expectOnceEach(server.texts, ["one", "two"])
  }

  @Test("a file that has grown is gone on with; one that has changed is not, before that is asked for")
  func changed() throws {
    let server = try TaskServer()
    let tenant = try RunningTenant(for: server)
    let program = tenant.program
    try program.write("a.txt", "one\ntwo\nthree\n")
    #expect(try program.run("import", "a.txt").status == 0)
    try program.write("a.txt", "one\ntwo\nthree\nfour\n")
    let grown = try program.run("import", "a.txt")
    #expect(grown.status == 0, "\(grown)")
    #expect(grown.output.contains("\n  added         1\n"), "\(grown)")

    try program.write("a.txt", "zero\none\nthree\nfour\n")
    let refused = try program.run("--log-level", "warn", "import", "a.txt")
    #expect(refused.status == 1)
    #expect(
      refused.errors.hasPrefix(
        "b2c-run: \(program.folder.resolvingSymlinksInPath().path)/a.txt has changed since its import began: row 1 (line 1)"
      ),
      "\(refused)")
    #expect(refused.errors.contains("--resume match") && refused.errors.contains("--resume no"), "\(refused)")
    #expect(server.texts.count == 4)

    let matched = try program.run("import", "a.txt", "--resume", "match")
    #expect(matched.status == 0, "\(matched)")
    expectOnceEach(server.texts, ["one", "two", "three", "four", "zero"])
    let anew = try program.run("import", "a.txt", "--resume", "no")
    #expect(anew.status == 0, "\(anew)")
    #expect(server.texts.count == 9)
  }

  @Test("rows that were refused are in a file that can be mended and imported")
  func failedRows() throws {
    let server = try TaskServer { text, _ in
      text.hasPrefix("bad") ? .refuse(400, #"{"message":"not such a text"}"#) : .add
    }
    let tenant = try RunningTenant(for: server)
    let program = tenant.program
    try program.write("a.csv", "Title,Note\ngood,1\nbad one,2\nx,y,z\nbetter,3\n")
    let result = try program.run("import", "a.csv", "--map", "text=Title,Note=Note")
    #expect(result.status == 5, "\(result)")
    #expect(
      result.errors.hasSuffix(
        """
        warn  row 2 (line 3) was not added: POST \(server.url)/api/tasks was answered 400 (bad request): not such a text
        warn  row 3 (line 4) was not added: this row has 3 fields, expected 2 as in the header

        """), "\(result)")
    #expect(
      result.output.hasSuffix(
        "Correct the failed rows in a.csv.failed.csv, a table, or in a.csv.failed.ndjson, and import one of the two files "
          + "with the same --map.\n"), "\(result)")
    let file = program.folder.appending(path: "a.csv.failed.ndjson")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(
      text == """
        {"Note":"2","Title":"bad one","_import":{"code":"bad_request","line":3,"reason":"POST \(server.url)/api/tasks was \
        answered 400 (bad request): not such a text","row":2,"status":400}}
        {"_import":{"code":"ragged_row","fields":["x","y","z"],"line":4,"reason":"this row has 3 fields, expected 2 as in the \
        header","row":3}}

        """)
    #expect(try program.run("imports", "show", "a.csv", "--failed").output == text)

    try program.write(
      "a.csv.failed.ndjson",
      text.replacing("bad one", with: "good one").replacing("{\"_import", with: "{\"Title\":\"x\",\"_import"))
    let mended = try program.run("import", "a.csv.failed.ndjson", "--map", "text=Title,Note=Note")
    #expect(mended.status == 0, "\(mended)")
    expectOnceEach(server.texts, ["good", "better", "good one", "x"])
  }

  @Test("--max-failures stops an import of which too much fails, and the same import goes on")
  func maximumFailures() throws {
    let server = try TaskServer { text, _ in text == "bad" ? .refuse(422, "{}") : .add }
    let tenant = try RunningTenant(for: server)
    try tenant.program.write("a.txt", "one\nbad\nbad\nbad\ntwo\n")
    let result = try tenant.program.run(
      "--quiet", "import", "a.txt", "--max-failures", "1", "--concurrency", "1")
    #expect(result.status == 1, "\(result)")
    #expect(
      result.errors.contains("the import stopped at row 3 because 2 rows have failed, and 1 may"), "\(result)")
    #expect(result.errors.contains("repeat the import: it continues there and sends no row twice"), "\(result)")
    let second = try tenant.program.run("--quiet", "import", "a.txt")
    #expect(second.status == 5, "\(second)")
    #expect(server.texts == ["one", "two"])
  }

  @Test("rows of which nobody can tell whether they were added are left, until somebody says what to do")
  func unsettled() throws {
    let server = try TaskServer(isNode: true) { text, _ in text == "lost" ? .loseAnswer : .add }
    let tenant = try RunningTenant(for: server)
    let program = tenant.program
    let rows = (1...25).map { "Task \($0)" }
    try program.write("before.txt", rows.joined(separator: "\n"))
    #expect(try program.run("import", "before.txt").status == 0)
    try program.write("a.txt", "one\nlost\ntwo\n")
    let result = try program.run("import", "a.txt", "--settle-after", "0")
    #expect(result.status == 5, "\(result)")
    #expect(
      result.output.contains("\n  unsettled    1  sent, and it is not known whether they were added\n"), "\(result)")
    #expect(try program.run("imports", "list").output.contains("  1 row unsettled"))
    #expect(server.texts.filter { $0 == "lost" }.count == 1)

    // Nothing is sent before that is asked for.
    #expect(try program.run("--quiet", "import", "a.txt").status == 5)
    #expect(server.texts.filter { $0 == "lost" }.count == 1)
    server.treat { _, _ in .add }
    let resent = try program.run("--quiet", "import", "a.txt", "--unsettled", "resend")
    #expect(resent.status == 0, "\(resent)")
    #expect(server.texts.filter { $0 == "lost" }.count == 2)
    #expect(try program.run("imports", "list").output.contains("a.txt   "), "its name is in the list")
  }

  @Test("a second import of the same file is told who is at it")
  func twoAtOnce() throws {
    let server = try TaskServer { _, _ in .hang(seconds: 60, adds: false) }
    let tenant = try RunningTenant(for: server)
    try tenant.program.write("a.txt", "one\n")
    let process = try tenant.program.start("import", "a.txt")
    try server.waitForRequests(1)
    let second = try tenant.program.run("--quiet", "import", "a.txt")
    #expect(second.status == 1, "\(second)")
    #expect(second.errors.contains("\(process.processIdentifier)"), "\(second)")
    let list = try tenant.program.run("imports", "list")
    #expect(list.output.contains("under way (process \(process.processIdentifier))"), "\(list)")
    #expect(try tenant.program.run("imports", "forget", "a.txt", "--yes").status == 1)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
