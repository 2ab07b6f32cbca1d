import Core

/// An answer of the task API that is no success. A request without an answer is an `HTTPError`.
package struct TaskAPIError: Failure {
  package enum Kind: String, Sendable {
    /// The address given is none, or the content type is not one the client writes.
    case invalidSetting = "invalid_setting"
    case badRequest = "bad_request"
    case unauthorized
    case forbidden
    case notFound = "not_found"
    case conflict
    case unsupportedMediaType = "unsupported_media_type"
    case tooManyRequests = "too_many_requests"
    case serverError = "server_error"
    /// The status is fine and the body is not what the API says it sends.
    case unexpectedBody = "unexpected_body"
    case unexpectedStatus = "unexpected_status"
    /// A long answer that cannot be kept on this machine.
    case notKept = "not_kept"
  }

  package var kind: Kind
  package var message: String
  package var hint: String?
  package var status: Int?
  package var details: [String: String]
  /// Seconds to wait before the request is sent again, where the API says so.
  package var retryAfter: Double?
  /// The meaning of the answer; nil without an answer, and for a list that cannot be read.
  package var meaning: AnswerMeaning?
  /// True if the refused token was one that had just been renewed.
  package var isOfRenewedToken = false
  /// True if the answer says that it is about all requests: a quota is spent.
  package var isAboutAllRequests = false

  package init(
    kind: Kind, message: String, hint: String? = nil, status: Int? = nil, details: [String: String] = [:],
    retryAfter: Double? = nil
  ) {
    self.kind = kind
    self.message = message
    self.hint = hint
    self.status = status
    self.details = details
    self.retryAfter = retryAfter
  }

  package var code: String { kind.rawValue }
  package var isRetryable: Bool { kind == .serverError || meaning == .notNow }
}
