import Core
import HostLoop

/// An error that a script or a host function raises: the error object that scripts see.
package struct LuaError: Failure {
  package var code: String
  package var message: String
  package var hint: String?
  package var status: Int?
  package var isRetryable: Bool
  package var details: [String: String]
  /// The option or the argument that the error is about.
  package var subject: Subject?
  /// Script and line: `import.lua:12`.
  package var location: String?
  /// The Lua stack when it was raised, and below it those of the coroutines that started this one.
  package var traceback: String?
  /// The line between `traceback` and the stack of the raising code; nil where that code has started what went wrong.
  var link: String?
  /// The very value that was raised, so that it arrives as it was at a `pcall` above.
  package var value: LuaValue?

  /// An option or an argument of a call, and the problem with it.
  package struct Subject: Sendable {
    /// The function that was called: `tasks.import`.
    let call: String
    /// The name of the option; nil for an argument.
    let option: String?
    /// The position of the argument, from 1; nil for an option.
    let argument: Int?
    /// The problem in words, without the names of the function and of the option.
    package let problem: String

    package init(_ call: String, option: String? = nil, argument: Int? = nil, _ problem: String) {
      self.call = call
      self.option = option
      self.argument = argument
      self.problem = problem
    }

    /// Returns the name of the option if the error is about an option of that function.
    package func option(of function: String) -> String? { call == function ? option : nil }
  }

  package init(
    code: String, message: String, hint: String? = nil, status: Int? = nil, isRetryable: Bool = false,
    details: [String: String] = [:], subject: Subject? = nil, location: String? = nil, traceback: String? = nil,
    value: LuaValue? = nil
  ) {
    self.code = code
    self.message = Self.bounded(message)
    self.hint = hint
    self.status = status
    self.isRetryable = isRetryable
    self.details = details
    self.subject = subject
    self.location = location
    self.traceback = traceback
    self.value = value
  }

  /// Bytes of a message that somebody may read: one with a name of millions of letters in it is as good when it is cut.
  private static let longestMessage = 64 << 10

  static func bounded(_ text: String) -> String {
    guard text.utf8.count > longestMessage else { return text }
    return "\(String(decoding: text.utf8.prefix(longestMessage), as: UTF8.self))… (\(text.utf8.count) bytes)"
  }

  /// Any Swift error as a script sees it.
  package init(_ error: any Error) {
    switch error {
    case let error as LuaError: self = error
    case let error as any Failure:
      self.init(
        code: error.code, message: error.message, hint: error.hint, status: error.status,
        isRetryable: error.isRetryable, details: error.details)
    case is CancellationError: self.init(code: "canceled", message: "canceled")
    default: self.init(code: "host_error", message: "\(error)")
    }
  }

  /// The seconds that a server asked to wait; nil if it asked for none. `details` have them as text.
  package var retryAfter: Double? {
    details["retry_after"].flatMap { Double($0) }.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
  }

  /// One line: where, and what.
  package var description: String { location.map { "\($0): \(message)" } ?? message }
}
