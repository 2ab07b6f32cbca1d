import Documentation
import FoundationEssentials
import HostLoop
import Lua
import LuaBindings
import Testing

/// The tables of LuaAPI.md say what the declarations say. With UPDATE_REFERENCE in the environment they are written anew:
/// the one headed "Function" of each module, and those behind a line "Options of `NAME`:".
@HostActor @Suite("The reference of the Lua API")
struct ReferenceTests {
  static let page = TestHost.project.appending(path: "Sources/b2c-run/Documentation.docc/LuaAPI.md")

  @Test("has a row for every function and option, and for none that is gone")
  func rows() throws {
    let modules = try TestHost().host.modules
    var text = try String(contentsOf: Self.page, encoding: .utf8)
    if ProcessInfo.processInfo.environment["UPDATE_REFERENCE"] != nil {
      text = updated(text, modules)
      try Data(text.utf8).write(to: Self.page)
    }
    var sections: [String: Set<String>] = [:]
    var module = ""
    for line in text.split(separator: "\n") {
      if line.hasPrefix("## ") { module = String(line.dropFirst(3)) }
      if line.hasPrefix("| `") { sections[module, default: []].insert(String(line)) }
    }
    for module in modules {
      let rows = sections["b2c.\(module.name)"] ?? []
      for function in module.functions {
        for row in [row(function)] + options(function) where !rows.contains(row) {
          Issue.record("LuaAPI.md, b2c.\(module.name), \(function.name) lacks the row\n\(row)")
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

  private func updated(_ text: String, _ modules: [HostModule]) -> String {
    var lines: [Substring] = []
    var module: HostModule?
    var optionsOf: HostFunction?
    var isWritten = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("## ") { module = modules.first { "b2c.\($0.name)" == line.dropFirst(3) } }
      if line.hasPrefix("Options of `") {
        optionsOf = module?.functions.first { $0.name == line.dropFirst(12).prefix { $0 != "`" } }
      } else if !line.isEmpty, !line.hasPrefix("|") {
        optionsOf = nil
      }
      if isWritten, line.hasPrefix("| `") { continue }
      isWritten = false
      lines.append(line)
      guard line.hasPrefix("|---"), let module else { continue }
      if let function = optionsOf {
        lines += options(function).map { $0[...] }
        isWritten = true
      } else if lines.dropLast().last == "| Function | What it does |", !module.functions.isEmpty,
        !lines.dropLast(2).suffix(3).contains(where: { $0.hasPrefix("`tenant.users`") })
      {
        lines += module.functions.map { row($0)[...] }
        isWritten = true
      }
    }
    return lines.joined(separator: "\n")
  }

  private func row(_ function: HostFunction) -> String {
    let results = function.results.map { result in
      " Returns \(result.words): \(result.doc)"
    }
    return "| `\(function.signature)` | \(function.doc)\(results.joined()) |"
  }

  private func options(_ function: HostFunction) -> [String] {
    function.parameters.flatMap { $0.type.optionKeys ?? [] }.map { key in
      "| `\(key.name)` | \(key.optionWords) | \(key.doc) |"
    }
  }
}
