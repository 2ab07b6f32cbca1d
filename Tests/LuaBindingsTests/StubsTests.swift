import Documentation
import HostLoop
import Lua
import ScriptHost
import Testing

/// The definitions for editors, read by Lua itself and compared with the declarations.
@HostActor @Suite("Stubs")
struct StubsTests {
  @Test("each module's file has its functions, and no others")
  func functions() async throws {
    let host = try TestHost()
    let reference = host.host.reference
    let files = Stubs(reference).files
    #expect(files.count >= reference.modules.count + 3)
    for module in reference.modules {
      let file = try #require(files.first { $0.path == "b2c/\(module.name).lua" })
      let table = try #require(try await load(file, host).table)
      #expect(names(table) == Set(module.functions.map(\.shortName)), "\(module.name)")
      for inner in module.modules { #expect(file.text.contains("\n---@class b2c.\(inner.name)\n")) }
    }
  }

  @Test("each type's methods, each record's fields and each option are there once")
  func fields() async throws {
    let host = try TestHost()
    let reference = host.host.reference
    let files = Stubs(reference).files
    for file in files { _ = try await load(file, host) }
    let lines = files.flatMap { $0.text.split(separator: "\n") }
    let modules = Set(reference.modules.map(\.name))
    for type in reference.types where !modules.contains(type.identifier) {
      #expect(lines.filter { $0 == "---@class b2c.\(type.identifier)" }.count == 1, "\(type.identifier)")
      for method in type.methods where method.isMethod {
        #expect(lines.contains { $0.hasPrefix("function \(method.name)(") }, "\(method.name)")
      }
    }
    for record in reference.records {
      #expect(lines.filter { $0 == "---@class b2c.\(record.identifier)" }.count == 1, "\(record.identifier)")
    }
    let fields = lines.filter { $0.hasPrefix("---@field ") }
    for function in reference.functions {
      for key in function.parameters.flatMap({ $0.type.optionKeys ?? [] }) {
        let start = "---@field \(key.name)\(key.isOptional ? "?" : "") "
        #expect(fields.contains { $0.hasPrefix(start) }, "\(function.name): \(key.name)")
      }
    }
    let parameters = reference.functions.map { $0.shownParameters.count }.reduce(0, +)
    #expect(lines.filter { $0.hasPrefix("---@param ") && !$0.hasPrefix("---@param ...") }.count == parameters)
  }

  @Test("every class that is named is defined")
  func classes() throws {
    let text = try Stubs(TestHost().host.reference).files.map(\.text).joined()
    let code = text.split(separator: "\n").filter { $0.hasPrefix("---@") }.map { $0.split(separator: " # ")[0] }
    let defined = Set(code.filter { $0.hasPrefix("---@class ") }.map { String($0.dropFirst(10)) })
    for line in code where !line.hasPrefix("---@class ") && !line.hasPrefix("---@meta ") {
      for name in line.matches(of: #/b2c(\.[a-z_]+)+/#) { #expect(defined.contains(String(name.0)), "\(line)") }
    }
  }

  @Test("one file has all of it")
  func single() async throws {
    let host = try TestHost()
    let stubs = Stubs(host.host.reference)
    let result = try await host.host.state.load(Array(stubs.text.utf8), name: "b2c.lua").call()
    #expect(result.first?.table != nil)
    for file in stubs.files where file.path != "b2c/tests.lua" {
      for line in file.text.split(separator: "\n") where line.hasPrefix("function ") || line.hasPrefix("---@class ") {
        #expect(stubs.text.contains("\n\(line)\n"), "\(line)")
      }
    }
  }

  private func load(_ file: Stubs.File, _ host: TestHost) async throws -> LuaValue {
    try await host.host.state.load(Array(file.text.utf8), name: file.path).call().first ?? .nil
  }

  private func names(_ table: LuaTable) -> Set<String> { Set(((try? table.pairs) ?? []).compactMap(\.key.string)) }
}
