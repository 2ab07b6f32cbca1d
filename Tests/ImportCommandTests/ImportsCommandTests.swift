import CommandLineSupport
import Foundation
import Testing

@Suite("b2c-run imports")
struct ImportsCommandTests {
  /// A folder in which two files were imported, one of them with a row that failed.
  private func program() throws -> Program {
    let program = try Program()
    try program.write("one.csv", "Text,Note\nBuy milk,1\n,2\n")
    try program.write("two.txt", "Call Ann\nCall Bob\n")
    for (name, status) in [("one.csv", 5), ("two.txt", 0)] {
      let result = try program.run("--quiet", "--local=data", "import", name)
      #expect(result.status == Int32(status), "\(result)")
    }
    return program
  }

  @Test("forget asks at the terminal, and the source can be imported anew")
  func forget() throws {
    let program = try program()
    let refusal = try TerminalSession(program, ["imports", "forget", "two.txt"])
    try refusal.expect("Forget the import of two.txt, finished, 2 tasks added? [y/N]")
    refusal.type("n\n")
    try refusal.expect("nothing was forgotten")
    #expect(refusal.end() == 0)
    let consent = try TerminalSession(program, ["imports", "forget", "two.txt"])
    try consent.expect("[y/N]")
    consent.type("y\n")
    try consent.expect("forgot the import of two.txt, finished, 2 tasks added; its tasks stay")
    #expect(consent.end() == 0)
    #expect(try program.run("imports", "forget", "one.csv", "--yes").status == 0)
    let list = try program.run("imports", "list")
    #expect(list.output == "")
    #expect(
      list.errors.hasPrefix(
        "info  there are no imports; b2c-run import FILE makes one; an import with --local ends"))
    #expect(try program.run("imports", "list", "--json").output == "[]\n")
    let again = try program.run("--quiet", "--local=data", "import", "two.txt")
    #expect(again.output.contains("\n  added        2\n"), "\(again)")
  }
}
