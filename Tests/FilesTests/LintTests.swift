import Foundation
import TestSupport
import Testing

/// The check that only a few places open files, which `make lint` runs.
@Suite struct LintTests {
  private let folder = TemporaryFolder()
  private static let project = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardized

  private func lint(_ folders: [String]) throws -> (status: Int32, output: String) {
    try ToolRun([Self.project.appending(path: ".ci/lint-files").path] + folders).result
  }

  @Test func theSourcesHoldToIt() throws {
    let (status, output) = try lint([])
    #expect(status == 0, "\(output)")
  }

  @Test(arguments: [
    ("a.swift", "let bytes = try Data(contentsOf: address)", "Data(contentsOf"),
    ("a.swift", "let text = try String(contentsOf: address, encoding: .utf8)", "String(contentsOf"),
    ("a.swift", "load(URL(filePath: path))", "URL(filePath"),
    ("a.swift", "if FileManager.default.fileExists(atPath: path) {}", "FileManager"),
    ("a.swift", "let file = open(path, O_RDONLY)", "open("),
    ("a.swift", "let file = Glibc.open(path, 0)", "Glibc.open("),
    ("a.swift", "let url = \"http://a.example\"; _ = opendir(url)", "opendir("),
    ("a.swift", "sqlite3_open_v2(path, &handle, 0, nil)", "sqlite3_open"),
    ("a.swift", "realpath(path, nil)", "realpath("),
    ("a.c", "  FILE *file = fopen (path, \"r\");", "fopen"),
    ("a.c", "  int file = openat(AT_FDCWD, path, 0);", "openat("),
    ("a.c", "  freopen(path, \"r\", stdin);", "freopen("), ("a.c", "  syscall(SYS_openat2, path);", "SYS_open"),
    ("a.cpp", "std::ifstream file(path); open(path, 0);", "open("),
    ("a.h", "return luaL_loadfile(L, path);", "luaL_loadfile"),
  ])
  func findsAPlantedViolation(name: String, line: String, found: String) throws {
    folder.write("\n\(line)\n", to: name)
    let (status, output) = try lint([folder.path("")])
    #expect(status == 1)
    #expect(output.contains("\(name):2: \(found)") && output.contains(": use "), "\(output)")
  }

  @Test(arguments: [
    "// open(path)", "/// URL(filePath: path) and FileManager", "/* fopen(path) */", "func open(_ path: String) {}",
    "case open(until: Double)", "try file.open(.reading)", "try self.open(path)", "reopen(path)", "/*\n open(path)\n*/",
  ])
  func letsOthersBe(line: String) throws {
    folder.write("\(line)\n", to: "a.swift")
    let (status, output) = try lint([folder.path("")])
    #expect(status == 0, "\(output)")
  }
}
