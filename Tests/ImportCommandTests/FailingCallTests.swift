import CommandLineSupport
import Foundation
import Testing

/// Imports and account stores whose calls to files fail. `make faults` lets each call fail; this is its short form.
@Suite("failing calls to files", .drill)
struct FailingCallTests {
  @Test(
    "nothing is lost or doubled afterwards, and the message names the file",
    arguments: [("import", 23), ("accounts", 23), ("jobs", 97)])
  func everyCall(part: String, every: Int) throws { try run("--every", "\(every)", "--every-memory", "29", part) }

  @Test("a journal whose seal cannot be written is not begun")
  func seal() throws { try run("--call", "write", "--from", "3", "--every", "1000", "import") }

  private func run(_ words: String...) throws {
    let program = try Program()
    let script = Program.project.appending(path: "Tests/Faults/run").path
    let result = try program.run(
      list: [script, "--binary", Program.binary.path] + words, executable: URL(filePath: "/usr/bin/python3"))
    #expect(result.status == 0, "\(result)")
    #expect(result.output.hasSuffix("nothing lost, nothing doubled\n"))
  }
}
