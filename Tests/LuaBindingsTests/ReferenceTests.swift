import FoundationEssentials
import HostLoop
import Lua
import LuaBindings
import Testing

/// The tables of LuaAPI.md say what the declarations say.
@HostActor @Suite("The reference of the Lua API")
struct ReferenceTests {
  @Test("has a row for every function and option, and for none that is gone")
  func rows() throws {
    let page = TestHost.project.appending(path: "Sources/b2c-run/Documentation.docc/LuaAPI.md")
    var sections: [String: Set<String>] = [:]
    var module = ""
    for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("## ") { module = String(line.dropFirst(3)) }
      if line.hasPrefix("| `") { sections[module, default: []].insert(String(line)) }
    }
    for module in try TestHost().host.modules {
      let rows = sections["b2c.\(module.name)"] ?? []
      for function in module.functions {
        for row in [row(function)] + options(function) where !rows.contains(row) {
          Issue.record("LuaAPI.md, b2c.\(module.name) lacks the row\n\(row)")
        }
      }
      let names = Set(module.functions.map(\.signature))
      for row in rows where row.hasPrefix("| `\(module.name).") {
        let name = String(row.dropFirst(3).prefix { $0 != "`" })
        if name.hasPrefix("\(module.name).users.") { continue }
        #expect(
          names.contains(name) || module.name == "settings", "LuaAPI.md has a row for \(name), which is not there")
      }
    }
  }

  private func row(_ function: HostFunction) -> String {
    let results = function.results.map { result in
      " Returns \(result.type.phrase)\(result.doc.isEmpty ? "." : ": \(result.doc)")"
    }
    return "| `\(function.signature)` | \(function.doc)\(results.joined()) |"
  }

  private func options(_ function: HostFunction) -> [String] {
    function.parameters.flatMap { $0.type.optionKeys ?? [] }.map { key in
      "| `\(key.name)` | \(key.type.phrase) | \(key.doc) |"
    }
  }
}
