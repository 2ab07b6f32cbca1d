import Core
package import HostLoop
package import Lua

/// The functions of test files: `describe`, `it`, `expect` and others, which are global there.
@HostActor
package enum TestFunctions {
  /// As help and the reference show them.
  package static let all = functions(for: TestPlan())

  static func functions(for plan: TestPlan) -> [HostFunction] {
    [
      .suspending(
        "describe", "Groups the tests that the function declares under a name.",
        [
          Parameter("name", .string, "The name of the group."),
          Parameter(
            "f", .function, "Declares the tests of the group, and functions to run before and after each test."),
        ]
      ) { arguments in
        if let body = arguments[1].function { try await plan.describe(arguments.string(0), body, arguments) }
        return []
      },
      HostFunction(
        "it", "Declares a test. It passes unless it raises an error.",
        [
          Parameter("name", .string, "The expectation, in words."),
          Parameter("f", .function, "The test. It runs in a fresh Lua state, with its own local tenant."),
        ]
      ) { arguments in
        try plan.add(arguments.string(0), arguments[1].function, arguments)
        return []
      },
      HostFunction(
        "pending", "Declares a test that does not run, because it is unfinished or does not pass yet.",
        [
          Parameter("name", .string, "The expectation, in words."),
          Parameter("f", .function, optional: true, "Not called."),
        ]
      ) { arguments in
        try plan.add(arguments.string(0), nil, arguments)
        return []
      },
      HostFunction(
        "before_each", "Runs a function before each test of the file, or of the enclosing describe.",
        [Parameter("f", .function, "The function. It receives no arguments, and its calls may wait.")]
      ) { arguments in
        if let function = arguments[0].function { try plan.addBefore(function, arguments) }
        return []
      },
      HostFunction(
        "after_each",
        "Runs a function after each test of the file, or of the enclosing describe, also if the test fails.",
        [Parameter("f", .function, "The function. It receives no arguments, and its calls may wait.")]
      ) { arguments in
        if let function = arguments[0].function { try plan.addAfter(function, arguments) }
        return []
      },
      HostFunction(
        "expect", "Starts a check of a value: `expect(2 + 2).to_equal(4)`.", [.any("value", "The value.")],
        returns: [.init(.object("expectation"), "The value, with functions that check it.")]
      ) { [.object(LuaExpectation($0[0]))] },
      .suspending(
        "test.run",
        "Runs a script in the same way as the command line: in its own Lua state, with the tenant and the "
          + "accounts of the test. An error of the script is in the result. It is not raised.",
        [
          Parameter("file", .string, "The path of the script, from the folder of the test."),
          Parameter("arguments", .list(of: .string), optional: true, "The arguments of the script."),
        ], returns: [.init(.record(.scriptRun), "The result of the script.")]
      ) { try await plan.runScript($0).map { [$0] } ?? [] },
    ]
  }
}

extension ScriptHost {
  /// Runs the test file, which declares its tests in `plan`.
  ///
  /// The functions of tests are there for the file, not for the scripts that it loads: those must work without them.
  package func declareTests(_ source: [UInt8], path: String, in plan: TestPlan, stopSignal: Int32) async throws {
    defer { plan.close() }
    plan.onRunScript = { [unowned self] arguments in
      try await TestedScript(arguments, folder: path.parentFolder, stopSignal: stopSignal, of: self).run()
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
      state.replaceExit { arguments in
        let status = arguments[0].isNil ? "" : arguments.state.text(of: arguments[0])
        return LuaError(code: "exit", message: "os.exit(\(status)) was called, which would have ended the tests")
      }
    }
  }
}

extension LuaState {
  /// Has `os.exit` raise an error, in place of ending the process.
  func replaceExit(by error: @escaping @HostActor @Sendable (Arguments) -> LuaError) {
    let exit = HostFunction("os.exit", "", [.any("status"), .any("close")]) { throw error($0) }
    globals["os"].table?["exit"] = .function(function(exit))
  }
}

/// Looks names up in the globals first, then among the functions of tests.
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
