import HostLoop
import Lua

extension AsyncModule {
  var all: HostFunction {
    .suspending(
      "async.all", "Runs all functions concurrently and waits for them.",
      [Parameter("functions", .list(of: .function), "The functions.")],
      returns: [.init(.list(of: .any), "Their first results, in order; nil where a function returned nothing.")]
    ) { arguments in
      let functions = try Self.functions(of: arguments)
      let results = OrderedResults()
      try await ChildGroup.run(limit: .max) { group in
        for (offset, function) in functions.enumerated() {
          group.start { results[offset] = try await function.call().first ?? .nil }
        }
      }
      return [results.list(count: functions.count, arguments.state)]
    }
  }

  var map: HostFunction {
    .suspending(
      "async.map", "Calls the function with every element, at most `limit` at once.",
      [
        Parameter(
          "items",
          .either([.list(of: .any), .callback([], returns: [.init(.any, optional: true, "An element, then nil.")])]),
          "A list, or an iterator function."),
        Parameter(
          "options",
          .either([
            .options([Parameter("limit", .integer, optional: true, "The number of concurrent calls; 8 if not given.")]),
            .function,
          ]),
          optional: true, "May be left out."),
        Parameter("f", .function, optional: true, "Called with the element and its number."),
      ],
      returns: [
        .init(
          .list(of: .any), "The first result of each call, in the order of the elements; nil where it returned nothing."
        )
      ]
    ) { arguments in
      let limit = arguments["limit"].integer ?? 8
      guard limit >= 1 else { throw arguments.failure(option: "limit", "expected at least 1, got \(limit)") }
      guard let function = arguments[2].function ?? arguments[1].function else {
        throw arguments.invalid(2, expected: "a function", got: arguments[2])
      }
      let results = OrderedResults()
      let elements = Elements(arguments[0])
      try await ChildGroup.run(limit: Int(clamping: limit)) { group in
        while let (offset, element) = try await elements.next() {
          try await group.add {
            results[offset] = try await function.call([element, .integer(Int64(offset + 1))]).first ?? .nil
          }
        }
      }
      return [results.list(count: elements.count, arguments.state)]
    }
  }

  var race: HostFunction {
    .suspending(
      "async.race",
      "Runs all functions concurrently until the first has ended, and returns its results or raises its error. The others "
        + "are canceled; they have ended when this returns.",
      [Parameter("functions", .list(of: .function), "The functions, at least one.")],
      returns: [.init(.any, "The results of the first function that ended.")],
      example: """
        local async = b2c.async
        local winner = async.race {
          function() async.sleep(60) return "slow" end,
          function() async.sleep(0.01) return "quick" end,
        }
        assert(winner == "quick")
        """
    ) { arguments in
      let functions = try Self.functions(of: arguments)
      guard !functions.isEmpty else { throw arguments.failure("argument 1: expected at least one function, got none") }
      return try await ChildGroup.race(
        functions.map { function in { @HostActor @Sendable in try await function.call() } })
    }
  }

  private static func functions(of arguments: Arguments) throws(LuaError) -> [LuaFunction] {
    var functions: [LuaFunction] = []
    for (offset, element) in (arguments[0].table?.elements ?? []).enumerated() {
      guard let function = element.function else {
        throw arguments.failure("element \(offset + 1) of the list: expected a function, got \(element.typeName)")
      }
      functions.append(function)
    }
    return functions
  }
}

/// The elements of a list, or the results of an iterator function until it returns nil.
@HostActor
private final class Elements {
  private let list: [LuaValue]
  private let iterator: LuaFunction?
  private(set) var count = 0

  init(_ source: LuaValue) {
    list = source.table?.elements ?? []
    iterator = source.function
  }

  func next() async throws -> (offset: Int, element: LuaValue)? {
    var element: LuaValue?
    if let iterator { element = try await iterator.call().first } else if count < list.count { element = list[count] }
    guard let element, !element.isNil else { return nil }
    defer { count += 1 }
    return (count, element)
  }
}

/// Results by position, in whatever order they arrive.
@HostActor
private final class OrderedResults {
  private var values: [Int: LuaValue] = [:]

  subscript(_ offset: Int) -> LuaValue {
    get { values[offset] ?? .nil }
    set { values[offset] = newValue }
  }

  /// A sequence; a nil result leaves a hole.
  func list(count: Int, _ state: LuaState) -> LuaValue {
    let table = state.makeTable()
    for offset in 0..<count { table[.integer(Int64(offset + 1))] = self[offset] }
    return .table(table)
  }
}
