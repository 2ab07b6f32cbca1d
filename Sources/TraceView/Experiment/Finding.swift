import JSON
import Pages

/// The result of a deviation: the provider's answer to one thing that a sign-in did wrong.
package struct Finding {
  package enum Outcome: String, Sendable {
    /// By the provider.
    case refused
    /// By this program, which has to.
    case client
    case accepted
    /// The run did not get as far as an answer to the deviation.
    case unclear
    /// The sign-in does not use the feature.
    case notUsed = "not used"
  }

  /// The rule of a standard.
  package struct Rule {
    /// `must`, `should` or `may`.
    package let level: String
    package let text: String
    package let source: String

    package init(level: String, text: String, source: String) {
      self.level = level
      self.text = text
      self.source = source
    }
  }

  package let name: String
  package let title: String
  package let rule: Rule
  package let outcome: Outcome
  /// The error code of a refusal, or the reason why there is no answer; empty for an accepted deviation.
  package let detail: String
  /// The number of the run; nil without one.
  package let run: Int?

  package init(
    _ name: String, _ title: String, _ rule: Rule, _ outcome: Outcome, _ detail: String = "", run: Int? = nil
  ) {
    self.name = name
    self.title = title
    self.rule = rule
    self.outcome = outcome
    self.detail = detail
    self.run = run
  }

  /// The errors of a run that say nothing about the provider's answer.
  private static let unrelated: Set<String> = [
    "unreachable", "tls", "timeout", "connection_lost", "transfer", "canceled", "permission_denied", "script_error",
    "no_input", "no_browser", "port_taken", "listen_failed", "window_closed", "no_webview", "no_display",
    "webview_failed", "missing_credentials", "sign_in_rejected", "temporarily_unavailable", "server_error",
  ]

  /// The outcome and the detail that the end of a run tells.
  /// - Parameter isForClient: true if this program has to refuse the deviation.
  package static func reading(_ run: Experiment.Run, isForClient: Bool) -> (outcome: Outcome, detail: String) {
    guard let failure = run.signInFailure else { return (.accepted, "") }
    guard !unrelated.contains(failure.code), !failure.code.hasPrefix("http_5") else {
      return (.unclear, "\(failure.code): \(failure.message)")
    }
    return (isForClient ? .client : .refused, failure.code)
  }

  /// True if the provider accepts the deviation, against a rule that it must or should follow.
  var isWeakness: Bool { outcome == .accepted && rule.level != "may" }
}

extension Experiment {
  /// The results of the deviations as a table for the terminal.
  func findingsText(width: Int?, paint: (String, String) -> String) -> String {
    var grid = TextGrid(header: ["#", "deviation", "answer", "code", "standard"], numeric: [0], flexible: 3)
    for finding in findings {
      var row = TextGrid.Row(cells: [
        finding.run.map(String.init) ?? "", finding.title, finding.outcome.rawValue, finding.detail,
        "\(finding.rule.level): \(finding.rule.source)",
      ])
      row.style = finding.isWeakness ? "31" : ["notUsed", "unclear"].contains("\(finding.outcome)") ? "2" : ""
      grid.rows.append(row)
    }
    return grid.text(width: width, paint) + "\n" + findingsSummary + "\n"
  }

  /// `refuses 11 of 12; accepts: a refresh token a second time (must: RFC 9700, 2.2.2)`
  var findingsSummary: String {
    func all(_ outcome: Finding.Outcome) -> [Finding] { findings.filter { $0.outcome == outcome } }
    let accepted = all(.accepted)
    let refused = all(.refused).count
    var parts = ["\(provider ?? "the provider") refuses \(refused) of \(refused + accepted.count)"]
    if !accepted.isEmpty {
      let names = accepted.map { "\($0.title) (\($0.rule.level): \($0.rule.source))" }
      parts.append("accepts: \(names.joined(separator: ", "))")
    }
    let checkedHere = all(.client).count
    if checkedHere > 0 { parts.append("this program refuses \(checkedHere)") }
    let unclear = all(.unclear).count
    if unclear > 0 { parts.append("\(unclear) unclear") }
    let unused = all(.notUsed).count
    if unused > 0 { parts.append("\(unused) not used") }
    return parts.joined(separator: "; ")
  }

  var findingsJSON: JSON {
    var members: [String: JSON] = [
      "script": .string(subject), "summary": .string(findingsSummary), "deviations": .array(findings.map(\.json)),
      "runs": .array(runs.map(json)),
    ]
    members.merge(factMembers) { own, _ in own }
    return .object(members)
  }
}

extension Finding {
  fileprivate var json: JSON {
    var members: [String: JSON] = [
      "name": .string(name), "title": .string(title), "outcome": .string(outcome.rawValue),
      "rule": .object(["level": .string(rule.level), "text": .string(rule.text), "source": .string(rule.source)]),
    ]
    members["run"] = run.map { .integer(Int64($0)) }
    if !detail.isEmpty {
      members[outcome == .refused || outcome == .client ? "code" : "reason"] = .string(detail)
    }
    return .object(members)
  }
}

/// The table of deviations on a page.
enum FindingsHTML {
  static func table(_ experiment: Experiment) -> HTML {
    let names = ["run", "deviation", "answer", "code", "standard", "rule"]
    let first =
      experiment.runs.isEmpty
      ? [] : [ExperimentPage.row(1, ["nothing wrong", "", "", "", ""], names, isBad: false)]
    let rows = experiment.findings.map { finding in
      ExperimentPage.row(
        finding.run,
        [
          finding.title, finding.outcome.rawValue, finding.detail, finding.rule.source,
          "\(finding.rule.level): \(finding.rule.text)",
        ], names, isBad: finding.isWeakness)
    }
    return .table(class: "runs", TracePage.columns(names), first + rows)
  }
}
