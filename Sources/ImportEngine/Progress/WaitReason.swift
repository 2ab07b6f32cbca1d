import Core

/// The reason why nothing is sent for a while.
package enum WaitReason: Sendable, Hashable {
  /// The server asked for it (`Retry-After`) with this status.
  case asked(status: Int)
  case unreachable
  /// The server answered several requests in a row with errors, or did not answer.
  case failing
  case tokenRefused

  init(_ error: (any Error)?) {
    if let error = error as? any Failure, let status = error.status {
      self = error.details["retry_after"] == nil ? .failing : .asked(status: status)
    } else {
      self = .unreachable
    }
  }

  /// A stable name for programs: `retry_after`, `unreachable`, `failing`, `token_refused`.
  package var code: String {
    switch self {
    case .asked: "retry_after"
    case .unreachable: "unreachable"
    case .failing: "failing"
    case .tokenRefused: "token_refused"
    }
  }

  /// The reason for people.
  package var description: String {
    switch self {
    case .asked(let status): "the server asked for it (\(status))"
    case .unreachable: "the server cannot be reached"
    case .failing: "the server fails"
    case .tokenRefused: "the server refuses a token that was just renewed"
    }
  }
}
