import struct Conform.JUnitDocument
import TraceView

/// The results of an experiment that let the command end with status 1, for `--fail-on`.
enum FailingLevel: String, CaseIterable {
  /// The provider accepts a mistake that it must refuse.
  case must
  /// The same, or one that it should refuse.
  case should
  /// A run fails.
  case failed

  /// True if the finding of a deviation counts.
  func counts(_ finding: Finding) -> Bool {
    guard finding.outcome == .accepted else { return false }
    return finding.rule.level == "must" || self != .must && finding.rule.level == "should"
  }
}

extension Experiment {
  /// True if a result counts for this level.
  func fails(_ level: FailingLevel) -> Bool {
    findings.contains(where: level.counts) || level == .failed && findings.isEmpty && runs.contains { $0.problem != nil }
  }

  /// The results as JUnit's XML. Without a level, an accepted mistake fails that the provider must refuse, and a run
  /// that fails.
  func junit(_ level: FailingLevel?) -> String {
    var document = JUnitDocument("experiment \(subject)")
    for finding in findings {
      document.add("deviations", "\(finding.name): \(finding.title)", state(finding, level ?? .must))
    }
    guard findings.isEmpty else { return document.text }
    for run in runs {
      let name = zip(varied, run.values).map { "\($0.name)=\($1)" }.joined(separator: " ")
      let problem = run.problem.map { JUnitDocument.State.failed($0, type: "sign-in", text: name) }
      document.add("combinations", name, problem ?? .passed)
    }
    return document.text
  }

  private func state(_ finding: Finding, _ level: FailingLevel) -> JUnitDocument.State {
    let rule = "\(finding.rule.level): \(finding.rule.text) (\(finding.rule.source))"
    switch finding.outcome {
    case .accepted where level.counts(finding):
      return .failed("the provider accepts it", type: "provider", text: rule)
    case .accepted: return .noted("the provider accepts it; \(rule)")
    case .refused, .client: return .passed
    case .unclear: return .error(finding.detail, text: rule)
    case .notUsed: return .skipped(finding.detail)
    }
  }
}
