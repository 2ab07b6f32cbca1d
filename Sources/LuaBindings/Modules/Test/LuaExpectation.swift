import Core
import HostLoop
import Lua

/// The expectation that `expect` returns: a value, and functions that check it.
@HostActor
final class LuaExpectation: LuaObject {
  let value: LuaValue
  /// True if the value must not match.
  let isNegated: Bool

  init(_ value: LuaValue, isNegated: Bool = false) {
    self.value = value
    self.isNegated = isNegated
  }

  /// The code of the error that a failed expectation raises.
  static let failureCode = "expectation_failed"

  static let luaType = HostType(
    "expectation", "A value with functions that check it. Each function raises an error if the value does not match.",
    properties: [
      property("never", .object("expectation"), "The same value, which must not match.") {
        .object(LuaExpectation($0.value, isNegated: !$0.isNegated))
      }
    ], methods: matchers, field: { _, name, _ in throw unknown(name) },
    describe: { ($0 as? LuaExpectation).map { "of " + ValueText().line(of: $0.value) } ?? "" })

  static func of(_ arguments: Arguments) throws -> LuaExpectation {
    guard let expectation = arguments.receiver as? LuaExpectation else {
      throw arguments.failure("there is no value", hint: "write expect(value).\(arguments.function.shortName)(…)")
    }
    return expectation
  }

  private static func unknown(_ name: String) -> LuaError {
    let known = matchers.map(\.shortName) + ["never"]
    return LuaError(
      code: "unknown_matcher", message: "there is no expect(…).\(name)",
      hint: nearestName(to: name, in: known).map { "did you mean '\($0)'?" }
        ?? "there are \(known.joined(separator: ", "))")
  }

  /// Raises an error if the verdict is not as expected.
  func settle(_ verdict: Verdict) throws {
    guard verdict.holds == isNegated else { return }
    let not = isNegated ? "anything but " : ""
    var details = verdict.details
    details["expected"] = not + (details["expected"] ?? verdict.expected)
    details["got"] = details["got"] ?? verdict.got
    throw LuaError(
      code: Self.failureCode, message: "expected \(not)\(verdict.expected), got \(verdict.got)", details: details)
  }
}

/// The result of a check, with texts for the error.
struct Verdict {
  let holds: Bool
  /// The expected value, on a line: `a text that matches "^a"`.
  let expected: String
  let got: String
  /// Both values at length, and their differences.
  var details: [String: String] = [:]

  @HostActor init(_ holds: Bool, expected: String, got: LuaValue) {
    self.init(holds, expected: expected, got: ValueText(width: 100).line(of: got))
  }

  init(_ holds: Bool, expected: String, got: String) {
    self.holds = holds
    self.expected = expected
    self.got = got
  }

  /// The verdict of a comparison of tables.
  @HostActor init(_ comparison: ValueComparison, expected: LuaValue, got: LuaValue, phrase: String = "") {
    self.init(comparison.isEqual, expected: phrase + ValueText(width: 100).line(of: expected), got: got)
    details = ["expected": phrase + ValueText().text(of: expected), "got": ValueText().text(of: got)]
    guard comparison.differences.contains(where: \.saysMore) else { return }
    var lines = comparison.differences.map(\.text)
    let rest = comparison.count - lines.count
    if rest > 0 { lines.append("… and \(rest) more") }
    details["differences"] = lines.joined(separator: "\n")
  }
}
