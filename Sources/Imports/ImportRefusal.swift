import Core

/// Why an import does not begin with the options that it has, or why this machine does not help with one.
package struct ImportRefusal: Failure {
  package enum Kind: String, Sendable {
    case invalidOption = "invalid_argument"
    /// The store of accounts is no database.
    case noDatabase = "no_database"
    /// There are imports, and this machine can help with none of them.
    case cannotHelp = "cannot_help"
    /// An import stopped while this machine helped with it.
    case stopped
    case noAccount = "no_account"
    /// A plan is for another account, another server, or another plan has its place.
    case planElsewhere = "plan_elsewhere"
    /// An undo took back what a plan had done.
    case planTakenBack = "plan_taken_back"
    /// An import or a plan cannot be taken back.
    case cannotUndo = "cannot_undo"
    /// The settings of this machine name another task API than the import has.
    case otherAPI = "other_api"
  }

  /// An option, and the problem with it in words.
  package struct Subject: Sendable {
    package let option: String
    package let problem: String
  }

  package let kind: Kind
  package let message: String
  package let hint: String?
  /// The option that the error is about.
  package let subject: Subject?

  init(_ kind: Kind, _ message: String, hint: String? = nil, subject: Subject? = nil) {
    self.kind = kind
    self.message = message
    self.hint = hint
    self.subject = subject
  }

  /// An error that names the call and the option: `tasks.import: option 'rate': …`.
  init(_ call: String, option: String, _ problem: String, hint: String? = nil) {
    self.init(
      .invalidOption, "\(call): option '\(option)': \(problem)", hint: hint,
      subject: Subject(option: option, problem: problem))
  }

  package var code: String { kind.rawValue }
}

/// The code, the message and the hint of any error.
struct ErrorWords {
  let code: String
  let message: String
  let hint: String?

  init(_ error: any Error) {
    switch error {
    case let error as any Failure: (code, message, hint) = (error.code, error.message, error.hint)
    case is CancellationError: (code, message, hint) = ("canceled", "canceled", nil)
    default: (code, message, hint) = ("host_error", "\(error)", nil)
    }
  }
}
