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

  /// True if the answer does not tell whether the server did what was asked.
  package var leavesOpen: Bool { self == .unclear || self == .accepted || self == .brokenOff }
}

enum AnswerBody {
  /// An empty body confirms a new task, as does a JSON object with the task's text or ID and without an error.
  static func confirmsAdding(_ body: [UInt8]) -> Bool {
    body.withUnsafeBytes { bytes in
      let bytes = trimmed(bytes)
      guard !bytes.isEmpty else { return true }
      guard bytes[0] == UInt8(ascii: "{") else { return false }
      if let answer = confirmsPlainly(bytes) { return answer }
      guard let json = try? JSON(parsing: Array(bytes)), let task = APITask(json) else { return false }
      return !hasError(json) && (!task.text.isEmpty || task.id.map { $0 != "" } ?? false)
    }
  }

  /// An empty body confirms a removal, as does any JSON without an error.
  static func confirmsRemoving(_ body: [UInt8]) -> Bool {
    guard body.contains(where: { !isBlank($0) }) else { return true }
    guard let json = try? JSON(parsing: body) else { return false }
    return !hasError(json)
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }

  private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard let start = bytes.firstIndex(where: { !isBlank($0) }), let end = bytes.lastIndex(where: { !isBlank($0) })
    else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(rebasing: bytes[start...end])
  }

  /// The answer for a plain object, which is nearly every one, at the cost of one pass over it; nil for others.
  private static func confirmsPlainly(_ bytes: UnsafeRawBufferPointer) -> Bool? {
    var reader = PlainTask.Reader(bytes: bytes, position: 1)
    var isTask = false
    repeat {
      guard let name = reader.string(), reader.take(UInt8(ascii: ":")), let value = reader.scalar() else { return nil }
      switch name.count {
      case 5, 6: if errorNames.contains(where: { reader.holds(name, $0) }) { return nil }
      case 2...4 where !isTask && !value.isNull && !value.range.isEmpty:
        isTask = taskNames.contains { reader.holds(name, $0) }
      default: break
      }
    } while reader.take(UInt8(ascii: ","))
    guard reader.take(UInt8(ascii: "}")), reader.position == bytes.count else { return nil }
    return isTask
  }

  private static let taskNames = APITask.idNames + APITask.textNames
  private static let errorNames = ["error", "Error", "errors", "Errors"]

  /// True if the object names an error. Servers that always send the member leave it empty in a success.
  private static func hasError(_ json: JSON) -> Bool {
    errorNames.contains { name in
      switch json[name] {
      case nil, .null, .bool(false), .integer(0), .string(""), .array([]), .object([:]): false
      default: true
      }
    }
  }
}
