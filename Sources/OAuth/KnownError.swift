/// What an error code means, and what to do about it.
struct KnownError: Sendable {
  var meaning: String
  var hint: String
  var isRetryable: Bool

  init(_ meaning: String, _ hint: String, isRetryable: Bool = false) {
    self.meaning = meaning
    self.hint = hint
    self.isRetryable = isRetryable
  }
}
