import Core

struct UsageError: Failure {
  let message: String
  let hint: String?
  var code: String { "usage" }

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}
