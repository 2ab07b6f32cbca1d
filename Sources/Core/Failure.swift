/// An error of this program. A script, the terminal and a log show the same facts about it. Each domain has one error
/// struct (`HTTPError`, `OAuthError`, `SettingsError`, …) that conforms.
package protocol Failure: Error, CustomStringConvertible, Sendable {
  /// A stable name that scripts compare, in snake case: `"unreachable"`, `"invalid_grant"`, `"AADB2C90118"`.
  var code: String { get }
  /// One sentence that says what happened and names the file, line, key, argument or address.
  var message: String { get }
  /// One sentence that says how to solve the problem; nil if the message already says it.
  var hint: String? { get }
  /// The HTTP status, if an HTTP response was the cause.
  var status: Int? { get }
  /// True if the same call may succeed when it is made again.
  var isRetryable: Bool { get }
  /// Further facts by name, such as `correlation_id`.
  var details: [String: String] { get }
}

extension Failure {
  package var hint: String? { nil }
  package var status: Int? { nil }
  package var isRetryable: Bool { false }
  package var details: [String: String] { [:] }
  /// The message with the hint in parentheses.
  package var description: String { hint.map { "\(message) (\($0))" } ?? message }
}
