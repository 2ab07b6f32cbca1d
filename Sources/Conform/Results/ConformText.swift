import Core

/// A result for the terminal: what failed first, one line each, then the counts.
package struct ConformText {
  private let result: ConformResult
  private let paint: (String, String) -> String

  /// - Parameter paint: colors a text by the parameters of SGR, or leaves it as it is.
  package init(_ result: ConformResult, paint: @escaping (String, String) -> String) {
    self.result = result
    self.paint = paint
  }

  private static let styles: [Verdict.Outcome: String] = [.failed: "31", .weak: "33", .unclear: "35"]

  package var text: String {
    var lines: [String] = []
    for outcome in [Verdict.Outcome.failed, .weak, .unclear] {
      for verdict in result.all(outcome) { lines += entry(verdict) }
    }
    if let problem = result.signInProblem { lines.append("The right sign-in did not work: \(problem)") }
    if !lines.isEmpty { lines.append("") }
    lines += differences
    lines.append("\(result.name): \(result.counts.isEmpty ? "no checks" : result.counts)")
    if let shown = result.verdicts.first(where: { Self.styles[$0.outcome] != nil }) {
      lines.append("b2c-run conform show \(shown.check.id) explains a check; --report FILE.html has all of them.")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func entry(_ verdict: Verdict) -> [String] {
    let check = verdict.check
    let head = "\(verdict.outcome.rawValue.fitted(to: 8))\(check.id)  \(check.title)"
    let reason = expectedReason(verdict).map { " (expected: \($0))" } ?? ""
    return [
      paint(head, Self.styles[verdict.outcome] ?? "") + reason,
      "        \(verdict.detail.displayable)",
      paint("        \(verdict.culprit.rawValue) · \(check.rule.level.rawValue) · \(check.rule.source)", "2"),
    ]
  }

  private func expectedReason(_ verdict: Verdict) -> String? { result.expectedReasons[verdict.check.id] }

  private var differences: [String] {
    var lines: [String] = []
    if let expected = result.expected {
      lines += expected.new.map { "not expected: \($0) failed" }
      lines += expected.passed.map { "expected to fail, but passed: \($0)" }
    }
    for change in result.changes ?? [] {
      lines.append("changed: \(change.id): \(change.before) before, \(change.now) now")
    }
    return lines.isEmpty ? [] : lines + [""]
  }
}

/// The list of checks and one check, for the terminal.
package enum CheckText {
  package static func list(_ checks: [Check]) -> String {
    let width = checks.map(\.id.count).max() ?? 0
    let lines = checks.map { check in
      "\(check.id.fitted(to: width))  \(check.rule.level.rawValue.fitted(to: 6))  \(check.title)"
    }
    let counts = Subject.allCases.compactMap { subject in
      let count = checks.count { $0.subject == subject }
      return count > 0 ? "\(count) of \(subject.noun)" : nil
    }
    return (lines + ["", "\(checks.count) check\(checks.count == 1 ? "" : "s"): \(counts.joined(separator: ", "))"])
      .joined(separator: "\n") + "\n"
  }

  package static func page(_ check: Check, width: Int) -> String {
    var page = PageText(width: width)
    page.add("\(check.id): \(check.title)")
    page.addBreak()
    var rows: [(String, String)] =
      [
        ("does", check.action), ("rule", "\(check.rule.level.rawValue): \(check.rule.text)"),
        ("source", check.rule.source), ("wrong", "the \(check.topic.culprit.rawValue), if the check fails"),
        ("means", check.topic.meaning),
      ] + check.topic.advice.map { ("change", "\($0.product): \($0.text)") } + [
        ("profiles", check.profiles.map(\.rawValue).sorted().joined(separator: ", ")),
        ("danger", check.danger.rawValue),
      ]
    if !check.needs.isEmpty { rows.append(("needs", check.needs.joined(separator: ", "))) }
    if !check.peers.isEmpty { rows.append(("elsewhere", check.peers.joined(separator: ", "))) }
    for (name, text) in rows { page.add(name, text, column: 13) }
    return page.text
  }
}
