import Core

/// The result of a check.
package struct Verdict: Sendable {
  package enum Outcome: String, Sendable, CaseIterable {
    /// The subject breaks a rule of the level must.
    case failed
    /// The subject breaks a rule of the level should.
    case weak
    /// No answer to the question of the check.
    case unclear
    /// A fact about a rule of the level may.
    case told
    case passed
    /// The subject lacks the feature.
    case notUsed = "not used"
    /// The check was not allowed or not possible here.
    case skipped
  }

  package let check: Check
  package let outcome: Outcome
  /// One sentence: the answer of the subject, or the reason why there is none.
  package let detail: String
  /// The requests of the check with their responses, in order; empty for a check of a document that others fetched.
  package let evidence: [Evidence]
  /// True if the subject does not keep the rule, also a rule of the level may.
  package let isBroken: Bool
  /// The party that is wrong, if it is not that of the topic.
  package let culprit: Party

  package init(_ check: Check, _ finding: Finding, _ evidence: [Evidence] = []) {
    self.check = check
    self.evidence = evidence
    detail = finding.detail
    isBroken = finding.kind == .broken
    outcome = finding.outcome(check.rule.level)
    culprit = finding.culprit ?? check.topic.culprit
  }
}

/// The answer of a probe.
package struct Finding: Sendable, Equatable {
  package enum Kind: Sendable { case kept, broken, unclear, notUsed, skipped }

  package let kind: Kind
  package let detail: String
  package var culprit: Party?

  private init(kind: Kind, detail: String, culprit: Party? = nil) {
    self.kind = kind
    // Pages and files show it, too, not terminals alone.
    self.detail = Self.beginning(of: detail).displayableLines
    self.culprit = culprit
  }

  /// The most bytes of a detail. It may quote lists of the subject, which are as long as the subject wants.
  private static let longestDetail = 4000

  private static func beginning(of text: String) -> String {
    let missing = text.utf8.count - longestDetail
    guard missing > 0 else { return text }
    return String(decoding: text.utf8.prefix(longestDetail), as: UTF8.self) + "… (\(missing) more bytes)"
  }

  /// The subject keeps the rule.
  package static func kept(_ detail: String) -> Finding { Finding(kind: .kept, detail: detail) }
  /// The subject breaks the rule.
  package static func broken(_ detail: String, wrong culprit: Party? = nil) -> Finding {
    Finding(kind: .broken, detail: detail, culprit: culprit)
  }
  package static func unclear(_ detail: String) -> Finding { Finding(kind: .unclear, detail: detail) }
  package static func notUsed(_ detail: String) -> Finding { Finding(kind: .notUsed, detail: detail) }
  package static func skipped(_ detail: String) -> Finding { Finding(kind: .skipped, detail: detail) }

  func outcome(_ level: Rule.Level) -> Verdict.Outcome {
    switch kind {
    case .kept: level == .may ? .told : .passed
    case .broken: [.must: .failed, .should: .weak][level] ?? .told
    case .unclear: .unclear
    case .notUsed: .notUsed
    case .skipped: .skipped
    }
  }
}

/// Thrown by a probe to end with this finding.
package struct EndOfProbe: Error {
  package let finding: Finding
  package init(_ finding: Finding) { self.finding = finding }
}

/// A request and its response, as a report shows them: without secrets.
package struct Evidence: Sendable {
  /// `POST https://login.example.com/token`
  package let request: String
  /// The fields of the form or of the query, and the header fields that matter.
  package let sent: [(name: String, value: String)]
  /// Nil without a response.
  package let status: Int?
  /// The error code of the response; nil without one.
  package let code: String?
  /// The beginning of the response, or the reason why there is none.
  package let received: String
  /// The number of the exchange in the run, which a trace of the run has as well.
  package let line: Int

  package init(
    request: String, sent: [(name: String, value: String)] = [], status: Int?, code: String? = nil, received: String,
    line: Int
  ) {
    self.request = request
    self.sent = sent
    self.status = status
    self.code = code
    self.received = received.displayableLines
    self.line = line
  }
}
