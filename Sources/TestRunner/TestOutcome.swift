package import HostLoop
package import LocalTenant
package import Lua
package import LuaJobs

/// The result of a test.
package struct TestOutcome: Sendable {
  package enum Status: String, Sendable { case passed, failed, pending }

  /// The test's file.
  package let file: String
  /// The names of the surrounding groups and of the test itself; empty if the file itself failed to run.
  package let names: [String]
  /// The line of the declaration; 0 for the file itself.
  package let line: Int
  package let status: Status
  package let seconds: Double
  package var failure: LuaError?
  /// The place of the failure, with the path of its file: `tests/import_test.lua:12`.
  package var place: String?
  /// The source text of that line.
  package var sourceLine: String?
  /// The line of the test's file that led to a failure in another file: `tests/import_test.lua:20`.
  package var caller: String?
  /// The output and log lines of the test.
  package var output = ""
  /// The requests to the local tenant.
  package var requests: [TenantRequest] = []
  /// The scripts that the test ran with `test.run`.
  package var scripts: [TestedRun] = []

  /// `import › adds every row`
  package var name: String { names.isEmpty ? "the file itself" : names.joined(separator: " › ") }
}

/// The number of tests by result.
package struct TestTotals: Sendable {
  private(set) var counts: [TestOutcome.Status: Int] = [:]
  package internal(set) var seconds = 0.0

  package var failed: Int { counts[.failed, default: 0] }

  mutating func add(_ status: TestOutcome.Status) { counts[status, default: 0] += 1 }
}

/// Reports the results of tests.
@HostActor
package protocol TestReport: AnyObject {
  /// Called first, with the number of tests.
  func begin(_ count: Int)
  func add(_ outcome: TestOutcome)
  /// Called last, even if the run was interrupted.
  func end(_ totals: TestTotals)
}
