import CommandLineSupport
import Foundation
import Testing

@Suite("What tests expect")
struct ExpectationTests {
  /// Returns the failure that is reported for a test file with this one test; nil if the test passed.
  private func failure(_ test: String) throws -> String? {
    let program = try Program()
    try program.write("one_test.lua", "it('one', function()\n\(test)\nend)")
    let result = try program.run("test")
    guard result.status == 1 else { return nil }
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.hasPrefix("  one_test.lua:") })
    return lines[(start + 1)...].prefix { !$0.isEmpty }.map { $0.dropFirst(4) }.joined(separator: "\n")
  }

  @Test("every function of tests is on the page about them")
  func documentation() throws {
    let page = Program.project.appending(path: "Sources/b2c-run/Documentation.docc/Testing.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let matchers = try #require(try failure("expect(1).to_nonsense_whatever()")).split(separator: "there are ").last
    for name in matchers?.split(separator: ", ") ?? [] { #expect(text.contains("`.\(name)"), "\(name)") }
  }
}
