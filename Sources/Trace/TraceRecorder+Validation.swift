import HostLoop
import JSON
package import OAuth

extension TraceRecorder {
  /// An ID token was checked.
  package func validated(_ validation: IDTokenValidation) {
    var members: [String: JSON] = [
      "token": .string(redaction.label(validation.idToken, .idToken)), "valid": .bool(validation.error == nil),
      "checks": .array(validation.checks.map(check)),
    ]
    members["policy"] = validation.policy.map { .string(redaction.text($0)) }
    members["error"] = validation.error.map { error($0) }
    write("validation", from: HostLoop.uptime - validation.seconds, at: .current, members: members)
  }

  private func check(_ check: IDTokenValidation.Check) -> JSON {
    var members: [String: JSON] = ["name": .string(check.name), "result": .string(check.result.rawValue)]
    members["claim"] = check.claim.map { .string($0) }
    members["expected"] = check.expected.map { redaction.json($0) }
    members["actual"] = check.actual.map { redaction.json($0) }
    return .object(members)
  }
}
