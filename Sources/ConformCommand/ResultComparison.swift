import Conform
import JSON

/// The files that a result is compared with, read before the run.
struct ResultComparison {
  private let expectation: Expectation?
  private let earlier: JSON?

  init(_ options: ResultOptions) throws {
    expectation = try options.expectation(ConformCommand.checks)
    earlier = try options.earlier()
  }

  func add(to result: inout ConformResult) {
    if let expectation {
      result.expectedReasons = expectation.reasons
      result.expected = expectation.compare(result.verdicts)
    }
    result.changes = earlier.flatMap { result.changes(since: $0) }
  }
}
