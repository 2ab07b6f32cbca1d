import HostLoop
import Lua
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
  @Test("every function that takes a number bears every number, also in tables")
  func numbers() async throws {
    let calls = try GeneratedCalls { function in
      var arguments: [GeneratedCalls.Argument] = []
      for (index, parameter) in function.shownParameters.enumerated() {
        if Self.takesNumbers(parameter.type) { arguments.append(.init(index, "odd")) }
        for key in parameter.type.optionKeys ?? [] where Self.takesNumbers(key.type) {
          arguments.append(.init(index, "{ \(key.name) = odd }"))
          arguments.append(.init(index, "{ \(key.name) = { odd, odd, min = odd, max = odd } }"))
        }
      }
      return arguments
    }
    try await calls.run(with: Self.odd, atLeast: 1000)
  }

  private static func takesNumbers(_ type: LuaType) -> Bool {
    switch type {
    case .integer, .number, .any: true
    default:
      type.parts.contains { part in if case .integer = part { true } else if case .number = part { true } else { false }
      }
    }
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
