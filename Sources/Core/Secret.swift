/// A token, password or key: a value that cannot print itself. Only `reveal()` gives its bytes out. A secret of the
/// host is also registered with `Redaction`: if a server's error message or a URL repeats it, it is replaced before the
/// text is shown.
package struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private let text: String
  /// True for a secret of the host, false for text that a script passes in.
  private let isHosts: Bool

  /// A secret of the host's: from a provider, the account store, the settings, or a person at the terminal.
  package init(_ text: String) {
    self.text = text
    isHosts = true
    Redaction.register(text)
  }

  /// Text that a script passes in as a secret. It is not registered, or scripts could remove any text from messages.
  package init(given text: String) {
    self.text = text
    isHosts = false
    Redaction.note(given: text)
  }

  /// The secret itself, for the place that sends or stores it.
  package func reveal() -> String { text }

  /// Returns the secret and lets scripts of this run know it from now on.
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
