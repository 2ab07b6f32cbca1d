package import HostLoop

/// Tells what comes of tests.
@HostActor
package protocol TestReport: AnyObject {
  /// Called first, with the number of tests.
  func begin(_ count: Int)
  /// Called as each test ends.
  func add(_ outcome: TestOutcome)
  /// Called last, also when the run was cut short.
  func end(_ totals: TestTotals)
}
