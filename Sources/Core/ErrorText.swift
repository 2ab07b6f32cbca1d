/// The message and the hint of any error.
package struct ErrorText: Sendable {
  package let message: String
  package let hint: String?

  package init(_ error: any Error) {
    let failure = error as? any Failure
    message = failure?.message ?? (error is CancellationError ? "canceled" : "\(error)")
    hint = failure?.hint
  }

  /// The message with the hint in parentheses.
  package var sentence: String { hint.map { "\(message) (\($0))" } ?? message }
}
