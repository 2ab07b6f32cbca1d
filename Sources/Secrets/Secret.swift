/// A token, password or key: a value that cannot print itself.
///
/// Its bytes leave only by `reveal()`. Making one also registers it with `Redaction`, so that text which came to hold
/// it by another way (a server's error message, a URL) is cleaned before it is shown.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private let text: String

  package init(_ text: String) {
    self.text = text
    Redaction.register(text)
  }

  /// The secret itself, for the place that sends or stores it.
  package func reveal() -> String { text }

  package var isEmpty: Bool { text.isEmpty }
  package var description: String { Redaction.placeholder }
  package var debugDescription: String { Redaction.placeholder }
  package var customMirror: Mirror { Mirror(reflecting: Redaction.placeholder) }
}
