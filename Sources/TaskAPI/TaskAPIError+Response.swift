import Core
import HTTPClient
import JSON

extension TaskAPIError {
  /// The purpose of a request that changes a task.
  enum Aim: String {
    case adding = "added"
    case removing = "removed"
  }

  /// Makes an error of `response`, which is no success.
  /// - Parameters:
  ///   - request: what was asked: `POST https://…/api/tasks`.
  ///   - aim: nil for a request that changes nothing.
  init(_ response: HTTPResponse, to request: String, _ aim: Aim? = nil, contentType: String) {
    let explanation = Explanation(response)
    let kind = Kind(status: response.status)
    let wait = response.retryAfter
    let reason = explanation.reason.map { ": \($0)" } ?? ""
    let words = Self.words[response.status] ?? kind.words
    self.init(
      kind: kind, message: Redaction.forScripts("\(request) was answered \(response.status) (\(words))\(reason)"),
      hint: kind.hint(contentType: contentType, wait: wait, location: response.headers["Location"]),
      status: response.status, details: explanation.details.mapValues(Redaction.forScripts), retryAfter: wait)
    if let wait { details["retry_after"] = wait.seconds }
    isAboutAllRequests = response.saysThatAQuotaIsSpent
    setMeaning(AnswerMeaning(status: response.status), aim)
  }

  /// A success that does not say that the task was added or removed.
  static func unconfirmed(_ response: HTTPResponse, to request: String, _ aim: Aim) -> TaskAPIError {
    let expected = aim == .adding ? "a task in JSON" : "JSON without an error"
    var error = unexpectedBody(response, to: request, expected: expected)
    error.setMeaning(AnswerMeaning(status: response.status), aim)
    return error
  }

  /// Says so where nobody knows what became of the task.
  private mutating func setMeaning(_ meaning: AnswerMeaning, _ aim: Aim?) {
    self.meaning = meaning
    guard let aim, meaning.leavesOpen else { return }
    details["fate"] = "unknown"
    switch meaning {
    case .accepted: message += "; the task may still be \(aim.rawValue)"
    case .unclear: message += "; nobody knows whether the task was \(aim.rawValue)"
    default: break
    }
  }

  /// The meanings of statuses without a kind of their own.
  private static let words = [
    202: "accepted, not done", 408: "the request did not arrive in time", 421: "the wrong connection", 425: "too early",
  ]

  /// A success whose body is not what it should be. The `reason` is where it stops being so; nil: from its beginning.
  static func unexpectedBody(
    _ response: HTTPResponse, to request: String, expected: String, reason: String? = nil
  ) -> TaskAPIError {
    // A head without any field is that of an answer that was not waited for.
    let type = response.headers["Content-Type"] ?? (response.headers.fields.isEmpty ? nil : "no content type")
    let start = Explanation.excerpt(response.body)
    return TaskAPIError(
      kind: .unexpectedBody,
      message: Redaction.forScripts(
        "\(request) was answered \(response.status)\(type.map { " with \($0)" } ?? ""), expected \(expected): "
          + (reason ?? (start.isEmpty ? "the body is empty" : "it begins \"\(start)\""))),
      hint: "is taskAPI in the settings the address of the task API?", status: response.status,
      details: type.map { ["content_type": $0] } ?? [:])
  }
}

extension TaskAPIError.Kind {
  init(status: Int) {
    switch status {
    case 400: self = .badRequest
    case 401: self = .unauthorized
    case 403: self = .forbidden
    case 404: self = .notFound
    case 409: self = .conflict
    case 415: self = .unsupportedMediaType
    case 429: self = .tooManyRequests
    case 500...599: self = .serverError
    default: self = .unexpectedStatus
    }
  }

  fileprivate var words: String {
    switch self {
    case .badRequest: "bad request"
    case .unauthorized: "the token is not accepted"
    case .forbidden: "not allowed"
    case .notFound: "not found"
    case .conflict: "conflict"
    case .unsupportedMediaType: "content type not accepted"
    case .tooManyRequests: "too many requests"
    case .serverError: "server error"
    case .unexpectedStatus, .unexpectedBody, .invalidSetting, .notKept: "unexpected"
    }
  }

  fileprivate func hint(contentType: String, wait: Double?, location: String?) -> String? {
    switch self {
    case .unauthorized: "sign in again; the token must be for this API: its client ID, its directory"
    case .forbidden: "the token may lack a scope: see scopes in the settings"
    case .notFound: "see taskAPI and tasksPath in the settings"
    case .unsupportedMediaType:
      // The boundary of a multipart body is nothing anybody has set.
      "contentType in the settings is \(contentType.prefix { $0 != ";" }), set another"
    case .tooManyRequests: wait.map { "try again in \($0.seconds) s" } ?? "try again later"
    case .unexpectedStatus: location.map { "it points to \($0), see taskAPI in the settings" }
    case .serverError: wait.map { "try again in \($0.seconds) s" } ?? "try again later"
    case .badRequest, .conflict, .unexpectedBody, .invalidSetting, .notKept: nil
    }
  }
}

extension Double {
  /// "3", "1.5"
  fileprivate var seconds: String { self == rounded() && self < 1e9 ? String(Int(self)) : String(self) }
}
