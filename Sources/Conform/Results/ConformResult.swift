/// The result of a run: the verdicts of all selected checks about one subject.
package struct ConformResult: Sendable {
  package let subject: Subject
  /// The name of the subject: an address or a command, without secrets.
  package let name: String
  /// Facts of the run for a reader: the version, the profile, the number of requests.
  package var facts: [(name: String, value: String)] = []
  /// In the order of the list of checks.
  package private(set) var verdicts: [Verdict]
  /// The reason why the right sign-in did not work; nil if it worked or was not tried.
  package var signInProblem: String?
  /// The comparison with `--expected`; nil without it.
  package var expected: Expectation.Comparison?
  /// The reasons of `--expected` by the IDs of the checks.
  package var expectedReasons: [String: String] = [:]
  /// The comparison with `--baseline`; nil without it.
  package var changes: [Change]?

  package init(_ subject: Subject, _ name: String, _ verdicts: [Verdict]) {
    self.subject = subject
    self.name = name
    self.verdicts = verdicts
  }

  package func count(_ outcome: Verdict.Outcome) -> Int { verdicts.count { $0.outcome == outcome } }

  package func all(_ outcome: Verdict.Outcome) -> [Verdict] { verdicts.filter { $0.outcome == outcome } }

  /// The end of a run, which decides the exit status of the program.
  package enum End: Sendable { case asExpected, failed, signInFailed, unclear }

  package var end: End {
    if signInProblem != nil { return .signInFailed }
    if let expected { if expected.differs { return .failed } } else if count(.failed) > 0 { return .failed }
    return count(.unclear) > 0 ? .unclear : .asExpected
  }

  /// `2 failed (1 expected), 1 weak, 140 passed, 3 told, 20 not used`
  package var counts: String {
    Verdict.Outcome.allCases.compactMap { outcome in
      let number = count(outcome)
      let expected = outcome == .failed ? all(.failed).count { expectedReasons[$0.check.id] != nil } : 0
      let note = expected > 0 ? " (\(expected) expected)" : ""
      return number > 0 ? "\(number) \(outcome.rawValue)\(note)" : nil
    }.joined(separator: ", ")
  }
}
