import CommandLineSupport
import Foundation
import Testing

@Suite("What an import remembers, from the command line")
struct JournalCommandTests {
  private func tenant(_ server: TaskServer) throws -> RunningTenant { try RunningTenant(for: server) }

  private func url(_ name: String, _ tenant: RunningTenant) -> URL { tenant.program.folder.appending(path: name) }

  @Test("a damaged journal stops the import; what is missing can be imported", arguments: ["", "-seal"])
  func damaged(file: String) throws {
    let server = try TaskServer()
    let tenant = try tenant(server)
    let program = tenant.program
    try program.write("a.txt", "one\ntwo\n")
    #expect(try program.run("import", "a.txt", "--journal", "j.db").status == 0)
    try program.write("a.txt", "one\ntwo\nthree\n")
    var bytes = try Data(contentsOf: url("j.db\(file)", tenant))
    if file == "" { bytes[bytes.count - 40] ^= 4 } else { bytes.removeAll() }
    try bytes.write(to: url("j.db\(file)", tenant))
    let stopped = try program.run("--quiet", "import", "a.txt", "--journal", "j.db")
    #expect(stopped.status == 1, "\(stopped)")
    #expect(stopped.errors.hasPrefix("b2c-run: the journal j.db is damaged: "), "\(stopped)")
    #expect(stopped.errors.contains("--resume no --dedupe text"), "\(stopped)")
    #expect(server.texts == ["one", "two"])
    let anew = try program.run(
      "--quiet", "import", "a.txt", "--journal", "j.db", "--resume", "no", "--dedupe", "text")
    #expect(anew.status == 0, "\(anew)")
    #expect(server.texts == ["one", "two", "three"])
    #expect(FileManager.default.fileExists(atPath: url("j.db.damaged", tenant).path))
  }

  @Test("--resume match stops where nothing matches, as after a column was added")
  func nothingMatches() throws {
    let server = try TaskServer()
    let tenant = try tenant(server)
    let program = tenant.program
    try program.write("a.csv", "Text\none\ntwo\n")
    #expect(try program.run("import", "a.csv").status == 0)
    try program.write("a.csv", "Text,Due\none,1\ntwo,2\n")
    let stopped = try program.run("--quiet", "import", "a.csv", "--resume", "match")
    #expect(stopped.status == 1, "\(stopped)")
    #expect(stopped.errors.contains("none of the 2 rows imported before is in a.csv as it is now"), "\(stopped)")
    #expect(server.texts == ["one", "two"])
    // The journal is as it was.
    try program.write("a.csv", "Text\nzero\none\ntwo\n")
    #expect(try program.run("--quiet", "import", "a.csv", "--resume", "match").status == 0)
    #expect(server.texts == ["one", "two", "zero"])
  }

  @Test("a pipe has no name by which another one could be taken for it")
  func pipes() throws {
    let server = try TaskServer()
    let tenant = try tenant(server)
    try tenant.program.write("a.txt", "one\n")
    for _ in 1...2 {
      let result = try tenant.program.shell(
        "cat a.txt | \"$0\" --quiet import --format text /dev/stdin && mkfifo p 2>/dev/null; "
          + "cat a.txt > p & \"$0\" --quiet import --format text p", "")
      #expect(result.status == 0, "\(result)")
    }
    #expect(server.texts == Array(repeating: "one", count: 4))
    #expect(try tenant.program.run("imports", "list").output == "")
  }

  @Test("a map that counts sees the rows that were imported before; another map stops the import")
  func statefulMap() throws {
    let server = try TaskServer()
    let tenant = try tenant(server)
    let program = tenant.program
    let script = """
      local n = 0
      tasks.import('a.csv', { progress = false, map = function(row) n = n + 1 return n .. 'MARK ' .. row.Text end })
      """
    try program.write("a.csv", "Text\none\ntwo\n")
    let first = try program.run("--quiet", "-A", "-e", script)
    #expect(first.status == 0, "\(first)")
    try program.write("a.csv", "Text\none\ntwo\nthree\n")
    let second = try program.run("--quiet", "-A", "-e", script)
    #expect(second.status == 0, "\(second)")
    #expect(server.texts.sorted() == ["1MARK one", "2MARK two", "3MARK three"])
    try program.write("a.csv", "Text\none\ntwo\nthree\nfour\n")
    let other = try program.run("--quiet", "-A", "-e", script.replacing("MARK", with: "!"))
    #expect(other.status == 1, "\(other)")
    #expect(other.errors.contains("row 1 (line 2): map makes another text of it"), "\(other)")
    #expect(server.texts.count == 3)
  }

  @Test(
    "text that is not UTF-8 is not sent",
    arguments: [
      (#"tasks.add("caf\xe9")"#, "tasks.add: argument 1: the text is not UTF-8: byte 0xE9 at offset 3"),
      (
        #"tasks.add { text = "a", ["\xff"] = "b" }"#,
        "tasks.add: argument 1: the name of a field is not UTF-8: byte 0xFF at offset 0"
      ),
      (
        #"tasks.add { text = "a", note = "b\xff" }"#,
        "task.note is a string that is not UTF-8: byte 0xFF at offset 1"
      ),
      (#"b2c.json.encode { ["a\xc3"] = 1 }"#, "value: a name is not UTF-8: byte 0xC3 at offset 1"),
      (
        #"http.post("http://127.0.0.1:1/", { form = { a = "\xfe" } })"#,
        "http.post: option 'form': a is not UTF-8: byte 0xFE at offset 0"
      ),
      (#"http.get("http://127.0.0.1:1/\xfe")"#, "http.get: the URL is not UTF-8"),
      (
        #"local n = 0 tasks.import(function() n = n + 1 return n == 1 and "x\xe9" or nil end, { progress = false })"#,
        "tasks.import: row 1: the text is not UTF-8: byte 0xE9 at offset 1"
      ),
    ])
  func invalidUTF8(script: String, message: String) throws {
    let server = try TaskServer()
    let tenant = try tenant(server)
    let result = try tenant.program.run("--quiet", "-A", "-e", script)
    #expect(result.status == 1, "\(result)")
    #expect(result.errors.contains(message), "\(result)")
    #expect(server.texts == [])
  }

  @Test("the summary is there although the failed rows cannot be written")
  func summary() throws {
    let server = try TaskServer { text, _ in text == "bad" ? .refuse(422, "{}") : .add }
    let tenant = try tenant(server)
    try tenant.program.write("a.txt", "one\nbad\n")
    try FileManager.default.createSymbolicLink(
      atPath: url("a.txt.failed.ndjson", tenant).path, withDestinationPath: "elsewhere")
    let result = try tenant.program.run("import", "a.txt")
    #expect(result.status == 1, "\(result)")
    #expect(result.errors.contains("\n  added                1\n"), "\(result)")
    #expect(result.errors.contains("b2c-run imports show "), "\(result)")
    #expect(result.errors.contains("b2c-run: a.txt.failed.ndjson cannot be written: it is a link"), "\(result)")
  }

  @Test("a file without rows gets a warning; an archive that is cut off is refused")
  func noRows() throws {
    let server = try TaskServer()
    let tenant = try tenant(server)
    try tenant.program.write("a.csv", "Text,Done\n")
    let empty = try tenant.program.run("import", "a.csv")
    #expect(empty.status == 0, "\(empty)")
    #expect(empty.errors.contains("warn  there are no rows in a.csv"), "\(empty)")
    try Data([0x50, 0x4B, 3, 4, 20, 0, 0, 0] + Array("\n[Content_Types].xml".utf8)).write(to: url("b.csv", tenant))
    let zip = try tenant.program.run("--quiet", "import", "b.csv")
    #expect(zip.status == 1, "\(zip)")
    #expect(zip.errors.hasPrefix("b2c-run: b.csv: the archive is damaged: "), "\(zip)")
    #expect(zip.errors.contains("get it again"), "\(zip)")
  }
}
