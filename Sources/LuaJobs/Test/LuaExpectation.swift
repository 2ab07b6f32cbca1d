import Core
import HostLoop
package import Lua
import LuaKit

/// The expectation that `expect` returns: a value, and functions that check it.
package final class LuaExpectation: LuaObject {
  let value: LuaValue
  let isNegated: Bool

  init(_ value: LuaValue, isNegated: Bool = false) {
    self.value = value
    self.isNegated = isNegated
  }

  static let failureCode = "expectation_failed"

  package static let luaType = HostType(
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

  func settle(_ verdict: Verdict) throws {
    guard verdict.holds == isNegated else { return }
    let not = isNegated ? "anything but " : ""
    var details = verdict.details
    details["expected"] = not + (details["expected"] ?? verdict.expected)
    details["got"] = details["got"] ?? verdict.got
    throw LuaError(
      code: Self.failureCode, message: "expected \(not)\(verdict.expected), got \(verdict.got)", details: details)
  }

  static let matchers: [HostFunction] = [
    matcher(
      "to_equal", "An equal value, or a table with equal contents at any depth.", .any("expected", "The other value.")
    ) { value, arguments in
      Verdict(try ValueComparison(expected: arguments[0], got: value), expected: arguments[0], got: value)
    },
    matcher("to_be", "The identical value; for tables, the same table.", .any("expected", "The other value.")) {
      value, arguments in
      let isSame = ValueComparison.isSame(arguments[0], value)
      let isTable = arguments[0].table != nil
      return Verdict(
        isSame, expected: (isTable ? "the very table " : "") + ValueText(width: 100).line(of: arguments[0]), got: value)
    },
    matcher("to_be_nil", "Nil.") { value, _ in Verdict(value.isNil, expected: "nil", got: value) },
    matcher("to_be_truthy", "Anything but nil and false.") { value, _ in
      Verdict(value.isTrue, expected: "a true value", got: value)
    },
    matcher("to_be_falsy", "Nil or false.") { value, _ in Verdict(!value.isTrue, expected: "nil or false", got: value)
    },
    matcher(
      "to_be_a",
      "A value of this type: \"string\", \"table\", …, or the name of a type of the API, such as \"account\".",
      Parameter("type", .string, "The type by Lua's `type`, or its name in messages.")
    ) { value, arguments in
      let name = arguments.string(0)
      let holds = value.typeName == name || name == "userdata" && { if case .object = value { true } else { false } }()
      return Verdict(holds, expected: "a value of type \(name)", got: value)
    },
    matcher(
      "to_be_near", "A number that differs by at most the tolerance.",
      Parameter("expected", .number, in: Parameter.anyNumber, "The other number."),
      .optional("tolerance", .number, in: Parameter.anyTime, "0.001 if not given.")
    ) { value, arguments in
      let tolerance = arguments[1].number ?? 0.001
      let holds = value.number.map { abs($0 - arguments.number(0)) <= tolerance } ?? false
      return Verdict(
        holds, expected: "a number within \(LuaNumber.text(tolerance)) of \(LuaNumber.text(arguments.number(0)))",
        got: value)
    },
    matcher(
      "to_have_length", "A text or list of this length.",
      Parameter("length", .integer, "Bytes of a text, elements of a list.")
    ) { value, arguments in
      let length: Int? =
        switch value {
        case .bytes(let bytes): bytes.count
        case .table(let table): table.count
        default: nil
        }
      let got = ValueText(width: 80).line(of: value)
      return Verdict(
        length.map { Int64($0) } == arguments[0].integer, expected: "a length of \(arguments[0].integer ?? 0)",
        got: length.map { "\($0): \(got)" } ?? got)
    },
    matcher(
      "to_have", "A table or object with these fields, at any depth. Other fields do not matter.",
      Parameter("fields", .table, "The fields, by name.")
    ) { value, arguments in
      Verdict(
        try ValueComparison(expected: arguments[0], got: value, isPartial: true), expected: arguments[0], got: value,
        phrase: "something with ")
    },
    matcher(
      "to_contain",
      "A text that contains this text, or a list with this element. For a table, only the given fields have to be equal.",
      .any("element", "A text, or an element.")
    ) { value, arguments in
      let wanted = arguments[0]
      let text = ValueText(width: 100).line(of: wanted)
      if case .bytes(let bytes) = value, case .bytes(let part) = wanted {
        return Verdict(contains(bytes, part), expected: "a text with \(text) in it", got: value)
      }
      let holds = try value.table?.sequence.contains {
        try ValueComparison(expected: wanted, got: $0, isPartial: true).isEqual
      }
      var verdict = Verdict(holds ?? false, expected: "a list with \(text) in it", got: value)
      if holds == false { verdict.details["got"] = ValueText().text(of: value) }
      return verdict
    },
    toMatch, toRaise,
  ]

  private static func matcher(
    _ name: String, _ doc: String, _ parameters: Parameter...,
    check: @escaping @HostActor @Sendable (LuaValue, Arguments) throws -> Verdict
  ) -> HostFunction {
    HostFunction("expectation.\(name)", doc, parameters) { arguments in
      let expectation = try of(arguments)
      try expectation.settle(try check(expectation.value, arguments))
      return []
    }
  }

  private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    part.isEmpty || bytes.indices.contains { bytes[$0...].starts(with: part) }
  }

  static var toMatch: HostFunction {
    .suspending(
      "expectation.to_match", "A text that matches this Lua pattern.",
      [Parameter("pattern", .string, "The pattern, as for string.find.")]
    ) { arguments in
      let expectation = try of(arguments)
      let pattern = ValueText().line(of: arguments[0])
      let holds = try await found(arguments[0], in: expectation.value, arguments.state)
      try expectation.settle(Verdict(holds, expected: "a text that matches \(pattern)", got: expectation.value))
      return []
    }
  }

  static var toRaise: HostFunction {
    .suspending(
      "expectation.to_raise", "A function that raises an error when it is called.",
      [
        .optional(
          "error", .either([.string, .table]),
          "The error's code, or a Lua pattern for its message; or a table of its fields. Any error if not given.")
      ]
    ) { arguments in
      let expectation = try of(arguments)
      guard let function = expectation.value.function else {
        throw arguments.failure(
          "expected a function, got \(expectation.value.typeName)",
          hint: "put the call into one: expect(function() … end).to_raise(…)")
      }
      var raised: LuaError?
      do { _ = try await function.call() } catch let error as LuaError { raised = error }
      try expectation.settle(try await verdict(on: raised, arguments))
      return []
    }
  }

  private static func verdict(on raised: LuaError?, _ arguments: Arguments) async throws -> Verdict {
    let wanted = arguments[0]
    let expected = wanted.isNil ? "an error" : "the error \(ValueText(width: 100).line(of: wanted))"
    guard let raised else { return Verdict(false, expected: expected, got: "none") }
    let got = raised.code == "script_error" ? raised.description : "\(raised.code): \(raised.description)"
    let value = arguments.state.errorObject(raised)
    switch wanted {
    case .table:
      let comparison = try ValueComparison(expected: wanted, got: value, isPartial: true)
      return Verdict(comparison.isEqual, expected: expected, got: got)
    case .bytes:
      let isCode = raised.code == wanted.string
      let holds = try await isCode ? true : found(wanted, in: .string(raised.message), arguments.state)
      return Verdict(holds, expected: expected, got: got)
    default: return Verdict(true, expected: expected, got: got)
    }
  }

  private static func found(_ pattern: LuaValue, in text: LuaValue, _ state: LuaState) async throws -> Bool {
    guard text.string != nil, let find = state.globals["string"].table?["find"].function else { return false }
    return try await find.call([text, pattern]).first?.isNil == false
  }
}

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
