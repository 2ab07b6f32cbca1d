/// Text that a person decides by: a question, what a permission is asked for, the flag that would allow it.
///
/// It is shown as it is. Replacing secrets in it is not for it: whoever could have a word taken for a secret would have
/// the person agree to something else than what is done.
package struct DecisionText: Sendable, Equatable {
  package let text: String

  package init(_ text: String) { self.text = text }
}
