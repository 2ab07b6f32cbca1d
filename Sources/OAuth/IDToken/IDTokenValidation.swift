import HostLoop
package import JSON

/// The checks of an ID token with their results, as an event.
package struct IDTokenValidation: Sendable {
  package enum Result: String, Sendable { case passed, failed, skipped }

  /// One check. The expected and the actual value are as they are compared, so that a time is a number.
  package struct Check: Sendable {
    package var name: String
    package var claim: String?
    package var result = Result.passed
    package var expected: JSON?
    package var actual: JSON?
  }

  /// The token, in compact form.
  package var idToken: String
  package var policy: String?
  /// The checks in order, up to the one that failed.
  package var checks: [Check] = []
  package var error: OAuthError?
  /// The time that the checks took, in seconds, with metadata and keys.
  package var seconds = 0.0
}

/// Notes the checks as they are made. When one throws, the last that was begun is the one that failed.
final class ValidationLog {
  private var validation: IDTokenValidation
  private let start = HostLoop.uptime

  init(_ idToken: String, _ policy: String?) { validation = IDTokenValidation(idToken: idToken, policy: policy) }

  /// A check begins; the one before has passed.
  func check(_ name: String, _ claim: String? = nil, expected: JSON? = nil, actual: JSON? = nil) {
    validation.checks.append(.init(name: name, claim: claim, expected: expected, actual: actual))
  }

  func skip(_ name: String, _ claim: String? = nil, actual: JSON? = nil) {
    validation.checks.append(.init(name: name, claim: claim, result: .skipped, actual: actual))
  }

  func end(_ error: OAuthError?) -> IDTokenValidation {
    if error != nil, let last = validation.checks.indices.last { validation.checks[last].result = .failed }
    validation.error = error
    validation.seconds = HostLoop.uptime - start
    return validation
  }
}
