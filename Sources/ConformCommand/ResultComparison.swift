import Conform
import JSON

/// The files that a result is compared with, read before the run.
struct ResultComparison {
  private let expectation: Expectation?
  private let earlier: JSON?

  /// - Parameter habits: the known failures of the subject, besides those of the file.
  init(_ options: ResultOptions, habits: [String: String] = [:]) throws {
    let file = try options.expectation(ConformCommand.checks)
    expectation = file == nil && habits.isEmpty ? nil : Expectation(habits, file)
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
