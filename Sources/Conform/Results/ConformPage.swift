import Core
import Pages

/// A result as a page for the other side: one file that fetches nothing, without scripts.
package enum ConformPage {
  package static func text(_ result: ConformResult) -> String {
    let title = "Conformance of \(result.name)"
    let groups = [Verdict.Outcome.failed, .weak, .unclear].compactMap { section($0, result) }
    let body = HTML.list(
      HTML(
        .header, HTML(.h1, title), HTML(.p, class: "counts", result.counts), facts(result),
        result.signInProblem.map { HTML(.p, class: "problem", "The right sign-in did not work: \($0)") }),
      differences(result), groups, rest(result))
    return HTMLPage(title: title, body: body, style: style).text
  }

  private static func facts(_ result: ConformResult) -> HTML? {
    guard !result.facts.isEmpty else { return nil }
    return HTML(.ul, class: "facts", result.facts.map { HTML(.li, "\($0.name) ", HTML(.b, $0.value)) })
  }

  private static func differences(_ result: ConformResult) -> HTML? {
    var lines: [HTML] = []
    if let expected = result.expected {
      lines += expected.new.map { HTML(.li, HTML(.code, $0), " failed, which is not expected") }
      lines += expected.passed.map { HTML(.li, HTML(.code, $0), " passed, though it is expected to fail") }
    }
    lines += (result.changes ?? []).map {
      HTML(.li, HTML(.code, $0.id), ": \($0.before) before, \($0.now) now")
    }
    guard !lines.isEmpty else { return nil }
    return HTML(.section, class: "card", HTML(.h2, "Differences"), HTML(.ul, lines))
  }

  private static func section(_ outcome: Verdict.Outcome, _ result: ConformResult) -> HTML? {
    let verdicts = result.all(outcome)
    guard !verdicts.isEmpty else { return nil }
    let style = [Verdict.Outcome.failed: "bad", .weak: "warn"][outcome] ?? "quiet"
    return HTML(
      .section, class: "card", HTML(.h2, class: style, "\(verdicts.count) \(outcome.rawValue)"),
      verdicts.map { entry($0, result) })
  }

  private static func entry(_ verdict: Verdict, _ result: ConformResult) -> HTML {
    let check = verdict.check
    let rows: [(String, String)] =
      [
        ("Answer", verdict.detail),
        ("Rule", "\(check.rule.level.rawValue): \(check.rule.text)"), ("Source", check.rule.source),
        ("Who is wrong", "the \(verdict.culprit.rawValue)"), ("For a user", check.topic.meaning),
      ] + check.topic.advice.map { ("Change", "\($0.product): \($0.text)") }
      + (result.expectedReasons[check.id].map { [("Expected", $0)] } ?? [])
    return HTML(
      .article, id: check.id,
      HTML(.h3, check.title, " ", HTML(.code, class: "quiet", check.id)),
      HTML(.dl, rows.map { HTML.list(HTML(.dt, $0.0), HTML(.dd, $0.1)) }), evidence(verdict))
  }

  private static func evidence(_ verdict: Verdict) -> HTML? {
    guard !verdict.evidence.isEmpty else { return nil }
    let items = verdict.evidence.map { item in
      let sent = item.sent.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
      let answer = "\(item.status.map(String.init) ?? "no answer") \(item.code ?? "")"
      return HTML(
        .li, HTML(.code, "\(item.line)  \(item.request)"), sent.isEmpty ? nil : HTML(.pre, sent),
        HTML(.p, HTML(.b, answer), " ", HTML(.code, item.received)))
    }
    return HTML(.details, HTML(.summary, "\(items.count) requests"), HTML(.ol, class: "evidence", items))
  }

  private static func rest(_ result: ConformResult) -> HTML {
    let verdicts = result.verdicts.filter { ![.failed, .weak, .unclear].contains($0.outcome) }
    let rows = verdicts.map { verdict in
      HTML(
        .tr, HTML(.td, class: verdict.outcome == .passed ? "good" : "quiet", verdict.outcome.rawValue),
        HTML(.td, verdict.check.title, HTML(.br), HTML(.code, class: "quiet", verdict.check.id)),
        HTML(.td, class: "wide", verdict.detail), HTML(.td, class: "wide", verdict.check.rule.source))
    }
    let head = ["Outcome", "Check", "Answer", "Source"].enumerated().map { index, name in
      HTML(.th, class: index > 1 ? "wide" : nil, with: ["scope": "col"], name)
    }
    return HTML(.section, class: "card", HTML(.h2, "Other checks"), HTML.table(head, rows))
  }

  private static let style = """
    .counts { font-size: 1.05rem; font-weight: 600; } article { border-top: 1px solid var(--faint); padding: .5rem 0; }
    dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .15rem .9rem; margin: .25rem 0; }
    dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; } .evidence li { margin: .5rem 0; }
    @media (max-width: 40rem) { dl { grid-template-columns: minmax(0, 1fr); } dt { margin-top: .35rem; } .wide { display: none; } }

    """
}
