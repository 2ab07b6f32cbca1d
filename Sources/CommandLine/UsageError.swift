import Core

/// A command line that cannot be understood.
package struct UsageError: Failure {
  package let message: String
  package let hint: String?
  /// The option that the error is about.
  package let option: CommandOption?
  /// The message without the name of the command.
  package let problem: String
  package var code: String { "usage" }

  package init(_ message: String, _ option: CommandOption? = nil, hint: String? = nil) {
    self.init(message, option, hint: hint, problem: message)
  }

  private init(_ message: String, _ option: CommandOption?, hint: String?, problem: String) {
    self.message = message
    self.hint = hint
    self.option = option
    self.problem = problem
  }

  /// The same error, with the name of the command in front.
  package func of(_ command: String) -> UsageError {
    UsageError("\(command): \(message)", option, hint: hint, problem: problem)
  }
}
