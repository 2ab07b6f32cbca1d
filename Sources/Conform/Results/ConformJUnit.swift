import Core

/// A result as JUnit's XML, as pipelines read it. Only `failed` is a failure; checks without an answer are errors.
package enum ConformJUnit {
  package static func text(_ result: ConformResult) -> String {
    let cases = result.verdicts.map { verdict in element(verdict, result) }
    let failures = result.verdicts.count { isFailure($0, result) }
    let skipped = result.verdicts.count { [.notUsed, .skipped].contains($0.outcome) }
    let counts =
      "tests=\"\(result.verdicts.count)\" failures=\"\(failures)\" errors=\"\(result.count(.unclear))\" "
      + "skipped=\"\(skipped)\""
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites \(counts)>
      <testsuite name="\(escape("conform \(result.name)"))" \(counts)>
      \(cases.joined(separator: "\n"))
      </testsuite>
      </testsuites>

      """
  }

  private static func isFailure(_ verdict: Verdict, _ result: ConformResult) -> Bool {
    verdict.outcome == .failed && result.expectedReasons[verdict.check.id] == nil
  }

  private static func element(_ verdict: Verdict, _ result: ConformResult) -> String {
    let check = verdict.check
    let head = "<testcase classname=\"\(escape(check.topic.id))\" name=\"\(escape("\(check.id): \(check.title)"))\""
    let detail = escape(verdict.detail)
    let text = escape("\(check.rule.level.rawValue): \(check.rule.text) (\(check.rule.source))")
    switch verdict.outcome {
    case .failed where isFailure(verdict, result):
      return "\(head)><failure message=\"\(detail)\" type=\"\(escape(verdict.culprit.rawValue))\">\(text)</failure></testcase>"
    case .failed: return "\(head)><skipped message=\"\(escape("expected: \(verdict.detail)"))\"/></testcase>"
    case .unclear: return "\(head)><error message=\"\(detail)\">\(text)</error></testcase>"
    case .notUsed, .skipped: return "\(head)><skipped message=\"\(detail)\"/></testcase>"
    case .weak, .told: return "\(head)><system-out>\(verdict.outcome.rawValue): \(detail)</system-out></testcase>"
    case .passed: return "\(head)/>"
    }
  }

  /// The text without characters that XML 1.0 does not have.
  private static func escape(_ text: String) -> String {
    let scalars = text.unicodeScalars.filter { $0.value >= 0x20 || $0 == "\n" || $0 == "\t" }
    return HTMLText.escape(String(String.UnicodeScalarView(scalars)))
  }
}
