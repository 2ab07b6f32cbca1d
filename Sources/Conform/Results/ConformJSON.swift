package import JSON

extension Check {
  package var json: JSON {
    var members: [String: JSON] = [
      "id": .string(id), "title": .string(title), "does": .string(action), "level": .string(rule.level.rawValue),
      "rule": .string(rule.text), "source": .string(rule.source), "danger": .string(danger.rawValue),
      "profiles": .array(profiles.map(\.rawValue).sorted().map(JSON.string)),
      "wrong": .string(topic.culprit.rawValue), "means": .string(topic.meaning),
      "change": .object(
        Dictionary(topic.advice.map { ($0.product, JSON.string($0.text)) }) { first, _ in first }),
    ]
    if !needs.isEmpty { members["needs"] = .array(needs.map(JSON.string)) }
    if !peers.isEmpty { members["elsewhere"] = .array(peers.map(JSON.string)) }
    return .object(members)
  }
}

extension Evidence {
  var json: JSON {
    var members: [String: JSON] = [
      "request": .string(request), "received": .string(received), "line": .integer(Int64(line)),
      "sent": .array(sent.map { ["name": .string($0.name), "value": .string($0.value)] }),
    ]
    members["status"] = status.map { .integer(Int64($0)) }
    members["code"] = code.map(JSON.string)
    return .object(members)
  }
}

extension Verdict {
  var json: JSON {
    var members = check.json.object ?? [:]
    members["outcome"] = .string(outcome.rawValue)
    members["detail"] = .string(detail)
    members["wrong"] = .string(culprit.rawValue)
    members["evidence"] = .array(evidence.map(\.json))
    return .object(members)
  }
}

extension ConformResult {
  /// The result for programs, and for `--baseline`.
  package var json: JSON {
    var members: [String: JSON] = [
      "format": "b2c-run conform 1", "subject": .string(subject.rawValue), "name": .string(name),
      "checks": .array(verdicts.map(\.json)),
      "counts": .object(
        Dictionary(uniqueKeysWithValues: Verdict.Outcome.allCases.map { ($0.rawValue, .integer(Int64(count($0)))) })),
      "facts": .object(Dictionary(facts.map { ($0.name, JSON.string($0.value)) }) { first, _ in first }),
    ]
    members["sign_in_problem"] = signInProblem.map(JSON.string)
    if let expected {
      members["not_expected"] = .array(expected.new.map(JSON.string))
      members["passed_unexpectedly"] = .array(expected.passed.map(JSON.string))
    }
    members["changes"] = changes.map { changes in
      .array(
        changes.map {
          ["id": .string($0.id), "before": .string($0.before), "now": .string($0.now)]
        })
    }
    return .object(members)
  }

  /// The checks of both results whose outcome is another one now; nil if the JSON is no result.
  package func changes(since earlier: JSON) -> [Change]? {
    guard earlier["format"]?.string == json["format"]?.string, let checks = earlier["checks"]?.array else { return nil }
    var before: [String: String] = [:]
    for check in checks { if let id = check["id"]?.string { before[id] = check["outcome"]?.string } }
    return verdicts.compactMap { verdict in
      let (id, now) = (verdict.check.id, verdict.outcome.rawValue)
      return before[id].flatMap { $0 == now ? nil : Change(id: id, before: $0, now: now) }
    }
  }
}
