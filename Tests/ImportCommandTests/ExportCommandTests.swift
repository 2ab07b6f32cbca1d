import CommandLineSupport
import Foundation
import Testing

@Suite("b2c-run export")
struct ExportCommandTests {
  private static let add = """
    b2c.tenant.sign_in()
    b2c.tasks.add "Buy milk"
    b2c.tasks.add "Call Ann"
    """

  @Test("all tasks, into a file or to standard output")
  func everything() throws {
    let program = try Program()
    #expect(try program.run("--quiet", "--local=data", "-e", Self.add).status == 0)
    let result = try program.run("--local=data", "export", "tasks.txt")
    #expect(result.status == 0, "\(result)")
    #expect(result.output == "")
    #expect(
      result.errors == """
        info  signed in as alice, a user of the local tenant
        info  2 tasks, 18 bytes: tasks.txt

        """)
    let file = program.folder.appending(path: "tasks.txt")
    #expect(try String(contentsOf: file, encoding: .utf8) == "Buy milk\nCall Ann\n")
    let output = try program.run("--quiet", "--local=data", "export", "-", "--format", "ndjson")
    #expect(output.status == 0, "\(output)")
    #expect(output.output.split(separator: "\n").count == 2)
    #expect(output.output.contains("\"Buy milk\""), "\(output)")
    #expect(output.errors == "")
  }

  @Test("fields that the format does not hold are told; a day stays a day")
  func loss() throws {
    let program = try Program(flags: ["--quiet"])
    let add = """
      b2c.tenant.sign_in()
      b2c.tasks.add { text = "Pay", notes = "by transfer", url = "https://example.org/", due = "2027-01-31", labels = { "home" } }
      b2c.tasks.add { text = "Go", due = "2027-01-31T09:00:00Z" }
      """
    #expect(try program.run("--local=data", "-e", add).status == 0)
    let todo = try program.run("--local=data", "export", "a.todo.txt")
    #expect(
      todo.errors.contains(
        "todotxt does not hold notes of 1 task, the hour of due of 1 task, url of 1 task; csv and json do"),
      "\(todo)")
    let taskwarrior = try program.run("--local=data", "export", "tw.json", "--format", "taskwarrior")
    #expect(taskwarrior.errors.contains("taskwarrior does not hold url of 1 task; csv and json do"), "\(taskwarrior)")
    #expect(try program.run("--local=data", "export", "a.csv").errors == "")
    #expect(try program.run("--local=other", "import", "tw.json", "--concurrency", "1").status == 0)
    #expect(
      try program.run("--local=other", "tasks", "list").output == """
        id  done  text  due                   labels
        1         Pay   2027-01-31            home
        2         Go    2027-01-31T09:00:00Z

        """)
  }

  @Test("an export that fails leaves the file that was there")
  func failure() throws {
    let program = try Program()
    try program.write("tasks.csv", "mine")
    let script =
      "b2c.tenant.sign_in() b2c.tenant.fault { path = '/api/tasks', status = 500 } b2c.tasks.export 'tasks.csv'"
    let result = try program.run("--quiet", "--local", "--allow-write=tasks.csv", "-e", script)
    #expect(result.status == 1, "\(result)")
    let names = try FileManager.default.contentsOfDirectory(atPath: program.folder.path).filter { $0.contains("csv") }
    #expect(names == ["tasks.csv"])
    #expect(try String(contentsOf: program.folder.appending(path: "tasks.csv"), encoding: .utf8) == "mine")
  }

  @Test(
    "wrong use",
    arguments: [
      ([], 2, "export: FILE is missing: such as tasks.csv, tasks.json.gz, todo.txt; - is standard output"),
      (
        ["a.csv", "--format", "exel"], 2,
        #"export: --format: expected one of "csv", "tsv", "json", "ndjson", "text", "todotxt", "taskwarrior", "ics", got "exel""#
      ),
      (
        ["-"], 1,
        """
        the format of standard output is not known
          hint: give the format with --format, or format = in a script: csv, tsv, json, ndjson, text, todotxt, taskwarrior, ics
        """
      ),
      (
        ["a.doc"], 1,
        """
        cannot tell the format of a.doc by its name
          hint: name it .csv, .tsv, .json, .ndjson, .jsonl, .ics, .txt, todo.txt or .todo.txt, each also with .gz or .zst; \
        or give the format with --format, or format = in a script: csv, tsv, json, ndjson, text, todotxt, taskwarrior, ics
        """
      ),
      (
        ["a.json", "--separator", ";"], 1,
        """
        a file of the format json has no separator to choose
          hint: the separator is for CSV files: give the format csv, or no separator
        """
      ),
    ])
  func wrongUse(arguments: [String], status: Int32, message: String) throws {
    let result = try Program().run(list: ["--quiet", "--local", "export"] + arguments)
    #expect(result.status == status, "\(result)")
    #expect(result.errors == "b2c-run: \(message)\n")
  }

  @Test("nobody signs in for a file that cannot be written")
  func beforeSignIn() throws {
    let result = try Program().run("--local", "export", "none/tasks.csv")
    #expect(result.status == 1)
    #expect(result.errors == "b2c-run: none/tasks.csv cannot be written: No such file or directory\n")
  }

  @Test("nobody is signed in: who can change that")
  func nobody() throws {
    let tenant = try RunningTenant()
    let result = try tenant.program.run("export", "tasks.csv")
    #expect(result.status == 1)
    #expect(
      result.errors == """
        b2c-run: nobody is signed in
          hint: b2c-run sign-in does it, or accounts.sign_in { … } in a script

        """)
  }
}
