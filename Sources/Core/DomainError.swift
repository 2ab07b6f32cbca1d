/// The kinds of errors of one domain. The raw value is their usual code.
package protocol FailureKind: RawRepresentable<String>, Hashable, Sendable {
  /// True if the same call may succeed when it is made again.
  var isRetryable: Bool { get }
  /// The code that scripts compare, for an error with these details.
  func code(in details: [String: String]) -> String
}

extension FailureKind {
  package var isRetryable: Bool { false }
  package func code(in details: [String: String]) -> String { rawValue }
}

/// An error of one domain, such as `JOSEError`: a kind, a sentence, a hint and further data. A domain whose errors have
/// more data declares its own struct.
package struct DomainError<Reason: FailureKind>: Failure, Equatable {
  package typealias Kind = Reason

  package var kind: Kind
  package var message: String
  package var hint: String?
  package var status: Int?
  package var details: [String: String]

  package init(
    _ kind: Kind, _ message: String, hint: String? = nil, status: Int? = nil, details: [String: String] = [:]
  ) {
    self.kind = kind
    self.message = message
    self.hint = hint
    self.status = status
    self.details = details
  }

  package var code: String { kind.code(in: details) }
  package var isRetryable: Bool { kind.isRetryable }
}
