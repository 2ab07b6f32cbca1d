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

  @Test("standard input is left alone until somebody is signed in")
  func inputStays() throws {
    let result = try RunningTenant().program.shell("echo $1 | { \"$0\" import - --format text; cat; }", "Milk")
    #expect(result.output == "Milk\n")
    #expect(result.errors.hasPrefix("b2c-run: nobody is signed in\n"))
  }
}
