import Diagnostics

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
  /// Seconds to wait before the next request, where the API says so.
  package var retryAfter: Double?

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
  package var isRetryable: Bool { kind == .tooManyRequests || kind == .serverError }
}
