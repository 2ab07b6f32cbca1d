import CommandLineSupport
import Foundation
import Testing

/// The page with the threat model names tests that exist.
@Suite("The threat model")
struct ThreatModelTests {
  private struct Promise: CustomStringConvertible {
    let text: String
    let names: [String]
    var description: String { text }
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: Program.project.appending(path: path), encoding: .utf8)
  }

  private static func promises() throws -> [Promise] {
    try text("Sources/b2c-run/Documentation.docc/ThreatModel.md").split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard line.hasPrefix("| "), cells.count == 2, cells[0] != "Promise" else { return nil }
      return Promise(text: cells[0], names: cells[1].matches(of: #/`([^`]+)`/#).map { String($0.output.1) })
    }
  }

  /// The functions that are not private as `SUITE.FUNCTION`, where the file of a suite has its name, and the transcripts.
  private static func tests() throws -> Set<String> {
    let folder = Program.project.appending(path: "Tests")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
    var names = Set(files.compactMap { ($0 as? URL)?.lastPathComponent }.filter { $0.hasSuffix(".transcript") })
    for case let file as URL in files where file.lastPathComponent.hasSuffix("Tests.swift") {
      let suite = file.deletingPathExtension().lastPathComponent
      let found = try String(contentsOf: file, encoding: .utf8).matches(of: #/(?m)^ *(?:@.*)?\bfunc (\w+)\(/#)
      names.formUnion(found.map { "\(suite).\($0.output.1)" })
    }
    return names
  }

  @Test("each promise has a test or a target of make, and all of them exist")
  func tests() throws {
    let tests = try Self.tests()
    let targets = Set(
      try Self.text("Makefile").matches(of: #/(?m)^([a-z-]+):/#).map { "make \($0.output.1)" })
    let promises = try Self.promises()
    #expect(promises.count > 20)
    for promise in promises {
      #expect(!promise.names.isEmpty, "\(promise)")
      for name in promise.names { #expect(tests.contains(name) || targets.contains(name), "\(promise): no \(name)") }
    }
  }
}
