import Core
import HostLoop

/// What a script raised, or what a host function raises in one: the error object that scripts see.
package struct LuaError: Failure {
  package var code: String
  package var message: String
  package var hint: String?
  package var status: Int?
  package var isRetryable: Bool
  package var details: [String: String]
  /// Script and line: `import.lua:12`.
  package var location: String?
  /// The Lua stack when it was raised, and below it those of the coroutines that started this one.
  package var traceback: String?
  /// What stands between `traceback` and the stack of the code that the error is raised in; nil where that code has started
  /// what went wrong.
  var link: String?
  /// The very value that was raised, so that it arrives as it was at a `pcall` above.
  package var value: LuaValue?

  package init(
    code: String, message: String, hint: String? = nil, status: Int? = nil, isRetryable: Bool = false,
    details: [String: String] = [:], location: String? = nil, traceback: String? = nil, value: LuaValue? = nil
  ) {
    self.code = code
    self.message = Self.bounded(message)
    self.hint = hint
    self.status = status
    self.isRetryable = isRetryable
    self.details = details
    self.location = location
    self.traceback = traceback
    self.value = value
  }

  /// Bytes of a message that somebody may read: one with a name of millions of letters in it is as good when it is cut.
  private static let longestMessage = 64 << 10

  /// `text` itself, or its beginning where it is long.
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

  /// One line: where, and what.
  package var description: String { location.map { "\($0): \(message)" } ?? message }
}
