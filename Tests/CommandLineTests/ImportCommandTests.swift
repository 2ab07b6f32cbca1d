import Foundation
import Testing

@Suite("b2c-run import")
struct ImportCommandTests {
  /// What a file of that name and content makes at a new local tenant, in the order of the list.
  private func tasks(_ name: String, _ text: String, _ options: String...) throws -> (Program.Result, [String]) {
    let program = try Program()
    try program.write(name, text)
    let result = try program.run(list: ["--local=data", "import", name, "--concurrency", "1"] + options)
    let list = try program.run(
      "--local=data", "-e", "b2c.tenant.sign_in() for task in b2c.tasks.each() do print(task.text, task.completed) end")
    return (result, list.output.split(separator: "\n").map(String.init))
  }

  @Test("one command, without an account, against the tenant that is built in")
  func oneCommand() throws {
    let path = Program.project.appending(path: "examples/data/tasks.csv").path
    let result = try Program().run("--local", "import", path)
    #expect(result.status == 0, "\(result)")
    #expect(result.errors.hasPrefix("info  signed in as alice, a user of the local tenant\n"), "\(result)")
    #expect(result.output.contains("1,000"), "\(result)")
  }

  struct Format: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    var options: [String] = []
    var tasks: [String]
    var testDescription: String { name }
  }

  static let formats = [
    Format(name: "a.csv", text: "Title;Done\nBuy milk;x\n\"Call\nAnn\";\n", tasks: ["Buy milk", "Call", "Ann"]),
    Format(name: "a.tsv", text: "Text\tNote\nBuy milk\tx\n", tasks: ["Buy milk"]),
    Format(name: "a.json", text: #"[{"text":"Buy milk"},"Call Ann"]"#, tasks: ["Buy milk", "Call Ann"]),
    Format(name: "a.ndjson", text: "{\"text\":\"Buy milk\"}\n\"Call Ann\"\n", tasks: ["Buy milk", "Call Ann"]),
    Format(name: "a.txt", text: "Buy milk\n\nCall Ann\n", tasks: ["Buy milk", "Call Ann"]),
    Format(name: "todo.txt", text: "(A) Buy milk @shop\nx 2026-01-02 Call Ann\n", tasks: ["Buy milk", "Call Ann"]),
    Format(
      name: "tw.json",
      text: #"[{"uuid":"5d5b3b8e-0d53-4d35-9b5b-2d0a9a2ad1a1","description":"Buy milk","status":"pending"}]"#,
      tasks: ["Buy milk"]),
  ]
}
