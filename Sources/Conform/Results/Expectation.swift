/// The file of `--expected`: known failures, each with its reason.
package struct Expectation: Sendable {
  /// The difference between a run and its file.
  package struct Comparison: Sendable {
    /// Failures that the file does not have.
    package let new: [String]
    /// Checks of the file that passed.
    package let passed: [String]

    package var differs: Bool { !new.isEmpty || !passed.isEmpty }
  }

  package struct Problem: Error {
    package let line: Int
    package let message: String
  }

  /// The reasons by the IDs of the checks.
  package let reasons: [String: String]

  /// - Parameter text: lines of `provider.code.once  the reason`; `#` begins a comment.
  package init(_ text: String, known: Set<String>) throws(Problem) {
    var reasons: [String: String] = [:]
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
      guard let id = words.first, !id.hasPrefix("#") else { continue }
      guard known.contains(id) else { throw Problem(line: index + 1, message: "there is no check '\(id)'") }
      guard words.count == 2 else {
        throw Problem(line: index + 1, message: "expected a reason after '\(id)'")
      }
      reasons[id] = words[1].trimming()
    }
    self.reasons = reasons
  }

  /// The given reasons, and those of a file, which have priority.
  package init(_ reasons: [String: String], _ file: Expectation?) {
    self.reasons = reasons.merging(file?.reasons ?? [:]) { $1 }
  }

  /// Checks that did not answer, or that the run did not select, count neither way.
  package func compare(_ verdicts: [Verdict]) -> Comparison {
    Comparison(
      new: verdicts.filter { $0.outcome == .failed && reasons[$0.check.id] == nil }.map(\.check.id),
      passed: verdicts.filter { $0.outcome == .passed && reasons[$0.check.id] != nil }.map(\.check.id))
  }
}

extension String {
  /// Without white space at both ends.
  fileprivate func trimming() -> String {
    var text = self[...]
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text.drop(while: \.isWhitespace))
  }
}

/// The change of a check since the run of `--baseline`.
package struct Change: Sendable {
  package let id: String
  package let before: String
  package let now: String
}
