import JSON

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

  /// The meaning of a failure that a task service tells.
  /// - Parameters:
  ///   - status: the HTTP status of the service's answer; nil without one.
  ///   - isOfOne: true if the failure is the result of one task, not that of its whole request. Then the next task may well
  ///     be taken, whatever the status: a project is full, a list is not there. Only a wrong token is about all tasks.
  init(ofService status: Int?, asksToWait: Bool, _ isOfOne: Bool) {
    switch status {
    // A lock passes (RFC 4918, 11.3).
    case 423?: self = .notNow
    // The disk of the service is full.
    case 507?: self = isOfOne ? .refused : .doubtful
    // With a wait, too, nobody knows what the service has done.
    case let status? where status != 503 && (500...599).contains(status): self = .brokenOff
    // Some services tell a limit with 403, and Graph tells with 424 that it did not try.
    case _ where asksToWait: self = .notNow
    case nil: self = .refused
    // Services follow no redirect, and the next request meets it, too.
    case let status? where (300..<400).contains(status): self = isOfOne ? .refused : .doubtful
    case let status?:
      let meaning = AnswerMeaning(status: status)
      self = isOfOne && meaning == .doubtful ? .refused : meaning
    }
  }

  /// True if the answer does not tell whether the server did what was asked.
  package var leavesOpen: Bool { self == .unclear || self == .accepted || self == .brokenOff }
}

enum AnswerBody {
  /// An empty body confirms a removal, as does any JSON without an error.
  static func confirmsRemoving(_ body: [UInt8]) -> Bool {
    guard body.contains(where: { !isBlank($0) }) else { return true }
    guard let json = try? JSON(parsing: body) else { return false }
    return errorWord(in: json) == nil
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }

  private static let errorNames: Set = ["error", "errors", "fault", "exception"]
  private static let flagNames: Set = ["success", "succeeded", "ok"]
  private static let failures: Set = ["error", "fail", "failed", "failure", "rejected"]

  private static let tellingNames = errorNames.union(flagNames).union(["status"]).map { Array($0.utf8) }

  /// True for the name of a member that may tell of an error, in ASCII.
  static func mayTellError(_ name: Slice<UnsafeRawBufferPointer>) -> Bool {
    tellingNames.contains { $0.count == name.count && $0.elementsEqual(name.lazy.map { $0 | 0x20 }) }
  }

  /// The member with which an object says that the request failed, such as `"status": "error"`; nil if it says nothing of
  /// the kind. Servers that always send the member leave it empty in a success.
  static func errorWord(in json: JSON) -> String? {
    for (name, value) in json.object ?? [:] {
      let lowercase = name.lowercased()
      let isError =
        switch value {
        case .null, .integer(0), .string(""), .array([]), .object([:]): false
        case .bool(false): flagNames.contains(lowercase)
        case .string(let text) where lowercase == "status": failures.contains(text.lowercased())
        // The status of a problem in JSON (RFC 9457, 3.1.2).
        case .integer(let number) where lowercase == "status": (400...599).contains(number)
        default: errorNames.contains(lowercase)
        }
      if isError { return "\"\(name)\": \(value.encoded().prefix(80))" }
    }
    return nil
  }
}
