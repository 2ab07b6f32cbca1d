import CommandLineSupport
import Databases
import Foundation
import Testing

@Suite("Imports of what cannot be imported")
struct BadImportTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var errors: String
    var testDescription: String { name }

    init(_ name: String, _ bytes: [UInt8], _ errors: String) {
      (self.name, self.bytes, self.errors) = (name, bytes, errors)
    }

    init(_ name: String, _ text: String, _ errors: String) { self.init(name, Array(text.utf8), errors) }
  }

  static let cases = [
    Case(
      "cut.json", #"[{"text":"a"},{"te"#,
      "cut.json:1, column 19: the text is cut off inside element 2; until then: 1 added"),
    Case(
      "latin.csv", Array("Text\nM".utf8) + [0xfc] + Array("ller\n".utf8),
      """
      latin.csv:2: the file is not UTF-8: byte 0xFC at offset 6; until then: 0 added
        hint: convert it: iconv -f WINDOWS-1252 -t UTF-8
      """),
    Case(
      "wide.csv", [0xff, 0xfe, 0x54, 0],
      """
      wide.csv is UTF-16, expected UTF-8
        hint: convert it: iconv -f UTF-16 -t UTF-8
      """),
    Case(
      "quote.csv", "Text,Note\na,\"b\n",
      """
      quote.csv:2: the quote that opens a field here is never closed; until then: 0 added
        hint: a quote inside a quoted field is written twice
      """),
    Case("empty.json", "", "empty.json is empty, expected a JSON array"),
    Case(
      "a.doc", "one\ntwo\n",
      """
      cannot tell the format of a.doc by its name or its beginning
        hint: say which with --format, or format = in a script: csv, tsv, json, ndjson, text, todotxt, taskwarrior, ics
      """),
  ]

  @Test("a file that is cut off, no UTF-8, too long, empty, or nobody knows what", arguments: cases)
  func file(example: Case) throws {
    let program = try Program()
    try Data(example.bytes).write(to: program.folder.appending(path: example.name))
    let result = try program.run("--quiet", "--local", "import", example.name)
    #expect(result.status == 1)
    #expect(result.output == "")
    #expect(result.errors == "b2c-run: \(example.errors)\n")
  }

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
    #expect(try program.run("--quiet", "--local=data", "-e", ImportCommandTests.list).output == "one\n")
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
