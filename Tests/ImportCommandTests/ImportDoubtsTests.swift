import CommandLineSupport
import Foundation
import Testing

/// Questions before the first request, and the options that decide. Failed rows that come back.
@Suite("Imports of files that are perhaps not what they seem, or were imported before")
struct ImportDoubtsTests {
  private static let count = "b2c.tenant.sign_in() print(#b2c.tasks.list())"

  private func tasks(_ program: Program) throws -> String {
    try program.run("--quiet", "--local=data", "-e", Self.count).output
  }

  @Test("on a terminal a person decides") func question() throws {
    let server = try TaskServer()
    let tenant = try RunningTenant(for: server)
    try tenant.program.write("caret.csv", "Text^Due\nmilk^2027-01-31\n")
    for (answer, status, count) in [("n", 2, 0), ("y", 0, 1)] as [(String, Int32, Int)] {
      let session = try TerminalSession(tenant.program, ["import", "caret.csv"], columns: 200)
      try session.expect("Import it as it is? [y/n]")
      session.type("\(answer)\n")
      #expect(session.end() == status)
      #expect(server.texts.count == count)
    }
    // An import that has begun is not asked about.
    #expect(try tenant.program.run("import", "caret.csv").status == 0)
  }

  @Test("on a terminal, a person goes on with the earlier import of a moved file, or imports its rows as new")
  func importedBeforeQuestion() throws {
    let server = try TaskServer()
    let tenant = try RunningTenant(for: server)
    try tenant.program.write("a.csv", "Text,Due\nBuy milk,2027-01-31\nCall Ann,\n")
    #expect(try tenant.program.run("import", "a.csv").status == 0)
    try tenant.program.write("b.csv", "Text,Due\nBuy milk,2027-01-31\nCall Ann,\nWrite Bob,\n")
    for (answer, status, count) in [("n", 2, 2), ("g", 0, 3), ("g", 0, 3)] as [(String, Int32, Int)] {
      let session = try TerminalSession(tenant.program, ["import", "b.csv"], columns: 200)
      // The import has the new name after the second time.
      if answer != "g" || server.texts.count == 2 {
        try session.expect("g: go on with that import, and leave out its rows")
        try session.expect("What now? [g/a/n]")
        session.type("\(answer)\n")
      }
      #expect(session.end() == status)
      #expect(server.texts.count == count)
    }
    try tenant.program.write("c.csv", "Text,Due\nBuy milk,2027-01-31\nCall Ann,\n")
    let session = try TerminalSession(tenant.program, ["import", "c.csv"], columns: 200)
    try session.expect("What now? [g/a/n]")
    session.type("a\n")
    #expect(session.end() == 0)
    #expect(server.texts.count == 5)
  }

  @Test("rows are known as imported before though the first one is gone")
  func importedBeforeWithoutFirst() throws {
    let program = try Program()
    let lines = (1...40).map { "Task \($0)\n" }
    try program.write("a.csv", "Text\n" + lines.joined())
    #expect(try program.run("--local=data", "import", "a.csv").status == 0)
    try program.write("b.csv", "Text\n" + lines.dropFirst().joined())
    let refused = try program.run("--local=data", "import", "b.csv")
    #expect(refused.status != 0 && refused.errors.contains("were imported before"), "\(refused)")
    let matched = try program.run("--local=data", "import", "b.csv", "--resume", "match")
    #expect(matched.status == 0, "\(matched)")
    #expect(try tasks(program) == "40\n")
  }

  @Test("a first line without an end is an error, however long the file is")
  func endlessHeader() throws {
    let program = try Program()
    for beginning in ["", "\"a\"b,"] {
      let url = URL(filePath: try program.write("huge.csv", beginning))
      let file = try FileHandle(forWritingTo: url)
      try file.truncate(atOffset: 1 << 40)
      try file.close()
      let result = try program.run("--quiet", "--local=data", "import", "huge.csv", "--format", "csv")
      #expect(result.status != 0 && result.errors.contains("huge.csv:1: "), "\(result)")
    }
  }

  @Test("failed rows settle the first import in a journal of its own, by the same --journal")
  func failedRowsOfOwnJournal() throws {
    let program = try Program()
    for name in ["a", "b"] {
      try program.write("\(name).csv", "Text,Due\n\(name),\nlate,nonsense\n")
      let first = try program.run("--local=data", "import", "\(name).csv", "--journal", "\(name).journal")
      #expect(
        first.status == 5 && first.output.contains("import one of the two files with --journal \(name).journal."),
        "\(first)")
      let failed = program.folder.appending(path: "\(name).csv.failed.csv")
      try String(contentsOf: failed, encoding: .utf8).replacing(",nonsense", with: ",2027-01-31")
        .write(to: failed, atomically: true, encoding: .utf8)
    }
    let settled = try program.run("--local=data", "import", "a.csv.failed.csv", "--journal", "a.journal")
    #expect(settled.status == 0, "\(settled)")
    #expect(settled.errors.contains("1 row that failed in the import of a.csv is settled"), "\(settled)")
    #expect(try program.run("--local=data", "import", "a.csv", "--journal", "a.journal").status == 0)
    // Without it nobody knows the first import, and that is told.
    let unknown = try program.run("--local=data", "import", "b.csv.failed.csv")
    #expect(
      unknown.status == 0 && unknown.errors.contains("1 row still counts as failed in the first import"), "\(unknown)")
    #expect(unknown.errors.contains("(journal = FILE in a script), import the file with the same one"), "\(unknown)")
    #expect(try program.run("--local=data", "import", "b.csv", "--journal", "b.journal").status == 5)
    #expect(try tasks(program) == "4\n")
  }

  @Test("failed rows of a table come back as a table, and their import settles the first one")
  func failedTable() throws {
    let program = try Program()
    try program.write(
      "a.csv", "Text;Due;Note\nok;;1\n;2027-01-31;\"x; \"\"y\"\"\"\nlate;nonsense;2\nshort;1\nbetter;;3\n")
    let first = try program.run("--quiet", "--local=data", "import", "a.csv")
    #expect(first.status == 5, "\(first)")
    let url = program.folder.appending(path: "a.csv.failed.csv")
    var text = try String(contentsOf: url, encoding: .utf8)
    let lines = text.split(separator: "\n")
    #expect(lines.count == 4, "\(text)")
    #expect(lines[0] == "_import;Text;Due;Note")
    #expect(lines[1].hasPrefix("row 2 (line 3): the text is empty ["), "\(text)")
    #expect(lines[1].hasSuffix("];;2027-01-31;\"x; \"\"y\"\"\""), "\(text)")
    #expect(lines[3].hasSuffix(";short;1"), "\(text)")
    text = text.replacing("];;2027", with: "];now;2027").replacing("];short;1", with: "];short;;1")
    try text.write(to: url, atomically: true, encoding: .utf8)
    let second = try program.run("--local=data", "import", "a.csv.failed.csv")
    #expect(second.status == 5, "\(second)")
    #expect(second.errors.contains("2 rows that failed in the import of a.csv are settled"), "\(second)")
    // A row that has failed again settles both when it is mended.
    let rest = program.folder.appending(path: "a.csv.failed.csv.failed.csv")
    text = try String(contentsOf: rest, encoding: .utf8).replacing("late;nonsense", with: "late;2027-02-01")
    try text.write(to: rest, atomically: true, encoding: .utf8)
    let third = try program.run("--local=data", "import", "a.csv.failed.csv.failed.csv")
    #expect(third.status == 0, "\(third)")
    for name in ["a.csv", "a.csv.failed.csv"] {
      let again = try program.run("--quiet", "--local=data", "import", name)
      #expect(again.status == 0, "\(again)")
    }
    // The same rows in the other file are not added once more.
    try
      "{\"Text\":\"now\",\"_import\":{\"code\":\"empty_text\",\"line\":3,\"reason\":\"the text is empty\",\"row\":2}}\n"
      .write(to: program.folder.appending(path: "a.csv.failed.ndjson"), atomically: true, encoding: .utf8)
    let skipped = try program.run("--quiet", "--local=data", "import", "a.csv.failed.ndjson")
    #expect(skipped.output.contains(#/\n  skipped +1\n/#), "\(skipped)")
    let list = "b2c.tenant.sign_in() for _, t in ipairs(b2c.tasks.list()) do print(t.text, t.due, t.notes) end"
    let found = try program.run("--quiet", "--local=data", "-e", list).output.split(separator: "\n").sorted()
    #expect(
      found == [
        "better\tnil\t3", "late\t2027-02-01\t2", "now\t2027-01-31\tx; \"y\"", "ok\tnil\t1", "short\tnil\t1",
      ])
  }

  @Test("nothing is said about failed rows in a folder of others while none fails") func readOnlyFolder() throws {
    let server = try TaskServer()
    let tenant = try RunningTenant(for: server)
    try tenant.program.write("lists/a.txt", "good\n")
    let folder = tenant.program.folder.appending(path: "lists").path
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder) }
    let result = try tenant.program.unprivileged("--log-level", "warn", "import", "lists/a.txt", "--progress", "none")
    #expect(result.status == 0, "\(result)")
    #expect(!result.errors.contains("cannot be written"), "\(result)")
  }
}
