import Core
import Files
import Glibc
package import HostLoop
package import Lua

/// What test files have besides everything else: `describe`, `it`, `expect` and their like, which are global there.
@HostActor
package enum TestFunctions {
  /// As help and the reference show them.
  package static let all = functions(for: TestPlan())

  static func functions(for plan: TestPlan) -> [HostFunction] {
    [
      .suspending(
        "describe", "Puts the tests that the function declares under one name.",
        [
          Parameter("name", .string, "What they are about."),
          Parameter("f", .function, "Declares tests, and what is to run before and after each."),
        ]
      ) { arguments in
        if let body = arguments[1].function { try await plan.describe(arguments.string(0), body, arguments) }
        return []
      },
      HostFunction(
        "it", "Declares a test. It passes unless it raises an error.",
        [
          Parameter("name", .string, "What holds, in words."),
          Parameter("f", .function, "The test; run in a fresh state, with a local tenant of its own."),
        ]
      ) { arguments in
        try plan.add(arguments.string(0), arguments[1].function, arguments)
        return []
      },
      HostFunction(
        "pending", "Declares a test that is not run: it is not written yet, or does not pass yet.",
        [
          Parameter("name", .string, "What is to hold, in words."),
          Parameter("f", .function, optional: true, "Is not called."),
        ]
      ) { arguments in
        try plan.add(arguments.string(0), nil, arguments)
        return []
      },
      HostFunction(
        "before_each", "Runs ahead of each test of the file, or of the describe it stands in.",
        [Parameter("f", .function, "Takes nothing; may wait.")]
      ) { arguments in
        if let function = arguments[0].function { try plan.addBefore(function, arguments) }
        return []
      },
      HostFunction(
        "after_each", "Runs behind each test of the file, or of the describe it stands in, also when the test fails.",
        [Parameter("f", .function, "Takes nothing; may wait.")]
      ) { arguments in
        if let function = arguments[0].function { try plan.addAfter(function, arguments) }
        return []
      },
      HostFunction(
        "expect", "Says what is expected of a value: `expect(2 + 2).to_equal(4)`.",
        [.any("value", "What a test has found out.")],
        returns: [.init(.object("expectation"), "Has a function for each thing that can be expected.")]
      ) { arguments in
        [.object(LuaExpectation(arguments[0]))]
      },
      .suspending(
        "test.run",
        "Runs a script as the command line does, in a Lua state of its own, with the tenant and the accounts of the test. "
          + "An error of the script is in the result, and is not raised.",
        [
          Parameter("file", .string, "Its path, from the folder of the test."),
          Parameter("arguments", .list(of: .string), optional: true, "What stands behind it on the command line."),
        ], returns: [.init(.record(.scriptRun), "How it ended.")]
      ) { arguments in
        let words = (arguments[1].table?.elements ?? []).compactMap(\.string)
        guard let outcome = try await plan.runScript?(arguments.string(0), words, arguments) else { return [] }
        return [outcome.value(in: arguments.state)]
      },
    ]
  }
}

extension ScriptHost {
  /// Runs the test file, which declares its tests in `plan`.
  ///
  /// What tests need is there for the file, not for the scripts it loads: those are to stand on their own.
  package func declareTests(
    _ source: [UInt8], path: String, in plan: TestPlan, stopSignal: Int32
  ) async throws {
    defer { plan.close() }
    plan.runScript = { [unowned self] name, words, arguments in
      guard !plan.isRunningScript else {
        throw LuaError(
          code: "script_running", message: "test.run: another script of this test is running",
          hint: "wait for the one before the next is run")
      }
      plan.isRunningScript = true
      defer { plan.isRunningScript = false }
      let place = name.hasPrefix("/") ? name : "\(path.parentFolder)/\(name)"
      let source: [UInt8]
      // Lua makes a copy of the text.
      let limit = min(arguments.state.memoryLeft / 2, 64 << 20)
      do {
        source = try permissions.open(place, for: .streaming, arguments).contents(limit: limit)
      } catch let failure as FileFailure {
        if failure.number == EFBIG, limit < 64 << 20 { throw LuaError.outOfMemory }
        throw LuaError(code: "file_unreadable", message: "test.run: cannot read \(place): \(failure.reason)")
      }
      let script = TestedScript(
        path: place, source: ScriptFiles.withoutInterpreterLine(source), arguments: words, stopSignal: stopSignal)
      return try await script.run(in: self)
    }
    try await run(source, path: path) { [self] script, api in
      let names = state.makeTable()
      let test = state.makeTable()
      names["test"] = .table(test)
      for function in TestFunctions.functions(for: plan) {
        let owner = function.name == function.shortName ? names : test
        owner[function.shortName] = .function(state.function(function))
      }
      names["b2c"] = .table(api)
      let fallback = state.makeTable()
      fallback["__index"] = .table(api)
      names.metatable = fallback
      let environment = try await state.load(Array(environment.utf8), name: "environment.lua").call([.table(names)])
      if let table = environment.first?.table { script.setEnvironment(table) }
      state.globals["os"].table?["exit"] = .function(state.function(Self.refusedExit))
    }
  }

  private static let refusedExit = HostFunction("os.exit", "", [.any("status"), .any("close")]) { arguments in
    let status = arguments[0].isNil ? "" : arguments.state.text(of: arguments[0])
    throw LuaError(code: "exit", message: "os.exit(\(status)) was called, which would have ended the tests")
  }
}

/// Globals are as everywhere; where there is none, the names of the tests are looked at.
private let environment = """
  local names, globals = ..., _G
  return setmetatable({}, {
    __index = function(_, name)
      local value = globals[name]
      if value == nil then return names[name] end
      return value
    end,
    __newindex = globals,
  })
  """
