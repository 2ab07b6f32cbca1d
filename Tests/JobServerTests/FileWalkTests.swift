import FilePatterns
import Files
import Foundation
import HostLoop
import Permissions
import TestSupport
import Testing

@testable import JobServer
@testable import Jobs

@Suite struct FileWalkTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "walk-\(UUID().uuidString)")

  init() throws {
    for path in [
      "in/a.csv", "in/a.csv.failed.csv", "in/b.csv", "in/.hidden.csv", "in/deep/c.csv", "in/deep/d.txt", "secret/s.csv",
    ] {
      let file = folder.appending(path: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("1".utf8).write(to: file)
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder.appending(path: "in/link.csv").path, withDestinationPath: "../secret/s.csv")
    try FileManager.default.createSymbolicLink(
      atPath: folder.appending(path: "in/elsewhere").path, withDestinationPath: "../secret")
  }

  @HostActor
  private func walk(
    _ pattern: String, granting flags: [String], _ limits: FileWalk.Limits = .init()
  ) async throws -> FileWalk.Result {
    let base = Array(folder.path.utf8)
    let rules = Permissions(Grants()).rules(granting: flags, from: base)
    let patterns = [try FilePattern(pattern.hasPrefix("/") ? pattern : "\(folder.path)/\(pattern)")]
    return await FileWalk(patterns: patterns, rules: rules, watcher: -1, limits: limits).resultOnThread()
  }

  private func names(_ result: FileWalk.Result) -> [String] {
    result.matches.map { String(decoding: $0.path, as: UTF8.self).replacing("\(folder.path)/", with: "") }
  }

  /// A job sees no file outside of what it may read: not by a pattern, not by `..`, not by a link to a file or a folder.
  @Test(arguments: [
    ("in/*.csv", ["--allow-read=in"], ["in/a.csv", "in/b.csv"], true),
    ("in/*.csv", ["--allow-read=in", "--allow-read=secret"], ["in/a.csv", "in/b.csv", "in/link.csv"], false),
    ("in/*/*.csv", ["--allow-read=in"], ["in/deep/c.csv"], true), ("*/*.csv", ["--allow-read=in"], [], true),
    ("in/../secret/*", ["--allow-read=in"], [], true), ("in/*.csv", [], [], true),
    ("in/a.csv", ["--allow-read=in/a.csv"], ["in/a.csv"], false), ("in/*.csv", ["--allow-read=in/a.csv"], [], true),
    ("in/.h*", ["--allow-read=in"], ["in/.hidden.csv"], false),
    ("in/[!a]*.csv", ["--allow-read=in"], ["in/b.csv"], true),
    ("in/?.csv", ["--allow-read=in"], ["in/a.csv", "in/b.csv"], false),
    ("in/*.failed.csv", ["--allow-read=in"], ["in/a.csv.failed.csv"], false),
    ("in/deep/*", ["--allow-read=."], ["in/deep/c.csv", "in/deep/d.txt"], false),
  ])
  func theWalkOpensWhatTheJobMayRead(
    _ pattern: String, _ flags: [String], _ expected: [String], _ isDenied: Bool
  ) async throws {
    let result = try await walk(pattern, granting: flags)
    #expect(names(result) == expected)
    #expect(result.problems.contains { $0.contains("needs permission to read") } == isDenied, "\(result.problems)")
    #expect(result.isComplete)
  }

  @Test func theKernelsFilesStayClosed() async throws {
    let result = try await walk("/*/self/*", granting: ["--allow-read=/"])
    #expect(result.matches.isEmpty)
    #expect(
      result.problems.contains { $0.hasPrefix("on.files: needs permission to read /proc/") }, "\(result.problems)")
  }

  /// A bound that is reached is told, and nobody takes the files that were not seen for removed ones.
  @Test func theWalkHasBounds() async throws {
    var limits = FileWalk.Limits()
    limits.names = 3
    let names = try await walk("in/*", granting: ["--allow-read=."], limits)
    #expect(!names.isComplete && names.problems.last?.contains("more than 3 names") == true, "\(names)")
    limits = .init()
    limits.files = 1
    let files = try await walk("in/*.csv", granting: ["--allow-read=."], limits)
    #expect(!files.isComplete && files.matches.count == 1 && files.problems.last?.contains("more than 1 files") == true)
    limits = .init()
    limits.seconds = -1
    let late = try await walk("in/*", granting: ["--allow-read=."], limits)
    #expect(!late.isComplete && late.matches.isEmpty && late.problems.last?.contains("takes longer") == true)
  }

  @Test(arguments: [
    ("*", "a", true), ("*", ".a", false), ("*.csv", "a.csv", true), ("a*b*c", "aXbYbZc", true), ("a*b", "ab", true),
    ("a?c", "aéc", true), ("[a-c]x", "bx", true), ("[!a-c]x", "bx", false), ("[]]", "]", true), ("[a", "[a", true),
    ("\\*", "*", true), ("\\*", "a", false), ("é*", "e\u{301}x", false), ("", "", true), ("[z-a]", "b", false),
    (String(repeating: "*a", count: 40) + "b", String(repeating: "a", count: 200), false),
  ])
  func aPatternMatchesAsInShells(_ pattern: String, _ name: String, _ expected: Bool) {
    #expect(NamePattern(Array(pattern.utf8)).matches(Array(name.utf8)) == expected)
  }
}
