package import HostLoop

/// The place where tests run: this process, or another one.
@HostActor
package protocol TestBench: AnyObject {
  /// Loads a file for the tests that it declares.
  func load(_ file: TestFile) async throws -> LoadedTests
  func run(_ test: TestCase) async throws -> TestOutcome
}

/// A test to run, identified by the number of its declaration in its file.
package struct TestCase: Sendable {
  let file: TestFile
  let number: Int
  let names: [String]
  let line: Int
  let isPending: Bool
}

/// The tests that a file declares, and its failure if it failed to run.
package struct LoadedTests: Sendable {
  var cases: [TestCase]
  var failure: TestOutcome?
}
