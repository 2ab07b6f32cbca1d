import CommandLineSupport
import Foundation
import Testing

@Suite("What is written is no other file of the run")
struct OverwritingTests {
  @Test(
    "an import's source, failed rows, report and journal are files of their own",
    arguments: [
      (["--failed", "a.csv"], "--failed: a.csv is the file that is imported"),
      (["--report", "./a.csv"], "--report: ./a.csv is the file that is imported"),
      (["--failed", "link.csv"], "--failed: link.csv is the file that is imported"),
      (["--report", "hard.csv"], "--report: hard.csv is the file that is imported"),
      (["--journal", "a.csv"], "--journal: a.csv is the file that is imported"),
      (["--report", "a.csv.failed.ndjson"], "--report: a.csv.failed.ndjson is where the failed rows are written"),
      (["--failed", "b.json", "--report", "b.json"], "--report: b.json is where the failed rows are written"),
      (["--journal", "j", "--report", "./j"], "--report: ./j is the journal"),
    ])
  func imports(options: [String], problem: String) throws {
    let program = try Program()
    try program.write("a.csv", "Text\none\ntwo,too much\n")
    #expect(try program.shell("ln -s a.csv link.csv; ln a.csv hard.csv", "").status == 0)
    let result = try program.run(list: ["--quiet", "--local", "import", "a.csv"] + options)
    #expect(result.status == 2)
    #expect(result.errors == "b2c-run: import: \(problem), which would be lost\n  hint: name another file\n")
    #expect(try program.shell("cat a.csv", "").output == "Text\none\ntwo,too much\n")
  }

  @Test("what is no file may take several things")
  func devices() throws {
    let program = try Program()
    try program.write("a.txt", "one\n")
    let result = try program.run("--local", "import", "a.txt", "--failed", "/dev/null", "--report", "/dev/null")
    #expect(result.status == 0, "\(result)")
  }

  @Test(
    "a trace replaces no file that the command line names, and none where nothing is run",
    arguments: [
      (
        ["--local", "--trace", "kept.json", "import", "kept.json"],
        "kept.json would be replaced, and it is a file of this run"
      ),
      (
        ["--trace", "kept.json", "script.lua", "--in=./kept.json"],
        "kept.json would be replaced, and ./kept.json is a file of this run"
      ),
      (
        ["--trace", "kept.json", "--settings", "kept.json", "script.lua"],
        "kept.json would be replaced, and it is a file of this run"
      ),
    ])
  func traces(arguments: [String], problem: String) throws {
    try expectKept(
      arguments, "b2c-run: --trace: \(problem)\n  hint: name another file for the trace\n")
  }

  @Test("nor where there is nothing to record")
  func nothingToRecord() throws {
    try expectKept(
      ["--trace", "kept.json", "trace", "show", "kept.json"],
      "b2c-run: --trace: 'trace' runs no script that could be recorded\n  hint: leave --trace out\n")
    try expectKept(
      ["--trace", "kept.json", "scrpt.lua"],
      "b2c-run: cannot find the script 'scrpt.lua'\n  hint: did you mean 'script.lua'?\n")
  }

  @Test("the page of a trace is another file than the trace")
  func pages() throws {
    let program = try Program()
    #expect(try program.run("--trace", "a.json", "-e", "print(1)").status == 0)
    let trace = try program.shell("ln a.json a.html; cat a.json", "").output
    for arguments in [["show", "a.json"], ["compare", "a.json", "a.json"]] {
      let result = try program.run(list: ["trace"] + arguments + ["--html", "./a.html"])
      #expect(result.status == 2)
      #expect(
        result.errors == """
          b2c-run: --html: ./a.html is the trace itself, which would be lost
            hint: name another file for the page

          """)
    }
    #expect(try program.shell("cat a.json", "").output == trace)
  }

  private func expectKept(_ arguments: [String], _ errors: String) throws {
    let program = try Program()
    try program.write("kept.json", "[]")
    try program.write("script.lua", "print(1)")
    let result = try program.run(list: arguments)
    #expect(result.status == 2)
    #expect(result.output == "")
    #expect(result.errors == errors)
    #expect(try program.shell("cat kept.json", "").output == "[]")
  }
}
