/// A result as JUnit's XML. Only `failed` is a failure; checks without an answer are errors.
package enum ConformJUnit {
  package static func text(_ result: ConformResult) -> String {
    var document = JUnitDocument("conform \(result.name)")
    for verdict in result.verdicts {
      let check = verdict.check
      document.add(check.topic.id, "\(check.id): \(check.title)", state(verdict, result.expectedReasons[check.id]))
    }
    return document.text
  }

  private static func state(_ verdict: Verdict, _ expected: String?) -> JUnitDocument.State {
    let rule = verdict.check.rule
    let text = "\(rule.level.rawValue): \(rule.text) (\(rule.source))"
    switch verdict.outcome {
    case .failed where expected != nil: return .skipped("expected: \(verdict.detail)")
    case .failed: return .failed(verdict.detail, type: verdict.culprit.rawValue, text: text)
    case .unclear: return .error(verdict.detail, text: text)
    case .notUsed, .skipped: return .skipped(verdict.detail)
    case .weak, .told: return .noted("\(verdict.outcome.rawValue): \(verdict.detail)")
    case .passed: return .passed
    }
  }
}
