import CommandLineSupport
import Foundation
import Testing

@Suite("b2c-run import")
struct ImportCommandTests {
  /// Prints the tasks of a local tenant's first user, completed ones with an x.
  static let list = """
    b2c.tenant.sign_in()
    for task in b2c.tasks.each() do print((task.completed and "x " or "") .. task.text) end
    """

  /// Imports a file with this name and content into a new local tenant, and returns the tasks in the order of the list.
  private func imported(
    _ name: String, _ text: String, _ options: [String] = [], input: String = ""
  ) throws -> (Program.Result, [String]) {
    let program = try Program()
    if name != "-" { try program.write(name, text) }
    let result = try program.run(
      list: ["--local=data", "import", name, "--concurrency", "1"] + options, input: input)
    let list = try program.run("--quiet", "--local=data", "-e", Self.list)
    return (result, list.output.split(separator: "\n").map(String.init))
  }

  @Test("one command, without an account, against the tenant that is built in")
  func oneCommand() throws {
    let path = Program.project.appending(path: "examples/data/tasks.csv").path
    let result = try Program().run("--local", "import", path)
    #expect(result.status == 0, "\(result)")
    #expect(
      result.errors == """
        info  signed in as alice, a user of the local tenant
        info  \(path): CSV separated by ','; text from column "Text", due from "Due", priority from "Priority"; left out: "Project"
        warn  tasks.csv: no field comes from "Project"

        """)
    #expect(result.output.contains("\n  added        1,000\n"), "\(result)")
  }

  @Test("columns that no field comes from are told at the start and at the end; a strict import needs a map for them")
  func leftOutColumns() throws {
    let program = try Program()
    try program.write("a.csv", "Text,Owner,Fällig\nmilk,Ann,2027-01-31\n")
    let strict = try program.run("--local=data", "import", "a.csv", "--strict")
    #expect(strict.status == 2, "\(strict)")
    #expect(strict.errors.contains("no field comes from \"Owner\", \"Fällig\", and the import is strict"), "\(strict)")
    #expect(strict.errors.contains("such as --map text=Text,due=Fällig"), "\(strict)")
    let report = "print(table.concat(b2c.tasks.import('a.csv', { dry_run = true }).left_out, '|'))"
    let script = try program.run("--local", "--allow-read", "-e", "b2c.tenant.sign_in() \(report)")
    #expect(script.output == "Owner|Fällig\n", "\(script)")
    let result = try program.run("--local=data", "import", "a.csv", "--report", "r.json")
    #expect(
      result.status == 0 && result.errors.contains("warn  a.csv: no field comes from \"Owner\", \"Fällig\""),
      "\(result)")
    #expect(result.output.contains(#/\n  left out +"Owner", "Fällig"\n/#), "\(result)")
    #expect(result.output.contains("To take more columns: --map text=Text,due=Fällig."), "\(result)")
    let json = try String(contentsOf: program.folder.appending(path: "r.json"), encoding: .utf8)
    #expect(json.contains("\"left_out\""))
    let mapped = try program.run("--local=data", "import", "a.csv", "--resume", "no", "--strict", "--map", "text=Text")
    #expect(mapped.status == 0 && !mapped.errors.contains("warn"), "\(mapped)")
  }

  struct Format: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    var options: [String] = []
    /// The description of the file that the program prints.
    var summary: String
    var tasks: [String]
    var testDescription: String { name }
  }

  static let files = [
    Format(
      name: "a.csv", text: "Title;Done;Due\nBuy milk;x;\n\"Call Ann;\nthen Bob\";no;\n",
      summary: #"CSV separated by ';'; text from column "Title", completed from "Done", due from "Due""#,
      tasks: ["x Buy milk", "Call Ann;", "then Bob"]),
    Format(
      name: "a.tsv", text: "Text\tNote\nBuy milk\tx\n",
      summary: #"CSV separated by tabs; text from column "Text", notes from "Note""#, tasks: ["Buy milk"]),
    Format(
      name: "a.json", text: #"[{"text":"Buy milk","completed":true},{"text":"Call Ann"}]"#,
      summary: #"a JSON array; text from member "text", completed from "completed""#,
      tasks: ["x Buy milk", "Call Ann"]),
    Format(
      name: "a.ndjson", text: "{\"text\":\"Buy milk\"}\n{\"text\":\"Call Ann\"}\n",
      summary: #"JSON, a value a line; text from member "text""#, tasks: ["Buy milk", "Call Ann"]),
    Format(
      name: "a.txt", text: "Buy milk\n\nCall Ann\n", summary: "text, a task a line; each line is a task",
      tasks: ["Buy milk", "Call Ann"]),
    Format(
      name: "todo.txt", text: "(A) Buy milk @shop\nx 2026-01-02 Call Ann\n",
      summary:
        #"todo.txt; text from each line, completed where it begins with "x ", and due, start, priority and labels"#,
      tasks: ["(A) Buy milk @shop", "x 2026-01-02 Call Ann"]),
    Format(
      name: "tw.json",
      text: #"[{"uuid":"5d5b3b8e-0d53-4d35-9b5b-2d0a9a2ad1a1","description":"Buy milk","status":"completed"}]"#,
      summary: "a JSON array; text from member \"description\", completed from \"status\"; left out: \"uuid\"; "
        + "tasks with the status \"deleted\" or \"recurring\" are left out",
      tasks: ["x Buy milk"]),
    Format(
      name: "a.list", text: "Buy milk\n", options: ["--format", "text"],
      summary: "text, a task a line; each line is a task", tasks: ["Buy milk"]),
    Format(
      name: "b.csv", text: "What|When\nBuy milk|today\n", options: ["--separator", "|", "--map", "text=What"],
      summary: #"CSV separated by '|'; text from column "What"; left out: "When""#, tasks: ["Buy milk"]),
  ]

  @Test("what a file is taken for is said, and its rows are tasks", arguments: files)
  func format(example: Format) throws {
    let (result, tasks) = try imported(example.name, example.text, example.options)
    #expect(result.status == 0, "\(result)")
    #expect(result.errors.contains("\ninfo  \(example.name): \(example.summary)\n"), "\(result)")
    #expect(tasks == example.tasks)
  }

  @Test("standard input, which no journal is kept of")
  func standardInput() throws {
    let (result, tasks) = try imported("-", "", input: "Text,Note\nBuy milk,x\n")
    #expect(result.status == 0, "\(result)")
    #expect(result.output.hasPrefix("standard input: 1 row in "), "\(result)")
    #expect(!result.output.contains("journal"))
    #expect(tasks == ["Buy milk"])
  }

  @Test(
    "what is exported is imported as the same tasks",
    arguments: ["a.csv", "a.tsv", "a.json.gz", "a.ndjson.zst", "todo.txt"])
  func roundTrip(name: String) throws {
    let program = try Program()
    let script = """
      b2c.tenant.sign_in()
      b2c.tasks.add 'Buy "milk", bread; \\t butter'
      b2c.tasks.add { text = "Call Ann", Completed = true }
      b2c.tasks.add "牛乳を買う"
      """
    #expect(try program.run("--local=one", "-e", script).status == 0)
    #expect(try program.run("--local=one", "export", name).status == 0)
    let result = try program.run("--local=two", "import", name, "--concurrency", "1")
    #expect(result.status == 0, "\(result)")
    let lists = try ["one", "two"].map { try program.run("--quiet", "--local=\($0)", "-e", Self.list).output }
    #expect(lists[0] == lists[1])
    #expect(lists[0].split(separator: "\n").count == 3)
  }

  @Test("--dry-run says what would be done, sends nothing and keeps nothing")
  func dryRun() throws {
    let (result, tasks) = try imported("a.csv", "Title\nBuy milk\n\"\"\nCall Ann\n", ["--dry-run"])
    #expect(result.status == 5, "\(result)")
    #expect(
      result.output.replacing(#/checked in .*,/#, with: "checked,") == """
        a.csv: 3 rows checked, nothing was sent
          to be added   2
          failed        1
            empty_text  1  row 2

        """)
    #expect(tasks == [])
  }

  @Test("--dedupe leaves out what is there, and what was in the file before")
  func dedupe() throws {
    let program = try Program()
    try program.write("a.txt", "Buy milk\nCall Ann\nCall Ann\n")
    try program.write("b.txt", "Call Ann\nWrite\n")
    for name in ["a.txt", "b.txt"] {
      let result = try program.run("--quiet", "--local=data", "import", name, "--dedupe", "text", "--concurrency", "1")
      #expect(result.status == 0, "\(result)")
      #expect(result.output.contains("\n  skipped      1\n"), "\(result)")
    }
    #expect(try program.run("--quiet", "--local=data", "-e", Self.list).output == "Buy milk\nCall Ann\nWrite\n")
  }

  @Test("the report is kept as JSON, and progress is written as such")
  func json() throws {
    let program = try Program()
    try program.write("a.txt", "Buy milk\nCall Ann\n")
    let result = try program.run(
      "--quiet", "--local", "import", "a.txt", "--report", "report.json", "--progress", "json", "--rate", "600/m")
    #expect(result.status == 0, "\(result)")
    let last = try #require(result.errors.split(separator: "\n").last)
    let progress = try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any]
    #expect(progress?["finished"] as? Bool == true)
    #expect(progress?["added"] as? Int == 2)
    let file = try Data(contentsOf: program.folder.appending(path: "report.json"))
    let report = try JSONSerialization.jsonObject(with: file) as? [String: Any]
    #expect((report?["rows"] as? [String: Any])?["added"] as? Int == 2)
    #expect((report?["options"] as? [String: Any])?["rate"] as? Double == 10)
    let series = try #require(report?["series"] as? [[String: Any]])
    #expect(series.reduce(0) { $0 + ($1["rows"] as? Int ?? 0) } == 2)
  }

  @Test("without an account: who can change that")
  func nobody() throws {
    let tenant = try RunningTenant()
    try tenant.program.write("a.txt", "Buy milk\n")
    let result = try tenant.program.run("import", "a.txt")
    #expect(result.status == 1)
    #expect(
      result.errors == """
        b2c-run: nobody is signed in
          hint: b2c-run sign-in does it, or accounts.sign_in { … } in a script

        """)
  }

  @Test(
    "nobody signs in for what cannot be done",
    arguments: [
      (["nope.csv"], "nope.csv does not exist\n"),
      (["a.csv", "--map", "text=Title"], "a.csv has no column \"Title\": its columns are \"Text\"\n"),
      (["a.csv", "--format", "json"], "a.csv:1, column 1: expected an array"),
      (
        ["a.csv", "--report", "none/a.json"],
        "import: --report: none/a.json cannot be written: No such file or directory\n"
      ),
      (
        ["a.csv", "--report", "a.txt"],
        "import: --report: expected a file that ends in .html, .htm or .json, got 'a.txt'\n"
      ),
      (["a.csv", "--failed", "none/a"], "import: --failed: none/a cannot be written: No such file or directory\n"),
      (["a.csv", "--journal", "none/a"], "import: --journal: none/a cannot be written: No such file or directory\n"),
    ])
  func beforeSignIn(arguments: [String], message: String) throws {
    let tenant = try RunningTenant()
    try tenant.program.write("a.csv", "Text\nBuy milk\n")
    for flags in [[], ["--local"]] {
      let result = try tenant.program.run(list: flags + ["import"] + arguments)
      #expect(result.status != 0)
      #expect(result.errors.hasPrefix("b2c-run: \(message)"), "\(result)")
    }
  }

  @Test("standard input is left alone until somebody is signed in")
  func inputStays() throws {
    let result = try RunningTenant().program.shell("echo $1 | { \"$0\" import - --format text; cat; }", "Milk")
    #expect(result.output == "Milk\n")
    #expect(result.errors.hasPrefix("b2c-run: nobody is signed in\n"))
  }

  static let wrongUses: [(String, String)] = [
    ("--concurrency 0", "--concurrency: expected 1 to 1024, got 0"),
    ("--concurrency 5..2", "--concurrency: expected a number, or MIN..MAX, got '5..2'"),
    ("--concurrency many", "--concurrency: expected a number, or MIN..MAX, got 'many'"),
    ("--rate 0", "--rate: expected 0.001 to 1000000, got 0"),
    ("--rate 100/d", "--rate: expected rows per second, or a rate such as 100/m, got '100/d'"),
    ("--retries -1", "--retries: expected an integer from 0 to 1000, got -1"),
    ("--retries often", "--retries: expected a whole number, got 'often'"),
    ("--wait -1", "--wait: expected a number from 0 to 604800, got -1"),
    ("--timeout 0", "--timeout: expected a number from 0.1 to 3600, got 0"),
    ("--max-failures -2", "--max-failures: expected an integer of at least 0, got -2"),
    ("--settle-after -1", "--settle-after: expected a number from 0 to 3600, got -1"),
    ("--resume mtach", "--resume: expected one of yes, no, match, got 'mtach'\n  hint: did you mean 'match'?"),
    ("--unsettled send", "--unsettled: expected one of resend, skip, got 'send'"),
    ("--idempotency-key maybe", "--idempotency-key: expected one of yes, no, got 'maybe'"),
    (
      "--progress none --map x",
      "--map: the map \"x\" has a part without '=': x\n  hint: write FIELD=COLUMN, as in text=Title,due=Due"
    ),
    ("--separator ;;", "--separator: expected one ASCII character, got \";;\""),
    ("--dedup text", "unknown option --dedup\n  hint: did you mean --dedupe?"),
    ("--journal", "--journal: expected FILE after it"),
    ("b.txt", "unexpected argument 'b.txt'\n  hint: the command is b2c-run import [options] FILE"),
  ]

  @Test("wrong use", arguments: wrongUses)
  func wrongUse(options: String, message: String) throws {
    let program = try Program()
    try program.write("a.csv", "Text\nBuy milk\n")
    let result = try program.run(
      list: ["--quiet", "--local", "import", "a.csv"] + options.split(separator: " ").map(String.init))
    #expect(result.status == 2, "\(result)")
    #expect(result.errors == "b2c-run: import: \(message)\n")
    #expect(result.output == "")
  }
}
