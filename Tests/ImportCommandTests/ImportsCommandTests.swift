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

  /// The output with IDs and times made plain.
  private func plain(_ output: String) -> String {
    output.replacing(#/\b[0-9a-f]{8}\b/#, with: "IDENTITY").replacing(#/\bnow    |\d s ago\b/#, with: "A MOMENT")
  }

  @Test("list and show need neither settings nor an account")
  func list() throws {
    let program = try program()
    let list = try program.run("imports", "list")
    #expect(list.status == 0, "\(list)")
    let lines = plain(list.output).split(separator: "\n").map(String.init)
    #expect(lines.first?.hasPrefix("id        source   when") == true, "\(list)")
    #expect(
      lines.contains { $0.hasPrefix("IDENTITY  one.csv") && $0.hasSuffix("  finished     2      1       1          0") }
    )
    #expect(
      lines.contains { $0.hasPrefix("IDENTITY  two.txt") && $0.hasSuffix("  finished     2      2       0          0") }
    )

    let json = try program.run("imports", "list", "--json")
    let all = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
    #expect(all?.count == 2)
    let one = try #require(all?.first { $0["source_name"] as? String == "one.csv" })
    let id = try #require(one["id"] as? String)
    #expect(one["failed"] as? Int == 1)
    #expect(one["state"] as? String == "finished")

    let show = try program.run("imports", "show", id)
    #expect(show.status == 0, "\(show)")
    let folder = program.folder.resolvingSymlinksInPath().path
    let shown = show.output.replacing(#/ {2,}/#, with: "  ")
    #expect(shown.contains("source  \(folder)/one.csv\n"), "\(show)")
    #expect(shown.contains("account  Alice Liddell\n"))
    #expect(shown.contains("API  local tenant \(folder)/data\n"))
    #expect(shown.contains("  failed  1\n"))
    let failed = try program.run("imports", "show", id, "--failed")
    #expect(
      failed.output == """
        {"Note":"2","Text":"","_import":{"code":"empty_text","line":3,"reason":"the text is empty","row":2}}

        """)
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
    #expect(list.errors == "info  there are no imports; b2c-run import FILE makes one\n")
    #expect(try program.run("imports", "list", "--json").output == "[]\n")
    let again = try program.run("--quiet", "--local=data", "import", "two.txt")
    #expect(again.output.contains("\n  added        2\n"), "\(again)")
  }
}
