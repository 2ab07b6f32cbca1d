/// Something that happened in a run. Requests have an event of their own, `RecordedExchange`, and so have checks of ID
/// tokens, `IDTokenValidation`. A start is a time by `HostLoop.uptime`.
package enum RunEvent: Sendable {
  /// A log line, also one below the level that is shown.
  case log(level: String, String, fields: [(name: String, value: String)])
  /// An error ended the script.
  case failed(any Error, line: String?, traceback: String?)
  /// The origins of the identity provider, and the address below which the task API is.
  case parties(authority: Set<String>, tasks: String?)
  /// A user agent went to an address.
  case navigated(agent: String, url: String, kind: String, decision: String, start: Double)
  /// A user agent has a page before it.
  case page(agent: String, PageSeen)
  /// A person or a script gave a secret, such as a one-time code.
  case secret(String)
  /// A function of a script or a plugin was called back.
  case calledBack(Callback, start: Double)
  /// An attempt to sign in ended.
  case signedIn(SignInAttempt, start: Double)
  /// The tokens of an account were renewed, or the renewal failed.
  case renewed(account: String, policy: String?, attempt: Int, error: (any Error)?, start: Double)
  /// An import is in another phase, or something happened in it.
  case importing(phase: String, [String: Fact] = [:], error: (any Error)? = nil, start: Double? = nil)

  /// A number or a text about an import.
  package enum Fact: Sendable {
    case number(Int)
    case text(String)
  }

  package struct PageSeen: Sendable {
    package var url: String
    package var status: Int
    package var title: String
    /// The names and types of the visible fields.
    package var fields: [(name: String, type: String)] = []
    package var alerts: [String] = []

    package init(url: String, status: Int, title: String) {
      self.url = url
      self.status = status
      self.title = title
    }
  }

  package struct Callback: Sendable {
    /// The name that scripts know the function by: `on_changed`.
    package var name: String
    /// The line where the function is defined.
    package var defined: String?
    package var plugin: String?
    /// The arguments in a few words.
    package var subject: String?
    /// The result in a few words.
    package var answer: String?
    package var error: (any Error)?

    package init(_ name: String, defined: String?, plugin: String? = nil, error: (any Error)? = nil) {
      self.name = name
      self.defined = defined
      self.plugin = plugin
      self.error = error
    }
  }

  package struct SignInAttempt: Sendable {
    package var flow = "none"
    package var policy: String?
    package var agent = "none"
    package var number: Int
    /// `added`, `updated` or `failed`.
    package var outcome = "failed"
    package var account: String?
    /// The stage at which the attempt failed.
    package var stage: String?
    package var error: (any Error)?

    package init(number: Int) { self.number = number }
  }
}
