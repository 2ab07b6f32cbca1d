import HostLoop
import Lua

extension LuaExpectation {
  /// All matchers, in the order of the documentation.
  static let matchers: [HostFunction] = [
    matcher(
      "to_equal", "An equal value, or a table with equal contents at any depth.",
      [.any("expected", "The other value.")]
    ) { value, arguments in
      Verdict(try ValueComparison(expected: arguments[0], got: value), expected: arguments[0], got: value)
    },
    matcher("to_be", "The very same value: for tables, the same table.", [.any("expected", "The other value.")]) {
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
    matcher("to_be_falsy", "Nil or false.") { value, _ in
      Verdict(!value.isTrue, expected: "nil or false", got: value)
    },
    matcher(
      "to_be_a",
      "A value of that type: \"string\", \"table\", …, or the name of a type of the API, such as \"account\".",
      [Parameter("type", .string, "The type by Lua's `type`, or its name in messages.")]
    ) { value, arguments in
      let name = arguments.string(0)
      let holds = value.typeName == name || name == "userdata" && { if case .object = value { true } else { false } }()
      return Verdict(holds, expected: "a value of type \(name)", got: value)
    },
    matcher(
      "to_be_near", "A number that differs by at most the tolerance.",
      [
        Parameter("expected", .number, in: Parameter.anyNumber, "The other number."),
        Parameter("tolerance", .number, optional: true, in: Parameter.anyTime, "0.001 if not given."),
      ]
    ) { value, arguments in
      let tolerance = arguments[1].number ?? 0.001
      let holds = value.number.map { abs($0 - arguments.number(0)) <= tolerance } ?? false
      return Verdict(
        holds, expected: "a number within \(LuaNumber.text(tolerance)) of \(LuaNumber.text(arguments.number(0)))",
        got: value)
    },
    matcher(
      "to_have_length", "A text or list of that length.",
      [Parameter("length", .integer, "Bytes of a text, elements of a list.")]
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
      [Parameter("fields", .table, "The fields, by name.")]
    ) { value, arguments in
      Verdict(
        try ValueComparison(expected: arguments[0], got: value, isPartial: true), expected: arguments[0], got: value,
        phrase: "something with ")
    },
    matcher(
      "to_contain",
      "A text that contains this text, or a list with this element. For a table, only the given fields have to be equal.",
      [.any("element", "A text, or an element.")]
    ) { value, arguments in
      let wanted = arguments[0]
      let text = ValueText(width: 100).line(of: wanted)
      if case .bytes(let bytes) = value, case .bytes(let part) = wanted {
        return Verdict(contains(bytes, part), expected: "a text with \(text) in it", got: value)
      }
      let holds = try value.table?.elements.contains {
        try ValueComparison(expected: wanted, got: $0, isPartial: true).isEqual
      }
      return Verdict(holds ?? false, expected: "a list with \(text) in it", got: value)
    },
    toMatch, toRaise,
  ]

  private static func matcher(
    _ name: String, _ doc: String, _ parameters: [Parameter] = [],
    _ check: @escaping @HostActor @Sendable (LuaValue, Arguments) throws -> Verdict
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
}
