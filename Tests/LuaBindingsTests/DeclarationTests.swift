import Documentation
import Foundation
import HostLoop
import LocalTenant
import Lua
import ScriptHost
import Testing

/// Help, stubs, completion and the API's reference say what the declarations say; so these have to say all.
@HostActor @Suite("Declarations")
struct DeclarationTests {
  @Test("every module, function, parameter, option, result, field, type and record has its text")
  func texts() throws {
    let reference = try TestHost().host.reference
    var missing: [String] = []
    func check(_ doc: String, _ place: String) {
      if doc.isEmpty || ![".", "…", "?"].contains(doc.last) { missing.append("\(place): \"\(doc)\"") }
    }
    func check(_ type: LuaType, _ place: String) {
      if case .callback(let parameters, let results) = type {
        for parameter in parameters { check(parameter, place) }
        for result in results { check(result.doc, "\(place): a result") }
      }
      for key in type.optionKeys ?? [] { check(key, place) }
      if case .either(let types) = type { for type in types { check(type, place) } }
    }
    func check(_ parameter: Parameter, _ place: String) {
      // The keys of an options table describe its purpose.
      if parameter.name != "options" { check(parameter.doc, "\(place): \(parameter.name)") }
      check(parameter.type, "\(place): \(parameter.name)")
    }
    for module in reference.allModules {
      check(module.doc, module.name)
      for field in module.fields { check(field, module.name) }
    }
    for function in reference.functions {
      check(function.doc, function.name)
      for parameter in function.shownParameters { check(parameter, function.name) }
      for result in function.results {
        check(result.doc, "\(function.name): a result")
        check(result.type, "\(function.name): a result")
      }
    }
    for type in reference.types {
      check(type.doc, type.name)
      for member in type.members { check(member, type.name) }
    }
    for record in reference.records {
      check(record.doc, record.name)
      for field in record.fields { check(field, record.name) }
    }
    #expect(missing == [])
  }

  @Test("the option flow names the flows that ship with the program")
  func flows() throws {
    guard case .parameter(let flow, _)? = try TestHost().host.reference["accounts.sign_in.flow"] else {
      Issue.record("there is no option flow")
      return
    }
    let files = try FileManager.default.contentsOfDirectory(
      atPath: TestHost.project.appending(path: "scripts/flows").path)
    #expect(flow.type.knownWords == files.map { String($0.dropLast(4)) }.sorted())
  }

  @Test(
    "a module is one value, whichever way a script names it first",
    arguments: ["local _ = b2c[name]", "require('b2c.' .. name)", "pairs(b2c)"])
  func identity(first: String) async throws {
    try await TestHost().run(
      """
      local names = {}
      for _, name in ipairs { "args", \(try TestHost().host.modules.map { "\"\($0.name)\"" }.joined(separator: ", ")) } do
        \(first)
        assert(b2c[name] ~= nil and rawequal(b2c[name], require("b2c." .. name)), name)
        names[name] = true
      end
      for name, value in pairs(b2c) do
        assert(rawequal(value, b2c[name]) and (names[name] or name == "job" or name == "debug"), name)
        names[name] = nil
      end
      assert(next(names) == nil and not pcall(require, "b2c.job"))
      """)
  }

  @Test("every name of the API is declared, and nothing is that is not there")
  func names() async throws {
    let host = try TestHost()
    for module in host.host.reference.allModules {
      let declared = Set(
        module.functions.map(\.shortName) + module.fields.map(\.name) + module.modules.map(\.shortName))
      for name in declared.sorted() {
        // A computed value can be absent now, for example a setting that is missing.
        try await host.run("local _ = b2c.\(module.name).\(name)")
      }
      guard module.name != "settings" else { continue }
      let names = declared.map { "[\"\($0)\"] = true" }.joined(separator: ", ")
      try await TestHost().run(
        "local known = { \(names) } for name in pairs(b2c.\(module.name)) do assert(known[name], name) end")
    }
    let functions = host.host.reference.allModules.flatMap(\.functions)
    for function in functions where !function.name.hasPrefix("settings.") {
      try await TestHost().run("assert(type(b2c.\(function.name)) == 'function')")
    }
  }

  @Test("every example runs")
  func examples() async throws {
    let reference = try TestHost().host.reference
    let examples =
      reference.functions.map { ($0.name, $0.example) } + reference.allModules.map { ($0.name, $0.example) }
    #expect(examples.filter { !$0.1.isEmpty }.count > 15)
    for (name, example) in examples where !example.isEmpty {
      do { try await TestHost().run(example) } catch {
        Issue.record("the example of \(name): \(error)")
      }
    }
  }

  @Test("what a name stands for, also written another way")
  func lookup() throws {
    let reference = try TestHost().host.reference
    for name in [
      "tasks", "b2c.tasks", "tasks.add", "b2c.tasks.add", "account", "account:token", "account.token", "account.name",
      "task", "task.text", "tasks.import.map", "tenant.users", "tenant.users.add", "token response", "token_response",
      "flow context", "flow_context.policy",
    ] {
      #expect(reference[name] != nil, "\(name)")
    }
    #expect(reference["tasks.nothing"] == nil)
    #expect(reference.nearest(to: "tasks.ad") == "tasks.add")
    #expect(reference.nearest(to: "b2c.tasks.imprt") == "tasks.import")
  }
}
