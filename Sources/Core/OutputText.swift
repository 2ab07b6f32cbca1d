/// Text that leaves the process for people or for a file: a log line, a message, an event of a trace. All secrets that
/// the process knows are replaced in it, and all words in the form of a JWT, even cut off ones. It never goes back to a
/// script, which could test guesses with it.
package struct OutputText: Sendable {
  package let text: String

  package init(_ text: String) {
    var bytes = SecretText(Redaction.output.clean(text))
    bytes.replaceTokens(with: Redaction.placeholder)
    self.text = bytes.text
  }

  /// A line that a person typed into a session, for the history. The passwords in the line are replaced too.
  package init(typed line: String) { self.init(Redaction.given.clean(line)) }
}
