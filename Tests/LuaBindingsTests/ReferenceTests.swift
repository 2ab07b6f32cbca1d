import Documentation
import FoundationEssentials
import HostLoop
import Lua
import LuaKit
import ScriptHost
import Testing

/// The pages of the API say what the declarations say. With UPDATE_REFERENCE in the environment they are written anew.
@HostActor @Suite("The reference of the Lua API")
struct ReferenceTests {
  static let folder = TestHost.project.appending(path: "Sources/b2c-run/Documentation.docc")

  @Test("is what the declarations make of it: make docs brings it up to date")
  func pages() throws {
    let pages = try Markdown(TestHost().host.reference).pages
    for page in pages {
      let file = Self.folder.appending(path: "\(page.name).md")
      if ProcessInfo.processInfo.environment["UPDATE_REFERENCE"] != nil { try Data(page.text.utf8).write(to: file) }
      let text = try? String(contentsOf: file, encoding: .utf8)
      #expect(text == page.text, "\(page.name).md is stale: UPDATE_REFERENCE=1 swift test --filter ReferenceTests")
    }
    let names = Set(pages.map { "\($0.name).md" })
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasPrefix("API-") }
    #expect(files.filter { !names.contains($0) } == [], "there is no such module any more")
  }

  @Test("is led to, page by page")
  func links() throws {
    let overview = try String(contentsOf: Self.folder.appending(path: "LuaAPI.md"), encoding: .utf8)
    let topics = try String(contentsOf: Self.folder.appending(path: "b2c-run.md"), encoding: .utf8)
    for page in try Markdown(TestHost().host.reference).pages {
      #expect(overview.contains("(\(page.name).md)"), "LuaAPI.md does not lead to \(page.name)")
      #expect(topics.contains("(\(page.name).md)"), "b2c-run.md does not lead to \(page.name)")
    }
  }

  @Test("has every function, option and field")
  func coverage() throws {
    let reference = try TestHost().host.reference
    let text = Markdown(reference).pages.map(\.text).joined()
    for function in reference.functions {
      #expect(text.contains("\n### \(function.name)\n\n`\(function.signature)`\n"), "\(function.name)")
      for key in function.parameters.flatMap({ $0.type.optionKeys ?? [] }) {
        #expect(text.contains("\n| `\(key.name)` | "), "\(function.name): \(key.name)")
      }
    }
    for field in reference.types.flatMap(\.members) + reference.records.flatMap(\.fields) {
      #expect(text.contains("\n| `\(field.name)` | "), "\(field.name)")
    }
  }
}
