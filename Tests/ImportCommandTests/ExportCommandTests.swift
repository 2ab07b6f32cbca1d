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
}
