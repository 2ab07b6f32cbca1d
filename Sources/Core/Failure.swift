/// What every error of this program can say of itself, so that a script, the terminal and a log show the same.
///
/// Each domain has one error struct (`HTTPError`, `OAuthError`, `SettingsError`, …) that conforms.
package protocol Failure: Error, CustomStringConvertible, Sendable {
  /// A stable name that scripts compare, in snake case: `"unreachable"`, `"invalid_grant"`, `"AADB2C90118"`.
  var code: String { get }
  /// One sentence: what happened, naming the file, line, key, argument or address.
  var message: String { get }
  /// One sentence: what to do about it; nil where the message already says it.
  var hint: String? { get }
  /// The HTTP status, where an HTTP answer was the cause.
  var status: Int? { get }
  /// Whether the same call may succeed when it is made again.
  var isRetryable: Bool { get }
  /// Further facts by name, such as `correlation_id`.
  var details: [String: String] { get }
}

extension Failure {
  package var hint: String? { nil }
  package var status: Int? { nil }
  package var isRetryable: Bool { false }
  package var details: [String: String] { [:] }
  /// The message, and the hint behind a dash.
  package var description: String { hint.map { "\(message) (\($0))" } ?? message }
}
