import Core

/// A due time, an interval or a time zone that cannot be understood.
package struct ScheduleError: Failure, Equatable {
  package let code: String
  package let message: String
  package let hint: String?

  init(_ message: String, code: String = "bad_schedule", hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }
}
