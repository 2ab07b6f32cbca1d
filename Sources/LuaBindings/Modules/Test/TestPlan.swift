package import HostLoop
import Lua

/// The tests that one loading of a test file declares.
@HostActor
package final class TestPlan {
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

  /// Runs a script for `test.run`; set while the file is loaded.
  var onRunScript: (@HostActor (Arguments) async throws -> LuaValue)?
  private var isRunningScript = false

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
  func close() { scope = nil }

  /// Runs a script for `test.run`, one at a time.
  func runScript(_ arguments: Arguments) async throws -> LuaValue? {
    guard !isRunningScript else {
      throw LuaError(
        code: "script_running", message: "test.run: another script of this test is running",
        hint: "wait for the one before the next is run")
    }
    isRunningScript = true
    defer { isRunningScript = false }
    return try await onRunScript?(arguments)
  }

  func describe(_ name: String, _ body: LuaFunction, _ arguments: Arguments) async throws {
    let outer = try enclosing(arguments)
    scope = Scope(name, in: outer)
    defer { scope = outer }
    _ = try await body.call()
  }

  func add(_ name: String, _ function: LuaFunction?, _ arguments: Arguments) throws {
    let scope = try enclosing(arguments)
    let names = scope.path.map(\.name).filter { !$0.isEmpty } + [name]
    tests.append(Test(names: names, place: arguments.state.place ?? "", function: function, scope: scope))
  }

  func addBefore(_ function: LuaFunction, _ arguments: Arguments) throws {
    try enclosing(arguments).before.append(function)
  }

  func addAfter(_ function: LuaFunction, _ arguments: Arguments) throws {
    try enclosing(arguments).after.append(function)
  }

  private func enclosing(_ arguments: Arguments) throws -> Scope {
    if let scope { return scope }
    throw LuaError(
      code: "test_running", message: "\(arguments.function.name) is called by a test that runs",
      hint: "declare it in the file itself, or in describe")
  }
}
