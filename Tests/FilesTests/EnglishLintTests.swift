import Foundation
import TestSupport
import Testing

/// The check of sentences in comments, pages and messages, which `make lint` runs.
@Suite struct EnglishLintTests {
  private let folder = TemporaryFolder()
  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../.ci/lint-english").standardized

  /// Checks a project with this one file.
  private func lint(_ name: String, _ text: String, exceptions: String = "") throws -> (status: Int32, output: String) {
    for folder in [".ci", "Sources/A", "Sources/A/A.docc"] {
      try FileManager.default.createDirectory(
        atPath: self.folder.path(folder), withIntermediateDirectories: true)
    }
    let copy = folder.path(".ci/lint-english")
    if !FileManager.default.fileExists(atPath: copy) {
      try FileManager.default.copyItem(atPath: Self.script.path, toPath: copy)
      _ = try ToolRun(["git", "init", "--quiet", folder.path("")])
    }
    folder.write(exceptions, to: ".ci/english-exceptions")
    folder.write(text, to: name)
    return try ToolRun([copy, "--strict"]).result
  }

  @Test(arguments: [
    ("Sources/A/A.docc/One.md", "A lost field is told.\n", "page One.md has 1"),
    ("Sources/A/A.docc/One.md", "The import goes on.\n", "\"goes on\""),
    ("Sources/A/A.docc/One.md", "A service that is busy is waited for.\n", "\"is waited for\""),
    ("Sources/A/A.docc/One.md", "Tests are no jobs.\n", "\"are no jobs\""),
    ("Sources/A/A.docc/One.md", "Each run is a process of its own.\n", "\"of its own\""),
    ("Sources/A/A.docc/One.md", "In this way, what is missing comes later.\n", "\"what is\""),
    ("Sources/A/A.docc/One.md", "What it prints is the log.\n", "opens with \"What\""),
    ("Sources/A/A.swift", "// A row that is no task fails.\nlet a = 1\n", "comment Sources/A has 1"),
    ("Sources/A/A.swift", "let a = \"the text '\\(b)' is no date\"\n", "text Sources/A has 1"),
    ("Sources/A/A.swift", "let a = \"\"\"\n  The import goes on where it was.\n  \"\"\"\n", "text Sources/A has 1"),
  ])
  func findsAPhrase(name: String, text: String, found: String) throws {
    let (status, output) = try lint(name, text)
    #expect(status == 1 && output.contains(found), "\(output)")
  }

  @Test(arguments: [
    "There is no policy of this name.\n", "The journal is no longer valid.\n", "Is there a task? What is its text?\n",
    "    the output of a command goes on here\n",
  ])
  func leavesPlainSentences(text: String) throws {
    #expect(try lint("Sources/A/A.docc/One.md", text) == (0, ""))
  }

  @Test func anExceptionAllowsItsNumberAndNoMore() throws {
    let text = "// It goes on.\nlet a = 1\n\n// They go on.\nlet b = 2\n"
    #expect(try lint("Sources/A/A.swift", text, exceptions: "comment Sources/A 2\n") == (0, ""))
    #expect(try lint("Sources/A/A.swift", text, exceptions: "comment Sources/A 1\n").status == 1)
    let (status, output) = try lint("Sources/A/A.swift", text, exceptions: "comment Sources/A 3\n")
    #expect(status == 1 && output.contains("has 2, and its exception says 3: run .ci/lint-english --update"))
    #expect(try ToolRun([folder.path(".ci/lint-english"), "--update"]).status == 0)
    let kept = try String(contentsOfFile: folder.path(".ci/english-exceptions"), encoding: .utf8)
    #expect(kept.contains("comment Sources/A 2\n"))
  }
}
