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
