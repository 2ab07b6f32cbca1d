import FoundationEssentials
import HostLoop
import Lua
import LuaBindings
import Testing

/// Each module is tested in Lua, by a script in Scripts/ that asserts.
@HostActor @Suite("Modules, tested in Lua")
struct ScriptTests {
  nonisolated static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Scripts").path

  nonisolated static let scripts = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    .filter { $0.hasSuffix("_test.lua") }.sorted()

  @Test(arguments: scripts)
  func script(name: String) async throws {
    try await TestHost().run(path: "\(Self.folder)/\(name)")
  }

  @Test("every module has a test in Lua")
  func coverage() async throws {
    let tested = Set(Self.scripts.map { $0.replacing("_test.lua", with: "") })
    #expect(try TestHost().host.modules.map(\.name).filter { !tested.contains($0) } == [])
  }

  @Test("every declaration says what it does")
  func documentation() async throws {
    for module in try TestHost().host.modules {
      #expect(!module.doc.isEmpty, "\(module.name)")
      for function in module.functions {
        #expect(!function.doc.isEmpty, "\(function.name)")
        for key in function.parameters.flatMap({ $0.type.optionKeys ?? [] }) where key.doc.isEmpty {
          Issue.record("\(function.name): option \(key.name) has no text")
        }
      }
    }
  }
}
