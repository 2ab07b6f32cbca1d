/// The meaning of an answer to a request that adds or removes a task. One table for lanes, ordinary requests, imports,
/// `tasks.add` and `tasks.remove`.
package enum AnswerMeaning: Sendable {
  /// The server did what was asked.
  case confirmed
  /// The server may have done it: the answer is a success or a redirect, but no confirmation.
  case unclear
  /// The server may still do it (RFC 9110, 15.3.3).
  case accepted
  /// The server failed while it worked on the request, or a gateway does not know what the server behind it did.
  case brokenOff
  /// The server did not act on the request, and may take the same request later.
  case notNow
  /// The server did not act on the request because of its content.
  case refused
  /// The server did not act on the request because of its token.
  case unauthorized
  /// The server did not act on the request. The next request may well get the same answer.
  case doubtful

  /// - Parameter isConfirmation: true if the body of a 200 or 201 confirms what was asked; looked at only then.
  package init(status: Int, isConfirmation: @autoclosure () -> Bool = false) {
    switch status {
    case 200, 201: self = isConfirmation() ? .confirmed : .unclear
    case 204: self = .confirmed
    case 202: self = .accepted
    // The request is to be repeated as it is at another address (RFC 9110, 15.4.8 and 15.4.9). After the other
    // redirects it may have been done: the answer to a form is often a redirect to the list.
    case 307, 308: self = .doubtful
    case 401: self = .unauthorized
    case 400, 409, 413, 422: self = .refused
    // 408: the request did not arrive in full (15.5.9). 421: another connection may do (15.5.20). 425: RFC 8470, 5.2.
    // 503 is said before anything is done.
    case 408, 421, 425, 429, 503: self = .notNow
    case 500...599: self = .brokenOff
    case 400...499: self = .doubtful
    default: self = .unclear
    }
  }

  /// True if the answer does not tell whether the server did what was asked.
  package var leavesOpen: Bool { self == .unclear || self == .accepted || self == .brokenOff }
}
