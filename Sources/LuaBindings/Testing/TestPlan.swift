package import HostLoop
import Lua

/// The tests that one loading of a test file declares.
@HostActor
package final class TestPlan {
  /// A test, or one that is pending.
  package struct Test {
    /// The names of what it is in, and its own.
    package let names: [String]
    /// Where it is declared: `import_test.lua:12`.
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

  /// What `test.run` does, while the file is loaded.
  var runScript: (@HostActor (_ file: String, _ words: [String], Arguments) async throws -> TestedScript.Outcome)?
  var isRunningScript = false

  package init() {}

  /// Runs a test with what is to run before and after it; that runs also when the test fails. The first error is thrown.
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

  /// Ends the declaring: whatever a test calls declares nothing any more.
  func close() { scope = nil }

  func describe(_ name: String, _ body: LuaFunction, _ arguments: Arguments) async throws {
    let outer = try self.open(arguments)
    scope = Scope(name, in: outer)
    defer { scope = outer }
    _ = try await body.call()
  }

  func add(_ name: String, _ function: LuaFunction?, _ arguments: Arguments) throws {
    let scope = try self.open(arguments)
    let names = scope.path.map(\.name).filter { !$0.isEmpty } + [name]
    tests.append(Test(names: names, place: arguments.state.place ?? "", function: function, scope: scope))
  }

  func addBefore(_ function: LuaFunction, _ arguments: Arguments) throws {
    try self.open(arguments).before.append(function)
  }
  func addAfter(_ function: LuaFunction, _ arguments: Arguments) throws {
    try self.open(arguments).after.append(function)
  }

  private func open(_ arguments: Arguments) throws -> Scope {
    if let scope { return scope }
    throw LuaError(
      code: "test_running", message: "\(arguments.function.name) is called by a test that runs",
      hint: "declare it in the file itself, or in describe")
  }
}
