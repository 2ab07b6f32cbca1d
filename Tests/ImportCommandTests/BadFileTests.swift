import CommandLineSupport
import Foundation
import Testing

@Suite("Files that cannot be read")
struct BadFileTests {
  struct Case: Sendable {
    var name = "my.csv"
    /// Nil for no file.
    var text: String?
    var options = "{}"
    var errors: String
  }

  static let cases: [Case] = [
    Case(text: nil, errors: "my.csv does not exist"),
    Case(text: "", errors: "my.csv is empty, expected a first line with the names of the columns"),
    Case(
      text: "Text,Note\nBuy milk,\"two\nlitres\"\nCall,\"Ann\nWrite,x\n",
      errors: """
        my.csv:4: the quote that opens a field here is never closed; until then: 1 added
          hint: a quote inside a quoted field is written twice
        """),
    Case(
      text: "Betreff,Notiz\nBuy milk,x\n",
      errors: """
        my.csv has no column called "Text": its columns are "Betreff", "Notiz"
          hint: say which columns have the fields: --map text=Betreff,notes=Notiz
        """),
    Case(
      text: "Title,Task\nBuy milk,x\n",
      errors: """
        my.csv: the text may be in the columns "Title" or "Task"
          hint: say which: --map text=Title or --map text=Task, or in a script map = { text = "COLUMN" }
        """),
    Case(
      text: "Betreff;Notiz\nBuy milk;x\n", options: "{ separator = ',' }",
      errors: """
        my.csv has a single column, called "Betreff;Notiz"
          hint: is the separator ';'?
        """),
    Case(
      text: "Text,Note\nBuy milk,x\n", options: "{ map = function(row) return { text = row.Txt } end }",
      errors: """
        my.csv has no column "Txt": its columns are "Text", "Note"
          hint: did you mean "Text"?
        """),
    Case(
      name: "my.doc", text: "x",
      errors: """
        cannot tell the format of my.doc by its name or its beginning
          hint: say which with --format, or format = in a script: csv, tsv, json, ndjson, text, todotxt, taskwarrior, ics
        """),
    Case(name: "my.csv/x", text: "x", errors: "my.csv is a directory, expected a file"),
  ]

  @Test(
    "a script of a size without an end does not fill the memory",
    arguments: [["huge.lua"], ["check", "."], ["test", "."]])
  func huge(words: [String]) throws {
    let program = try Program()
    let name = words == ["test", "."] ? "huge_test.lua" : "huge.lua"
    try program.write(name, "")
    try FileHandle(forWritingTo: program.folder.appending(path: name)).truncate(atOffset: 1 << 33)
    let result = try program.run(list: words)
    #expect(result.status != 0 && (result.errors + result.output).contains("\(name): File too large"), "\(result)")
  }

  @Test(arguments: cases)
  func wrong(example: Case) throws {
    let program = try Program()
    if let text = example.text { try program.write(example.name, text) }
    let name = example.name.split(separator: "/")[0]
    try program.write(
      "import.lua",
      """
      local b2c = require "b2c"
      b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
      b2c.tasks.import("\(name)", \(example.options))
      """)
    let result = try program.run("--local", "--log-level", "warn", "import.lua")
    #expect(result.status == 1)
    #expect(result.output == "")
    #expect(result.errors == "b2c-run: import.lua:3: \(example.errors)\n")
  }

  @Test("rows that fail are told of, and the exit status says so")
  func failedRows() throws {
    let program = try Program()
    try program.write("my.csv", "Text,Note\nBuy milk,1\n,2\nCall Ann,3\n")
    try program.write(
      "import.lua",
      """
      local b2c = require "b2c"
      b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
      b2c.tenant.fault { method = "POST", path = "/api/tasks", status = 409, body = '{"message":"no room"}' }
      local report = b2c.tasks.import("my.csv", { concurrency = 1 })
      print(report.added, report.failed)
      """)
    let result = try program.run("--local", "--allow-write=.", "--log-level", "warn", "import.lua")
    #expect(result.status == 5)
    #expect(result.output == "1\t2\n")
    let errors = result.errors.replacing(#/http://127.0.0.1:\d{2,}/#, with: "URL")
    let expected = """
      warn  row 1 (line 2) was not added: POST URL/api/tasks was answered 409 (conflict): no room
      warn  row 2 (line 3) was not added: the text is empty

      """
    #expect(errors == expected)
  }

  @Test("very many failed rows are counted")
  func manyFailedRows() throws {
    let program = try Program()
    try program.write("my.csv", "Text,Note\n" + String(repeating: ",x\n", count: 50))
    let script = """
      b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
      b2c.tasks.import("my.csv")
      """
    let result = try program.run("--local", "--allow-write=.", "--log-level", "warn", "-e", script)
    #expect(result.status == 5)
    #expect(result.errors.split(separator: "\n").count == 11, "\(result)")
    #expect(result.errors.hasSuffix("warn  40 more rows were not added\n"), "\(result)")
  }

  @Test("an account store that is something else is left as it is")
  func damagedStore() throws {
    let program = try Program()
    try program.write("store/accounts.sqlite", String(repeating: "this is no database ", count: 500))
    let result = try program.run("--set", "clientID=app", "--store", "store", "-e", "b2c.accounts.all()")
    #expect(result.status == 1)
    #expect(
      result.errors == """
        b2c-run: (command line):1: the file store/accounts.sqlite is not an account store of b2c-run
          hint: move it away, or give another folder with --store; it has been left as it is

        """)
  }

  @Test("a store cannot be kept in a file")
  func storeInFile() throws {
    let program = try Program()
    try program.write("store", "")
    let result = try program.run("--set", "clientID=app", "--store", "store", "-e", "b2c.accounts.all()")
    #expect(result.status == 1)
    #expect(
      result.errors == """
        b2c-run: (command line):1: the account store needs a folder, and store is something else
          hint: give a folder with --store

        """)
  }

  @Test("a tenant's data file that is something else is left as it is")
  func damagedTenant() throws {
    let program = try Program()
    try program.write("data.db", String(repeating: "this is no database ", count: 500))
    let result = try program.run("--local=data.db", "-e", "")
    #expect(result.status == 1)
    #expect(
      result.errors == """
        b2c-run: data.db: file is not a database
          hint: give another file, or move this one away: it was not made by this program

        """)
  }
}
