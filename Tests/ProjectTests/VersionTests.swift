import CommandLineSupport
import Foundation
import Testing

/// The newest heading of CHANGELOG.md has the version; the program, the manual pages and the packages have the same.
@Suite("The version")
struct VersionTests {
  @Test("the program and its manual pages have the version and the date of the changelog")
  func agrees() throws {
    let program = try Program()
    let version = try Self.told(by: program)
    let date = try Self.told("date", by: program)
    #expect(version.wholeMatch(of: #/\d+\.\d+\.\d+/#) != nil, "\(version)")
    #expect(try program.run("--version").output.hasPrefix("b2c-run \(version) (Lua "))
    for page in [[], ["import"], ["jobs.5"], ["settings"]] {
      let first = try program.run(list: ["man"] + page).output.prefix { $0 != "\n" }
      #expect(first.contains(" \(date) \"b2c-run \(version)\""), "\(page): \(first)")
    }
    let changes = try String(contentsOf: Program.project.appending(path: "CHANGELOG.md"), encoding: .utf8)
    #expect(changes.contains("\n## [\(version)] - "))
  }

  @Test(
    "is that of the newest heading with a version",
    arguments: [
      ("## [Unreleased]\n\n## [1.2.0] - 2026-12-01\n\n## [1.1.0] - 2026-11-01\n", "1.2.0", "2026-12-01", "1796083200"),
      ("## [1.2.0] - Unreleased\n\n## [1.1.0] - 2026-11-01\n", "1.2.0", "2026-11-09", "1794182400"),
    ])
  func headings(changes: String, version: String, date: String, epoch: String) throws {
    let program = try Program()
    try Self.prepare(program, changes)
    #expect(try Self.told(by: program, in: program.folder) == version)
    #expect(try Self.told("date", by: program, in: program.folder) == date)
    #expect(try Self.told("epoch", by: program, in: program.folder) == epoch)
    _ = try Self.told("write", by: program, in: program.folder)
    let source = try String(
      contentsOf: program.folder.appending(path: "Sources/b2c-run/Version.swift"), encoding: .utf8)
    #expect(source.contains("let text = \"\(version)\"\n") && source.contains("let date = \"\(date)\"\n"), "\(source)")
  }

  @Test("a changelog without a version is an error that shows the heading to write")
  func missing() throws {
    let program = try Program()
    try Self.prepare(program, "## [Unreleased]\n")
    let result = try program.run(
      list: [], executable: program.folder.appending(path: "packaging/version"), environment: [:])
    #expect(result.status == 1)
    #expect(result.errors.contains("CHANGELOG.md has no heading such as \"## [1.2.3] - 2026-12-01\""), "\(result)")
  }

  private static func prepare(_ program: Program, _ changes: String) throws {
    try program.write("CHANGELOG.md", "# Changelog\n\n" + changes)
    try program.write("Sources/b2c-run/Version.swift", "enum Version {\n  static let date = \"2026-11-09\"\n}\n")
    let script = program.folder.appending(path: "packaging/version")
    try FileManager.default.createDirectory(
      at: script.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: Program.project.appending(path: "packaging/version"), to: script)
  }

  private static func told(
    _ arguments: String..., by program: Program, in project: URL = Program.project
  ) throws -> String {
    let result = try program.run(list: arguments, executable: project.appending(path: "packaging/version"))
    #expect(result.status == 0, "\(result)")
    return result.output.trimmingCharacters(in: .newlines)
  }
}
