import CommandLineSupport
import Foundation
import Testing

@Suite("b2c-run tasks: list, add, change and remove")
struct TasksCommandTests {
  @Test("adds, lists and removes; without a terminal, tasks alone is the list")
  func whole() throws {
    let tenant = try RunningTenant()
    try tenant.signIn()
    let nothing = try tenant.program.run("tasks")
    #expect(nothing.errors == "info  Alice Liddell has no tasks\n")
    #expect(nothing.output == "")
    let added = try tenant.program.run("tasks", "add", "Buy", "milk")
    #expect(
      added.output == "id  done  text\n1         Buy milk\n", "\(added)")
    let several = try tenant.program.run("tasks", "add", "-", input: "Water the plants\n\n  \n日本語\n")
    #expect(several.output.split(separator: "\n").count == 3, "\(several)")
    let list = try tenant.program.run("tasks")
    #expect(list.output == (try tenant.program.run("tasks", "list").output))
    #expect(
      list.output.split(separator: "\n").map { $0.split(separator: "  ").last?.trimmingCharacters(in: .whitespaces) }
        == [
          "text", "Buy milk", "Water the plants", "日本語",
        ],
      "\(list)")
    let removed = try tenant.program.run("tasks", "remove", "1", "3", "--yes")
    #expect(removed.output == "removed  1  Buy milk\nremoved  3  日本語\n", "\(removed)")
    #expect(try tenant.program.run("tasks").output.contains("Water the plants"))
  }

  @Test("--json is for programs")
  func json() throws {
    let tenant = try RunningTenant()
    try tenant.signIn()
    #expect(try tenant.program.run("tasks", "--json").output == "[]\n")
    let added = try tenant.program.run("tasks", "add", "Tab\there", "--json").output
    let result = try tenant.program.run("tasks", "list", "--json").output
    #expect(added == result)
    let list = try JSONSerialization.jsonObject(with: Data(result.utf8)) as? [[String: Any]]
    #expect(list?.first?["text"] as? String == "Tab\there")
    #expect(list?.first?["completed"] as? Bool == false)
    #expect(Set(list?.first?.keys.map { $0 } ?? []) == ["id", "text", "owner", "completed", "date"])
  }

  @Test("the tasks of another account")
  func account() throws {
    let tenant = try RunningTenant()
    try tenant.signIn()
    try tenant.signIn("bob", "Skyscraper-2")
    _ = try tenant.program.run("tasks", "add", "Bob's")
    _ = try tenant.program.run("--account", "Alice Liddell", "tasks", "add", "Alice's")
    #expect(try tenant.program.run("tasks").output.contains("Bob's"))
    #expect(try !tenant.program.run("tasks").output.contains("Alice's"))
    #expect(try tenant.program.run("--account", "Alice Liddell", "tasks").output.contains("Alice's"))
  }

  @Test("escape sequences in a task are shown, not sent")
  func control() throws {
    let tenant = try RunningTenant()
    try tenant.signIn()
    let added = try tenant.program.run("tasks", "add", "\u{1B}[31mred\u{7} \u{9B}2J")
    #expect(added.output.contains("␛[31mred␇ \u{FFFD}2J"), "\(added)")
    #expect(!added.output.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{9B}" || $0 == "\u{7}" })
    let removed = try tenant.program.run("tasks", "remove", "1", "--yes")
    #expect(removed.output == "removed  1  ␛[31mred␇ \u{FFFD}2J\n")
  }

  @Test("on a terminal the table fits its width, and removing asks first")
  func terminal() throws {
    let tenant = try RunningTenant()
    try tenant.signIn()
    let long = "A task with a text that goes on and on, longer than the terminal is wide"
    _ = try tenant.program.run("tasks", "add", long)
    let list = try TerminalSession(tenant.program, ["tasks", "list"], columns: 50)
    #expect(list.end() == 0)
    let rows = list.display.lines.filter { !$0.isEmpty }
    #expect(rows.count == 2, "\(list.display.text)")
    #expect(rows.last?.contains(#/^1         A task with.*…$/#) == true, "\(list.display.text)")

    let no = try TerminalSession(tenant.program, ["tasks", "remove", "1"])
    try no.expect("Remove \"\(long.prefix(59))…\"? [y/N] ")
    no.type("\r")
    try no.expect("nothing was removed")
    #expect(no.end() == 0)
    let yes = try TerminalSession(tenant.program, ["tasks", "remove", "1"])
    try yes.expect("? [y/N] ")
    yes.type("y\r")
    try yes.expect("removed  1  A task")
    #expect(yes.end() == 0)
  }

  @Test(
    "wrong use",
    arguments: [
      (
        ["ad", "x"],
        "tasks: expected one of list, lists, add, complete, reopen, edit, due, remove, got 'ad'\n  hint: did you mean 'add'?\n"
      ),
      (["list", "x"], "tasks: unexpected argument 'x' after list\n"),
      (["add"], "tasks: expected the TEXT of the task after add\n"), (["add", " "], "tasks: a task needs a TEXT\n"),
      (["remove"], "tasks: expected an ID after remove\n  hint: b2c-run tasks list shows the IDs\n"),
      (["remove", "7"], "tasks: there is no task with the ID '7'\n  hint: b2c-run tasks list shows them\n"),
      (
        ["--local"],
        "tasks: unknown option --local\n  hint: --local is an option of b2c-run; write it before tasks\n"
      ),
      (["--jsn"], "tasks: unknown option --jsn\n  hint: did you mean --json?\n"),
    ])
  func wrongUse(arguments: [String], message: String) throws {
    let result = try Program().run(list: ["--quiet", "--local", "tasks"] + arguments)
    #expect(result.status == 2, "\(result)")
    #expect(result.errors == "b2c-run: \(message)")
  }

  @Test("nothing is removed without an answer, and nobody's tasks without a sign-in")
  func refuses() throws {
    let tenant = try RunningTenant()
    let nobody = try tenant.program.run("tasks")
    #expect(nobody.status == 1)
    #expect(nobody.errors.hasPrefix("b2c-run: nobody is signed in"), "\(nobody)")
    #expect(nobody.errors.contains("hint: b2c-run sign-in does it"), "\(nobody)")
    try tenant.signIn()
    _ = try tenant.program.run("tasks", "add", "Buy milk")
    let result = try tenant.program.withoutTerminal("tasks", "remove", "1")
    #expect(result.status == 2)
    #expect(
      result.errors
        == "b2c-run: tasks: there is no terminal to ask whether to remove \"Buy milk\"\n  hint: give --yes\n",
      "\(result)")
    #expect(try tenant.program.run("tasks").output.contains("Buy milk"))
  }
}
