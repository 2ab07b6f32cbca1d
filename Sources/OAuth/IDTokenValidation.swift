package import JSON

/// The checks of an ID token with their results, as an event.
package struct IDTokenValidation: Sendable {
  package enum Result: String, Sendable {
    case passed, failed, skipped
  }

  /// One of them. What is expected and what is there are as they are compared, so that a time is a number.
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
  /// In order, up to the one that failed.
  package var checks: [Check] = []
  package var error: OAuthError?
  /// Seconds that it took, those for metadata and keys included.
  package var seconds = 0.0
}

/// Notes the checks as they are made. Where one throws, the last that was begun is the one that failed.
final class ValidationLog {
  private(set) var checks: [IDTokenValidation.Check] = []

  /// A check begins; the one before has passed.
  func check(_ name: String, _ claim: String? = nil, expected: JSON? = nil, actual: JSON? = nil) {
    checks.append(.init(name: name, claim: claim, expected: expected, actual: actual))
  }

  /// There is nothing to compare with.
  func skip(_ name: String, _ claim: String? = nil, actual: JSON? = nil) {
    checks.append(.init(name: name, claim: claim, result: .skipped, actual: actual))
  }

  func failed() {
    if let last = checks.indices.last { checks[last].result = .failed }
  }
}
