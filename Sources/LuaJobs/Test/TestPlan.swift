import Accounts
import Automation
import CommandLine
import Core
import Files
import HostLoop
package import Lua
import LuaKit
import Permissions

/// The tests that one loading of a test file declares.
package final class TestPlan: LuaModule {
  /// A test, or one that is pending.
  package struct Test {
    /// The names of the groups around it, and its own.
    package let names: [String]
    /// The place of its declaration: `import_test.lua:12`.
    package let place: String
    /// Nil while it is pending.
    let function: LuaFunction?
    fileprivate let scope: Scope

    package var isPending: Bool { function == nil }
  }

  /// A `describe`, or the file.
  fileprivate final class Scope {
    let name: String
    let parent: Scope?
    var before: [LuaFunction] = []
    var after: [LuaFunction] = []

    init(_ name: String, in parent: Scope?) {
      self.name = name
      self.parent = parent
    }

    /// From the file inwards.
    var path: [Scope] { (parent?.path ?? []) + [self] }
  }

  package private(set) var tests: [Test] = []
  private var scope: Scope? = Scope("", in: nil)

  /// Makes the simulated jobs of `test.jobs`; set while the file is loaded.
  package var onJobs: (@HostActor (Arguments) async throws -> LuaValue)?
  /// Runs a script for `test.run`; set while the file is loaded.
  package var onRunScript: (@HostActor (Arguments) async throws -> TestedRun)?
  private var isRunningScript = false
  /// The scripts that `test.run` has run.
  package private(set) var scriptRuns: [TestedRun] = []

  package init() {}

  /// Runs a test with the functions before and after it; these also run if the test fails. The first error is thrown.
  package func run(_ test: Test) async throws {
    let path = test.scope.path
    var failure: (any Error)?
    do {
      for function in path.flatMap(\.before) { _ = try await function.call() }
      _ = try await test.function?.call()
    } catch { failure = error }
    for function in path.reversed().flatMap(\.after) {
      do { _ = try await function.call() } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// Ends the declarations: from now on a test that calls `it` gets an error.
  package func close() { scope = nil }

  static let functions: [ModuleFunction<TestPlan>] = [
    suspending(
      "describe", "Groups the tests that the function declares under a name.",
      Parameter("name", .string, "The name of the group."),
      Parameter("f", .function, "Declares the tests of the group, and functions to run before and after each test.")
    ) { plan, arguments in
      let outer = try plan.enclosing(arguments)
      plan.scope = Scope(arguments.string(0), in: outer)
      defer { plan.scope = outer }
      _ = try await arguments[1].function?.call()
      return []
    },
    function(
      "it", "Declares a test. It passes unless it raises an error.",
      Parameter("name", .string, "The expectation, in words."),
      Parameter("f", .function, "The test. It runs in a fresh Lua state, with its own local tenant.")
    ) { plan, arguments in
      try plan.add(arguments[1].function, arguments)
      return []
    },
    function(
      "pending", "Declares a test that does not run, because it is unfinished or does not pass yet.",
      Parameter("name", .string, "The expectation, in words."), .optional("f", .function, "Not called.")
    ) { plan, arguments in
      try plan.add(nil, arguments)
      return []
    },
    function(
      "before_each", "Runs a function before each test of the file, or of the enclosing describe.",
      Parameter("f", .function, "The function. It receives no arguments, and its calls may wait.")
    ) { plan, arguments in
      if let function = arguments[0].function { try plan.enclosing(arguments).before.append(function) }
      return []
    },
    function(
      "after_each",
      "Runs a function after each test of the file, or of the enclosing describe, also if the test fails.",
      Parameter("f", .function, "The function. It receives no arguments, and its calls may wait.")
    ) { plan, arguments in
      if let function = arguments[0].function { try plan.enclosing(arguments).after.append(function) }
      return []
    },
    function(
      "expect", "Starts a check of a value: `expect(2 + 2).to_equal(4)`.", .any("value", "The value."),
      returns: .init(.object("expectation"), "The value, with functions that check it.")
    ) { [.object(LuaExpectation($1[0]))] },
    suspending(
      "test.run",
      "Runs a script in the same way as the command line: in its own Lua state, with the tenant and the "
        + "accounts of the test. An error of the script is in the result. It is not raised.",
      Parameter("file", .string, "The path of the script, from the folder of the test."),
      .optional("arguments", .list(of: .string), "The arguments of the script."),
      returns: .init(.record(.scriptRun), "The result of the script.")
    ) { plan, arguments in
      guard !plan.isRunningScript else {
        throw LuaError(
          code: "script_running", message: "test.run: another script of this test is running",
          hint: "wait for the one before the next is run")
      }
      plan.isRunningScript = true
      defer { plan.isRunningScript = false }
      guard let onRunScript = plan.onRunScript else { return [] }
      let run = try await onRunScript(arguments)
      plan.scriptRuns.append(run)
      return [run.value(arguments.state)]
    },
    suspending(
      "test.jobs",
      "Reads the jobs of a folder into a host with a separate clock. Time passes only with jobs:advance, and no "
        + "script of a job runs.",
      .options(SimulationOptions.keys, required: true),
      returns: .init(.object("simulation"), "The jobs, and their clock.")
    ) { plan, arguments in
      guard let jobs = plan.onJobs else { return [] }
      return [try await jobs(arguments)]
    },
  ]

  private func add(_ function: LuaFunction?, _ arguments: Arguments) throws {
    let scope = try enclosing(arguments)
    let names = scope.path.map(\.name).filter { !$0.isEmpty } + [arguments.string(0)]
    tests.append(Test(names: names, place: arguments.state.place ?? "", function: function, scope: scope))
  }

  private func enclosing(_ arguments: Arguments) throws -> Scope {
    if let scope { return scope }
    throw LuaError(
      code: "test_running", message: "\(arguments.function.name) is called by a test that runs",
      hint: "declare it in the file itself, or in describe")
  }
}
