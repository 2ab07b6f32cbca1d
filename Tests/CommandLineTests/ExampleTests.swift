import Foundation
import Testing

/// Every example runs against the local tenant, as its reader runs it.
@Suite("Examples")
struct ExampleTests {
  static let examples = Program.project.appending(path: "examples")

  static let scripts = ((try? FileManager.default.contentsOfDirectory(atPath: examples.path)) ?? [])
    .filter { $0.hasSuffix(".lua") }.sorted()

  @Test("runs, and runs again just the same", arguments: scripts)
  func runs(script: String) throws {
    let program = try Program()
    let path = Self.examples.appending(path: script).path
    let first = try program.run("--local", path)
    #expect(first.status == 0, "\(first)")
    #expect(first.errors == "")
    let second = try program.run("--local", path)
    #expect(second.status == 0, "\(second)")
    #expect(timeless(second.output) == timeless(first.output))
  }

  @Test("the quickstart tells the whole story")
  func quickstart() throws {
    let result = try Program().run("--local", Self.examples.appending(path: "quickstart.lua").path)
    let story = result.output.split(separator: "\n").map(String.init)
    #expect(story.filter { $0.contains("failed   attempt 1") }.count == 1, "the failure is heard once")
    #expect(story.filter { $0.contains("failed   attempt") }.count == 1)
    #expect(story.contains { $0.contains("code AADB2C90225; hint: check the user name and the password") })
    #expect(story.contains { $0.hasPrefix("  1000 of 1000 rows added, 0 failed") })
    #expect(story.contains("  1000 tasks on the server, among them:"))
    #expect(story.contains("  he sees 0 tasks"))
    #expect(story.contains("  he adds one and sees 1"))
    #expect(story.last == "  all her 1000 tasks are there")
  }

  /// Without the ports and durations, which differ.
  private func timeless(_ output: String) -> String {
    output.replacing(#/127\.0\.0\.1:\d+/#, with: "HOST").replacing(#/\d+\.\d+ s/#, with: "TIME")
  }
}
