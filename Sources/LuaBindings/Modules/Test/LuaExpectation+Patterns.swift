import HostLoop
import Lua

extension LuaExpectation {
  static var toMatch: HostFunction {
    .suspending(
      "expectation.to_match", "A text that matches this Lua pattern.",
      [Parameter("pattern", .string, "As in string.find.")]
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
        Parameter(
          "error", .either([.string, .table]), optional: true,
          "The error's code, or a Lua pattern for its message; or a table of its fields. Any error if not given."
        )
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
