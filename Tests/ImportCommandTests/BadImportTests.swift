import CommandLineSupport
import Databases
import Foundation
import Testing

@Suite("Imports of what cannot be imported")
struct BadImportTests {
  private static let list = "b2c.tenant.sign_in() for task in b2c.tasks.each() do print(task.text) end"

  @Test("journals that cannot be used are left as they are")
  func journals() throws {
    let program = try Program()
    try program.write("a.txt", "one\n")
    let arguments = ["--quiet", "--local=data", "import", "a.txt", "--journal"]
    #expect(try program.run(list: arguments + ["kept.sqlite"]).status == 0)
    let path = program.folder.appending(path: "kept.sqlite").path
    let version = try SQLiteConnection(path: path).first("PRAGMA user_version")?[0].integer ?? 0
    do { try SQLiteConnection(path: path).execute("PRAGMA user_version = \(version + 1)") }
    let newer = try program.run(list: arguments + ["kept.sqlite"])
    #expect(newer.status == 1)
    #expect(
      newer.errors == """
        b2c-run: the journal kept.sqlite has version \(version + 1), written by a newer b2c-run; this one knows version \
        \(version)
          hint: use the newer b2c-run; the journal was not changed

        """)

    try program.write("other.sqlite", String(repeating: "this is no journal ", count: 100))
    let other = try program.run(list: arguments + ["other.sqlite"])
    #expect(other.status == 1)
    #expect(
      other.errors == """
        b2c-run: the file other.sqlite is not a journal of an import
          hint: give another file with --journal, or move this one away; it has been left as it is

        """)
    #expect(try program.run(list: arguments + ["nowhere/a.sqlite"]).status == 2)
    #expect(try program.run("--quiet", "--local=data", "-e", Self.list).output == "one\n")
  }

  @Test("a script that may not write goes on without the file of failed rows, and is told how to get it")
  func failedRowsDenied() throws {
    let program = try Program()
    try program.write("a.csv", "text\none\n\"\"\n")
    let script = "tenant.sign_in() print(tasks.import('a.csv', { progress = false }).failed_rows)"
    let file = "\(program.folder.resolvingSymlinksInPath().path)/a.csv.failed.ndjson"
    let refused = try program.run("--quiet", "--no-prompt", "--local", "-e", script)
    #expect(refused.output == "nil\n", "\(refused)")
    let warning =
      "warn  tasks.import: needs permission to write \(file), so the rows that failed are not written there; "
      + "run with --allow-write=\(file)\n"
    #expect(refused.errors.contains(warning), "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: file))
    let allowed = try program.run("--quiet", "--no-prompt", "--local", "--allow-write=\(file)", "-e", script)
    #expect(allowed.output == "a.csv.failed.ndjson\n", "\(allowed)")
    #expect(FileManager.default.fileExists(atPath: file))
  }

  @Test("the import command follows no link under the name of the file of failed rows", arguments: [[], ["-A"]])
  func failedRowsLink(flags: [String]) throws {
    let program = try Program()
    try program.write("a.csv", "text\n\"\"\n")
    let victim = try program.write("elsewhere/notes.txt", "mine")
    try FileManager.default.createSymbolicLink(
      atPath: program.folder.appending(path: "a.csv.failed.ndjson").path, withDestinationPath: "elsewhere/notes.txt")
    let result = try program.run(list: ["--local"] + flags + ["import", "a.csv"])
    let message = """
      b2c-run: a.csv.failed.ndjson cannot be written: it is a link
        hint: remove it, or name another file

      """
    #expect(result.errors.hasSuffix(message), "\(result)")
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mine")
  }
}
