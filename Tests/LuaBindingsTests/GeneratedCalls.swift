import Documentation
import Foundation
import HostLoop
import Lua
import ScriptHost

/// Calls of all functions of the API in which one argument is an odd value. They are made of the declarations, so that a new
/// function is called, too.
@HostActor
struct GeneratedCalls {
  /// An argument that takes the place of the usual one, as Lua source text in which `odd` is the odd value.
  struct Argument {
    let index: Int
    let text: String

    init(_ index: Int, _ text: String) {
      self.index = index
      self.text = text
    }
  }

  /// They wait for a person, a browser or the end.
  private static let leftOut: Set = ["term.prompt", "term.password", "term.confirm", "term.screen"]

  private let calls: [String]

  /// - Parameter arguments: the odd arguments of a function.
  init(_ arguments: (HostFunction) -> [Argument]) throws {
    let functions = try TestHost(tenant: nil).host.reference.functions.filter { !Self.leftOut.contains($0.name) }
    calls = functions.flatMap { function in arguments(function).map { Self.call(function, $0) } }
  }

  /// Makes each call with each of the values, which are Lua source text that is evaluated for each call.
  /// - Parameters:
  ///   - mostRead: the limit of `LuaState.mostRead`.
  ///   - check: the body of a Lua function that gets `name`, `ok` and `problem`, and raises an error.
  ///   - preparation: Lua statements in front of it all. `ending`: statements behind it.
  func run(
    with values: [String], atLeast count: Int, mostRead: Int? = nil, check: String = "", preparation: String = "",
    ending: String = ""
  ) async throws {
    // A tenant of its own: what faults are planned, and what its clock says, is nothing to others.
    let file = FileManager.default.temporaryDirectory.appending(path: "odd-values-\(UUID().uuidString).lua")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data((preparation + script(values, count, check)).utf8).write(to: file)
    let host = try TestHost()
    if let mostRead { host.host.state.mostRead = mostRead }
    try await host.run(path: file.path)
  }

  private static func call(_ function: HostFunction, _ argument: Argument) -> String {
    var arguments = function.shownParameters.map { sample($0.type) }
    arguments[argument.index] = argument.text
    return
      "try(\(quoted(function.name)), function(odd) return { \(receiver(function))\(arguments.joined(separator: ", ")) } end)"
  }

  private static func receiver(_ function: HostFunction) -> String {
    function.isMethod ? "objects[\(quoted(String(function.name.prefix { $0 != ":" })))], " : ""
  }

  private static func sample(_ type: LuaType) -> String {
    switch type {
    case .integer, .number: "1"
    case .string, .any, .openChoice: "\"x\""
    case .choice(let words): quoted(words.first ?? "")
    case .boolean: "true"
    case .function, .callback: "function() end"
    case .object(let name): "objects[\(quoted(name))]"
    case .either(let types): sample(types.first ?? .any)
    default: "{}"
    }
  }

  private static func quoted(_ text: String) -> String { "\"\(text)\"" }

  private func script(_ values: [String], _ count: Int, _ check: String) -> String {
    """

    local b2c = require "b2c"
    local objects = {
      account = b2c.tenant.sign_in(), editor = b2c.term.editor "some text", progress = b2c.term.progress { total = 5 },
      semaphore = b2c.async.semaphore(2), settings = b2c.settings, key = b2c.jose.key.generate(),
    }
    local function find(name)
      local object, method = name:match "^(.-):(.+)$"
      if object then return objects[object] and objects[object][method] end
      local value = b2c
      for part in name:gmatch "[^.]+" do
        value = value and value[part]
      end
      return value
    end
    local function check(name, ok, problem)
      \(check)
    end
    local tried = 0
    local values = { \(values.map { "function() return \($0) end" }.joined(separator: ", ")) }
    local function try(name, arguments)
      local called, f = pcall(find, name)
      if not called or f == nil then return end
      for _, value in ipairs(values) do
        tried = tried + 1
        local given = arguments(value())
        check(name, pcall(b2c.async.timeout, 0.02, function() return f(table.unpack(given, 1, 8)) end))
      end
    end
    \(calls.joined(separator: "\n"))
    assert(tried > \(count), tried)

    """
  }
}
