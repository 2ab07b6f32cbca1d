import CommandLineSupport
import Core
import Foundation
import Testing

@Suite("b2c-run tasks on a terminal", .timeLimit(.minutes(5)))
struct TaskScreenTests {
  private static let up = "\u{1B}[A"
  private static let down = "\u{1B}[B"
  private static let end = "\u{1B}[F"
  private static let home = "\u{1B}[H"
  private static let pageDown = "\u{1B}[6~"
  private static let delete = "\u{1B}[3~"

  private static func tenant(tasks: [String]) throws -> RunningTenant {
    let tenant = try RunningTenant()
    try tenant.signIn()
    if !tasks.isEmpty {
      let result = try tenant.program.run("tasks", "add", "-", input: tasks.joined(separator: "\n"))
      #expect(result.status == 0, "\(result)")
    }
    return tenant
  }

  @Test("moves, adds, removes, and leaves the terminal as it was")
  func whole() throws {
    let tenant = try Self.tenant(tasks: ["Buy milk", "Water the plants"])
    let session = try TerminalSession(tenant.program, ["tasks"])
    let before = session.firstModes
    try session.see("2 tasks")
    #expect(session.display.isAlternate)
    #expect(!session.display.isCursorShown)
    #expect(session.display.lines[0].hasPrefix("Tasks of Alice Liddell"))
    #expect(session.display.selected.first?.hasPrefix("> Buy milk") == true)
    session.type(Self.down)
    try session.see("the second selected") { $0.selected.first?.hasPrefix("> Water the plants") == true }
    session.type("k")
    try session.see("the first selected") { $0.selected.first?.hasPrefix("> Buy milk") == true }

    session.type("a")
    try session.see("New task:")
    #expect(session.display.isCursorShown)
    session.type("Call  Ada\u{7F}m\r")
    try session.see("added: Call Adm")
    try session.see("3 tasks")
    try session.see("the new one selected") { $0.selected.first?.hasPrefix("> Call  Adm") == true }

    session.type(Self.home)
    session.type(Self.delete)
    try session.see("Remove \"Buy milk\"? y/n")
    session.type("n")
    try session.seeNo("Remove")
    session.type("d")
    try session.see("Remove \"Buy milk\"? y/n")
    session.type("y")
    try session.see("removed: Buy milk")
    try session.see("2 tasks")

    session.type("q")
    #expect(session.end() == 0)
    #expect(!session.display.isAlternate)
    #expect(session.display.isCursorShown)
    #expect(session.localModes == before)
    #expect(session.display.unknown == [])
    #expect(try tenant.program.run("tasks").output.contains("Call  Adm"))
  }

  @Test("a long list scrolls, in any size of the terminal")
  func scrolls() throws {
    let tenant = try Self.tenant(tasks: (1...100).map { "Task number \($0)." })
    let session = try TerminalSession(tenant.program, ["tasks"], columns: 80, rows: 10)
    try session.see("100 tasks")
    #expect(
      session.display.lines[2...8].map { $0.dropFirst(2).prefix { $0 != "." } } == (1...7).map { "Task number \($0)" })
    session.type(Self.pageDown)
    try session.see("> Task number 8.")
    session.type(Self.end)
    try session.see("> Task number 100.")
    #expect(session.display.lines[2].hasPrefix("  Task number 94."))
    session.type(Self.up)
    try session.see("> Task number 99.")

    session.resize(columns: 40, rows: 6)
    try session.see("a row less") {
      $0.lines[2].hasPrefix("  Task number 97.") && $0.text.contains("> Task number 99.")
    }
    #expect(session.display.lines.allSatisfy { $0.count <= 40 })
    #expect(session.display.lines[0] == "Tasks of Alice Liddell         100 tasks")
    session.resize(columns: 100, rows: 40)
    try session.see("more rows") { $0.lines[2].contains("Task number 64.") && $0.text.contains("Task number 100.") }
    session.type("q")
    #expect(session.end() == 0)
  }

  @Test("a filter shows some, and escape all again")
  func filters() throws {
    let tenant = try Self.tenant(tasks: ["Buy milk", "Sell milk", "Water the plants"])
    let session = try TerminalSession(tenant.program, ["tasks"])
    try session.see("3 tasks")
    session.type("/MILK")
    try session.see("2 of 3 tasks with \"MILK\"")
    try session.seeNo("Water the plants")
    session.type("\r" + Self.down)
    try session.see("> Sell milk")
    session.type("\u{1B}")
    try session.see("Water the plants")
    #expect(session.display.selected.first?.hasPrefix("> Sell milk") == true)
    session.type("?")
    try session.see("any key goes back")
    session.type(" q")
    #expect(session.end() == 0)
  }

  @Test("nothing in a task is a command to the terminal, and wide characters stay in their columns")
  func texts() throws {
    let tenant = try Self.tenant(tasks: ["evil \u{1B}[2J\u{1B}]0;owned\u{7}\u{9B}31m", "日本語のタスク", "👩‍👩‍👧 family 👍🏽"])
    let session = try TerminalSession(tenant.program, ["tasks"], columns: 70)
    try session.see("3 tasks")
    session.type("t2027-01-31\r")
    try session.see("due 2027-01-31")
    session.type("jt2027-01-31\r")
    try session.see("タスク  2027-01-31") { $0.lines[3].contains("2027-01-31") }
    session.type("jt2027-01-31\r")
    try session.see("the third date") { $0.lines[4].contains("2027-01-31") }
    try session.see("evil ␛[2J␛]0;owned␇")
    #expect(session.display.unknown == [])
    let dates = session.display.lines[2...4].map { line in
      line.ranges(of: #/\d{4}-\d\d-\d\d/#).map { String(line[..<$0.lowerBound]).displayWidth }.first
    }
    #expect(Set(dates) == [60], "\(session.display.text)")
    session.type("q")
    #expect(session.end() == 0)
  }

  @Test("another account, and one that signs in")
  func accounts() throws {
    let program = try Program()
    let session = try TerminalSession(program, ["--local", "tasks"])
    try session.see("0 tasks")
    session.type("aOnly Alice's\r")
    try session.see("1 task")
    session.type("s")
    try session.see("> Alice Liddell (b2c_1_susi)")
    session.type(Self.end + "\r")
    try session.expect("User name [bob]: ")
    session.type("\r")
    try session.expect("Password: ")
    session.type("wrong\r")
    try session.see("nobody was signed in:")
    session.type("s" + Self.end + "\r")
    try session.expect("User name [bob]: ")
    session.type("bob\r")
    try session.expect("Password: ")
    session.type("Skyscraper-2\r")
    try session.see("Tasks of Bob Baumeister")
    try session.seeNo("Only Alice's")
    session.type("s")
    try session.see("> Bob Baumeister")
    session.type(Self.home + "\r")
    try session.see("Only Alice's")
    session.type("q")
    #expect(session.end() == 0)
    #expect(!session.screen.contains("Skyscraper"))
  }
}
