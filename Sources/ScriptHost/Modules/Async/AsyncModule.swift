import Automation
import HostLoop
import Lua
import LuaKit
import LuaTasks

struct AsyncModule: LuaModule {
  let leftovers: Leftovers

  var module: HostModule {
    HostModule(
      "async",
      "Runs functions concurrently. No function outlives the call that started it. An error in a function "
        + "cancels the other functions.",
      notes: """
        A canceled function closes its `<close>` variables, and no `pcall` catches the cancellation. The traceback of an error
        in a child continues, below the line `started by:`, with the call that started the child. See the page
        [The Lua API](LuaAPI.md).
        """,
      example: """
        local async = require "b2c.async"

        local squares = async.map({ 1, 2, 3, 4 }, { limit = 2 }, function(n)
          async.sleep(0.01)
          return n * n
        end)
        assert(squares[4] == 16)

        local ok, problem = pcall(async.timeout, 0.01, function() async.sleep(60) end)
        assert(not ok and problem.code == "timeout")
        """, functions)
  }

  static let functions: [ModuleFunction<Self>] = [all, every, map, race, semaphore, sleep, timeout]

  private static let sleep = suspending(
    "async.sleep", "Waits; other coroutines keep running.",
    Parameter("seconds", .number, in: Parameter.anyNumber, "The time to wait.")
  ) { _, arguments in
    guard arguments.number(0) >= 0 else {
      throw arguments.failure("argument 1: expected zero or more seconds, got \(arguments.number(0))")
    }
    try await HostLoop.shared.sleep(seconds: arguments.number(0))
    return []
  }

  private static let semaphore = function(
    "async.semaphore", "Makes a semaphore, which limits the number of concurrent users of a resource.",
    Parameter("permits", .integer, "The number of permits, at least one."),
    returns: .init(.object("semaphore"), "The semaphore, with all permits free."),
    example: """
      local async = b2c.async
      local semaphore = async.semaphore(2)
      async.map({ "a", "b", "c" }, function(name)
        local permit <close> = semaphore:acquire()
        async.sleep(0.01) -- at most two are here at a time
      end)
      assert(semaphore.available == 2)
      """
  ) { _, arguments in
    guard let permits = arguments[0].integer, permits >= 1 else {
      throw arguments.failure("argument 1: expected at least 1 permit, got \(arguments[0].integer ?? 0)")
    }
    return [.object(LuaSemaphore(permits: Int(clamping: permits)))]
  }

  static let all = suspending(
    "async.all", "Runs all functions concurrently and waits for them.",
    Parameter("functions", .list(of: .function), "The functions."),
    returns: .init(
      .list(of: .any),
      "The first result of each function, in the order of the functions; nil for a function without a result.")
  ) { _, arguments in
    let functions = try Self.functions(of: arguments)
    let results = OrderedResults()
    try await ChildGroup.run(limit: .max) { group in
      for (offset, function) in functions.enumerated() {
        group.start { results[offset] = try await function.call().first ?? .nil }
      }
    }
    return [results.list(count: functions.count, arguments.state)]
  }

  static let map = suspending(
    "async.map", "Calls the function with every element, at most `limit` at once.",
    Parameter(
      "items", .either([.list(of: .any), .functionReturning(.init(.any, optional: true, "An element, then nil."))]),
      "The elements: a list, or an iterator function."),
    .optional(
      "options",
      .either([
        .options(MapOptions.keys),
        .function,
      ]), "May be left out."), .optional("f", .function, "Called with the element and its number."),
    returns: .init(
      .list(of: .any), "The first result of each call, in the order of the elements; nil for a call without a result.")
  ) { _, arguments in
    let limit = try MapOptions(arguments).limit
    guard limit >= 1 else { throw arguments.failure(option: "limit", "expected at least 1, got \(limit)") }
    guard let function = arguments[2].function ?? arguments[1].function else {
      throw arguments.invalid(2, expected: "a function", got: arguments[2])
    }
    let results = OrderedResults()
    let elements = try Elements(arguments[0])
    try await ChildGroup.run(limit: limit) { group in
      while let (offset, element) = try await elements.next() {
        try await group.add {
          results[offset] = try await function.call([element, .integer(Int64(offset + 1))]).first ?? .nil
        }
      }
    }
    return [results.list(count: elements.count, arguments.state)]
  }

  private struct MapOptions: LuaOptions {
    var limit = 8
    static let fields: [Field] = [
      .init("limit", \.limit, "The number of concurrent calls; 8 if not given.")
    ]
  }

  static let race = suspending(
    "async.race",
    "Runs all functions concurrently until the first function ends, and returns its results or raises its "
      + "error. The other functions are canceled. They have ended when async.race returns.",
    Parameter("functions", .list(of: .function), "The functions, at least one."),
    returns: .init(.any, "The results of the first function that ended."),
    example: """
      local async = b2c.async
      local winner = async.race {
        function() async.sleep(60) return "slow" end,
        function() async.sleep(0.01) return "quick" end,
      }
      assert(winner == "quick")
      """
  ) { _, arguments in
    let functions = try Self.functions(of: arguments)
    guard !functions.isEmpty else { throw arguments.failure("argument 1: expected at least one function, got none") }
    return try await ChildGroup.race(
      functions.map { function in { @HostActor @Sendable in try await function.call() } })
  }

  private static func functions(of arguments: Arguments) throws(LuaError) -> [LuaFunction] {
    var functions: [LuaFunction] = []
    for (offset, element) in try (arguments[0].table?.elements ?? []).enumerated() {
      guard let function = element.function else {
        throw arguments.failure("element \(offset + 1) of the list: expected a function, got \(element.typeName)")
      }
      functions.append(function)
    }
    return functions
  }

  /// In seconds; a shorter interval is a busy loop by mistake.
  private static let shortestInterval = 0.001

  static let every = function(
    "async.every",
    "Calls a function at intervals while the script continues. The first call comes after one interval. "
      + "Calls never overlap, and missed calls are skipped. The timer ends when it is closed, when its owner "
      + "(the function that started it) ends, or with an error. The error is raised in the owner, when the owner "
      + "waits or ends.", Parameter("seconds", .number, in: Parameter.anyNumber, "The interval, at least 0.001."),
    Parameter(
      "f", .callback([Parameter("count", .integer, "The number of the call, from 1.")]), "The function; it may wait."),
    returns: .init(.object("timer"), "The timer. It ends with :close(), or with its <close> variable."),
    example: """
      local async = b2c.async
      local ticks = 0
      do
        local timer <close> = async.every(0.01, function(count) ticks = count end)
        while ticks < 3 do async.sleep(0.01) end
      end
      """
  ) { module, arguments in
    guard let function = arguments[1].function, let scope = arguments.state.scope else { return [] }
    let seconds = arguments.number(0)
    guard seconds >= Self.shortestInterval else {
      throw arguments.failure(
        "argument 1: expected at least \(Self.shortestInterval) seconds, got \(LuaNumber.text(seconds))")
    }
    let state = arguments.state
    let place = state.place.map { " at \($0)" } ?? ""
    let timer = LuaTimer(every: seconds, function, in: scope, startedBy: state.traceback) {
      module.leftovers.add(
        "the timer of async.every\(place) was stopped, as the function that started it has ended; close it there, or "
          + "keep it in a <close> variable")
    }
    return [.object(timer)]
  }

  static let timeout = suspending(
    "async.timeout",
    "Runs a function with a time limit. After this time, the function is canceled, and the error timeout is "
      + "raised.", Parameter("seconds", .number, in: Parameter.anyNumber, "The time limit."),
    Parameter("f", .function, "The function."), returns: .init(.any, "The results of the function.")
  ) { _, arguments in
    guard let function = arguments[1].function else { return [] }
    let seconds = arguments.number(0)
    guard seconds >= 0 else { throw arguments.failure("argument 1: expected zero or more seconds, got \(seconds)") }
    var results: [LuaValue] = []
    let expiry = Expiry()
    let child = HostActor.task { try await function.call() }
    let timer = HostLoop.shared.schedule(after: seconds) {
      expiry.hasPassed = true
      child.cancel()
    }
    defer { HostLoop.shared.cancel(timer) }
    do {
      results = try await withTaskCancellationHandler {
        try await child.value
      } onCancel: {
        child.cancel()
      }
    } catch is CancellationError where expiry.hasPassed {
      throw LuaError(
        code: "timeout", message: "async.timeout: not done after \(LuaNumber.text(seconds)) s", isRetryable: true)
    }
    return results
  }
}

/// The elements of a list, or the results of an iterator function until it returns nil.
@HostActor
private final class Elements {
  private let list: [LuaValue]
  private let iterator: LuaFunction?
  private(set) var count = 0

  init(_ source: LuaValue) throws(LuaError) {
    list = try source.table?.elements ?? []
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

@HostActor
private final class Expiry {
  var hasPassed = false
}
