/// Text by which a person decides: a question, the thing that a permission is asked for, the flag that would allow it.
/// It is shown unchanged. If secrets were replaced in it, a script that registers a word as a secret could make the
/// person agree to something else than what is done.
package struct DecisionText: Sendable, Equatable {
  package let text: String

  package init(_ text: String) { self.text = text }
}
