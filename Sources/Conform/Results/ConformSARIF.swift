package import JSON

/// A result as SARIF 2.1.0, as code hosts show it: each check is a rule with a help text.
package enum ConformSARIF {
  private static let schema = "https://json.schemastore.org/sarif-2.1.0.json"
  private static let levels: [Verdict.Outcome: String] = [.failed: "error", .weak: "warning", .unclear: "note"]

  package static func json(_ result: ConformResult, version: String) -> JSON {
    let rules = result.verdicts.map(\.check)
    let results = result.verdicts.enumerated().compactMap { index, verdict in entry(verdict, index, result) }
    return [
      "$schema": .string(schema), "version": "2.1.0",
      "runs": [
        [
          "tool": [
            "driver": [
              "name": "b2c-run conform", "version": .string(version.isEmpty ? "0" : version),
              "rules": .array(rules.map(rule)),
            ]
          ],
          "results": .array(results),
          "invocations": [["executionSuccessful": .bool(result.signInProblem == nil)]],
        ]
      ],
    ]
  }

  private static func rule(_ check: Check) -> JSON {
    let advice = check.topic.advice.map { "\($0.product): \($0.text)" }.joined(separator: "\n")
    let help = "\(check.rule.level.rawValue): \(check.rule.text) (\(check.rule.source))\n\(check.topic.meaning)\n\(advice)"
    return [
      "id": .string(check.id), "name": .string(check.title), "shortDescription": ["text": .string(check.title)],
      "fullDescription": ["text": .string("The check \(check.action).")], "help": ["text": .string(help)],
      "defaultConfiguration": ["level": .string(["must": "error", "should": "warning"][check.rule.level.rawValue] ?? "note")],
      "properties": ["tags": .array(check.profiles.map(\.rawValue).sorted().map(JSON.string))],
    ]
  }

  private static func entry(_ verdict: Verdict, _ index: Int, _ result: ConformResult) -> JSON? {
    guard let level = levels[verdict.outcome] else { return nil }
    var members: [String: JSON] = [
      "ruleId": .string(verdict.check.id), "ruleIndex": .integer(Int64(index)), "level": .string(level),
      "message": ["text": .string("\(verdict.check.title): \(verdict.detail)")],
      "locations": [
        [
          "physicalLocation": ["artifactLocation": ["uri": .string(uri(result.name))]],
          "logicalLocations": [["fullyQualifiedName": .string(verdict.evidence.last?.request ?? result.name)]],
        ]
      ],
    ]
    if let reason = result.expectedReasons[verdict.check.id] {
      members["suppressions"] = [["kind": "external", "justification": .string(reason)]]
    }
    return .object(members)
  }

  /// A name that may stand for a file: a command line has spaces.
  private static func uri(_ name: String) -> String {
    String(name.map { $0.isWhitespace || "\"<>\\^`{|}%".contains($0) ? "-" : $0 })
  }
}
