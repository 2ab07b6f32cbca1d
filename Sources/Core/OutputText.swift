/// Text that leaves the process for people or for a file: a log line, a message, an event of a trace.
///
/// Every secret that the process knows is replaced in it, and whatever has the form of a JWT, also where it was cut off. It never goes back to a script, which could test guesses with it.
package struct OutputText: Sendable {
  package let text: String

  package init(_ text: String) {
    var bytes = SecretText(Redaction.output.clean(text))
    bytes.replaceTokens(with: Redaction.placeholder)
    self.text = bytes.text
  }

  /// A line that a person typed into a session, for its history: also without the passwords that the line passes to calls.
  package init(typed line: String) { self.init(Redaction.given.clean(line)) }
}
