import Documentation
import Foundation
import HostLoop
import Lua
import LuaBindings
import Testing

/// No number that a script gives ends the process: arithmetic on it stays within its bounds, or an error says what was
/// expected.
@HostActor @Suite("Odd numbers")
struct OddNumberTests {
  /// Values that take sums, differences, products and conversions out of their bounds.
  private static let odd = [
    "math.mininteger", "math.maxinteger", "0/0", "1/0", "-1/0", "-1", "0", "1", "2^31", "-2^31", "2^32", "2^53",
    "2^53 + 2",
    "2^62", "2^63", "-2^63", "1e308", "-1e308", "1e-320", "0.5", "1e10",
  ]
  /// They wait for a person, a browser or the end.
  private static let leftOut: Set = ["term.prompt", "term.password", "term.confirm", "term.screen"]

  @Test("every function that takes a number bears every number, also in tables")
  func numbers() async throws {
    let host = try TestHost(tenant: nil).host
    let functions = host.reference.functions.filter { !Self.leftOut.contains($0.name) }
    let calls = functions.flatMap(Self.calls)
    #expect(calls.count > 100)
    // A tenant of its own: what faults are planned, and what its clock says, is nothing to others.
    let file = FileManager.default.temporaryDirectory.appending(path: "odd-numbers-\(UUID().uuidString).lua")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(Self.script(calls).utf8).write(to: file)
    try await TestHost().run(path: file.path)
  }

  /// The calls of `function` in which one number is `odd`, as Lua source text.
  private static func calls(_ function: HostFunction) -> [String] {
    let parameters = function.shownParameters
    var calls: [String] = []
    for (index, parameter) in parameters.enumerated() {
      let others = parameters.map { sample($0.type) }
      func call(_ argument: String) -> String {
        let arguments = Array(others[..<index]) + [argument] + others.dropFirst(index + 1)
        return
          "try(\(quoted(function.name)), function(odd) return { \(receiver(function))\(arguments.joined(separator: ", ")) } end)"
      }
      if takesNumbers(parameter.type) { calls.append(call("odd")) }
      for key in parameter.type.optionKeys ?? [] where takesNumbers(key.type) {
        calls.append(call("{ \(key.name) = odd }"))
        calls.append(call("{ \(key.name) = { odd, odd, min = odd, max = odd } }"))
      }
    }
    return calls
  }

  private static func receiver(_ function: HostFunction) -> String {
    function.isMethod ? "objects[\(quoted(String(function.name.prefix { $0 != ":" })))], " : ""
  }

  private static func takesNumbers(_ type: LuaType) -> Bool {
    switch type {
    case .integer, .number, .any: true
    default:
      type.parts.contains { part in if case .integer = part { true } else if case .number = part { true } else { false }
      }
    }
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

  private static func script(_ calls: [String]) -> String {
    """
    local b2c = require "b2c"
    local objects = {
      account = b2c.tenant.sign_in(), editor = b2c.term.editor "some text", progress = b2c.term.progress { total = 5 },
      semaphore = b2c.async.semaphore(2), settings = b2c.settings,
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
    local tried = 0
    local function try(name, arguments)
      local called, f = pcall(find, name)
      if not called or f == nil then return end
      for _, odd in ipairs { \(odd.joined(separator: ", ")) } do
        tried = tried + 1
        pcall(b2c.async.timeout, 0.02, function() return f(table.unpack(arguments(odd), 1, 8)) end)
      end
    end
    \(calls.joined(separator: "\n"))
    assert(tried > 1000, tried)
    """
  }

  @Test(
    "an error names the argument and the numbers that it takes",
    arguments: [
      (
        "b2c.term.editor('abc'):view(math.mininteger)",
        "editor:view: argument 1: expected an integer from 0 to 10000, got \(Int64.min)"
      ),
      ("b2c.term.fit('a', 0/0)", "term.fit: argument 2: expected an integer, got nan"),
      (
        "b2c.async.semaphore(2^60)",
        "async.semaphore: argument 1: expected an integer from -2^53 to 2^53, got \(1 << 60)"
      ),
      (
        "b2c.tenant.fault { status = 1000 }",
        "tenant.fault: option 'status': expected an integer from 0 to 999, got 1000"
      ),
      ("b2c.async.sleep(0/0)", "async.sleep: argument 1: expected a number, got nan"),
      (
        "b2c.oauth.decode(('x'):rep(1 << 21))",
        "oauth.decode: argument 1: expected a string or secret of at most 1 MiB, got 2097152 bytes"
      ),
    ])
  func message(script: String, expected: String) async throws {
    let message = try await TestHost().error(script).message.replacing("-nan", with: "nan")
    #expect(message == expected)
  }
}
