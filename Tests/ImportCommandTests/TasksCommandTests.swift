import CommandLineSupport
import Foundation
import Testing

@Suite("b2c-run tasks: list, add, change and remove")
struct TasksCommandTests {
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
}
