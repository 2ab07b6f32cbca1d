/// A token, password or key: a value that cannot print itself.
///
/// Its bytes leave only by `reveal()`. Making one of the host's also registers it with `Redaction`, so that text which came
/// to hold it by another way (a server's error message, a URL) is cleaned before it is shown.
package struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private let text: String
  /// Whether the secret is the host's; false for text that a script passes in.
  private let isHosts: Bool

  /// A secret of the host's: from a provider, the account store, the settings, or a person at the terminal.
  package init(_ text: String) {
    self.text = text
    isHosts = true
    Redaction.register(text)
  }

  /// Text that a script passes in where a secret is expected. It is registered nowhere: a script that could register any
  /// text could take that text out of what people read.
  package init(given text: String) {
    self.text = text
    isHosts = false
    Redaction.note(given: text)
  }

  /// The secret itself, for the place that sends or stores it.
  package func reveal() -> String { text }

  /// Returns the secret, of which scripts of this run may know from now on.
  @discardableResult
  package func shared() -> Secret {
    if isHosts { Redaction.share(text) }
    return self
  }

  package var isEmpty: Bool { text.isEmpty }
  package var description: String { Redaction.placeholder }
  package var debugDescription: String { Redaction.placeholder }
  package var customMirror: Mirror { Mirror(reflecting: Redaction.placeholder) }
}

extension Secret: Hashable {
  package static func == (one: Secret, other: Secret) -> Bool { one.text == other.text }
  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
