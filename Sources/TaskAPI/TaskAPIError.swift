import Core
import HTTPClient

/// An answer of the task API that is no success. A request without an answer is an `HTTPError`.
package struct TaskAPIError: Failure {
  package enum Kind: String, Sendable {
    /// The address is not a web address, or the client does not write the content type.
    case invalidSetting = "invalid_setting"
    case badRequest = "bad_request"
    case unauthorized, forbidden, conflict
    /// The API demands another sign-in (RFC 9470); `details` has `acr_values` and `max_age`.
    case insufficientUserAuthentication = "insufficient_user_authentication"
    case notFound = "not_found"
    case unsupportedMediaType = "unsupported_media_type"
    case tooManyRequests = "too_many_requests"
    case serverError = "server_error"
    /// The status is a success, but the body is not what the API sends.
    case unexpectedBody = "unexpected_body"
    case unexpectedStatus = "unexpected_status"
    /// The API knows no changes of tasks.
    case cannotChange = "cannot_change"
    /// A field of the task is longer than the service takes.
    case tooLong = "too_long"
    /// The service has no such list.
    case unknownList = "unknown_list"
    /// Several lists of the service have the name.
    case ambiguousList = "ambiguous_list"
    /// The token of a list of changes is not known any more.
    case tokenTooOld = "token_too_old"
    /// The plugin with the service is wrong.
    case brokenService = "broken_service"
    /// This machine cannot keep a long answer.
    case notKept = "not_kept"
  }

  package enum Aim: String, Sendable {
    case adding = "added"
    case removing = "removed"
    case changing = "changed"
  }

  package var kind: Kind
  package var message: String
  package var hint: String?
  package var status: Int?
  package var details: [String: String] = [:]
  /// The seconds until the request may be sent again, if the API says so.
  package var retryAfter: Double?
  /// The meaning of the answer; nil without an answer, and for a list that cannot be read.
  package var meaning: AnswerMeaning?
  /// True if the refused token had just been renewed.
  package var isOfRenewedToken = false
  /// True if the answer says that it is about all requests: a quota is spent.
  package var isAboutAllRequests = false

  package var code: String { kind.rawValue }
  package var isRetryable: Bool { kind == .serverError || meaning == .notNow }
}

extension TaskAPIError {
  /// A failure that a task service tells.
  /// - Parameters:
  ///   - code: one of `Kind`; another one, or nil, for that of the status.
  ///   - status: the HTTP status of the service's answer; nil without one.
  ///   - isOfOne: true if the failure is one task's, not its whole request's: a wait then holds its row alone.
  ///   - aim: what the service was to do; nil for a request that changes nothing.
  package static func ofService(
    code: String?, message: String, hint: String?, status: Int?, retryAfter: Double?, isOfOne: Bool,
    _ aim: Aim? = nil
  ) -> TaskAPIError {
    var error = TaskAPIError(
      kind: code.flatMap(Kind.init) ?? status.map { Self.kind(of: $0).0 } ?? .badRequest,
      message: Redaction.forScripts(message), hint: hint, status: status, retryAfter: retryAfter)
    if let retryAfter { error.details["retry_after"] = retryAfter.seconds }
    error.isAboutAllRequests = !isOfOne
    let meaning =
      code == "unknown" ? .brokenOff : AnswerMeaning(ofService: status, asksToWait: retryAfter != nil, isOfOne)
    error.setMeaning(meaning, aim)
    return error
  }

  /// The failure of a request that is not sent, because an earlier one was answered like this with a wait that goes on.
  package func notSent(again seconds: Double) -> TaskAPIError {
    var error = self
    (error.meaning, error.retryAfter, error.isAboutAllRequests) = (.notNow, seconds, true)
    error.details["fate"] = nil
    error.details["retry_after"] = seconds.seconds
    return error
  }

  /// The plugin with a service is wrong: no row can be added, and nobody knows what became of those that it has got.
  package static func brokenService(_ message: String, hint: String? = nil) -> TaskAPIError {
    TaskAPIError(kind: .brokenService, message: message, hint: hint, details: ["fate": "unknown"])
  }

  /// Makes an error of `response`, which is no success. `aim` is nil for a request that changes nothing.
  /// - Parameter request: the method and the address, such as `POST https://…/api/tasks`.
  init(_ response: HTTPResponse, to request: String, _ aim: Aim? = nil, contentType: String) {
    let explanation = Explanation(response)
    let wait = response.retryAfter
    var (kind, words) = Self.kind(of: response.status)
    let demand = response.stepUp
    if let demand { (kind, words) = (.insufficientUserAuthentication, "another sign-in is needed\(demand.words)") }
    let reason = explanation.reason.map { ": \($0)" } ?? ""
    self.init(
      kind: kind, message: Redaction.forScripts("\(request) was answered \(response.status) (\(words))\(reason)"),
      hint: kind.hint(contentType: contentType, wait: wait, location: response.headers["Location"]),
      status: response.status, details: explanation.details.mapValues(Redaction.forScripts), retryAfter: wait)
    details.merge(demand?.details ?? [:]) { $1 }
    if let wait { details["retry_after"] = wait.seconds }
    isAboutAllRequests = response.isQuotaSpent
    // Some APIs tell a limit with 403.
    let isLimit = response.status == 403 && wait != nil
    setMeaning(isLimit ? .notNow : AnswerMeaning(status: response.status), aim)
  }

  /// A success that does not say that the task was added or removed.
  /// - Parameter doubt: the reason; nil: the body is not what is expected.
  static func unconfirmed(
    _ response: HTTPResponse, to request: String, _ aim: Aim, because doubt: String? = nil
  ) -> TaskAPIError {
    let expected = aim == .removing ? "JSON without an error" : "a task in JSON"
    var error = unexpectedBody(response, to: request, expected: expected, reason: doubt)
    error.setMeaning(AnswerMeaning(status: response.status), aim)
    return error
  }

  /// A success that cannot be about the task that was sent: nobody knows whether it was added.
  package static func implausible(_ sentence: String) -> TaskAPIError {
    var error = TaskAPIError(kind: .unexpectedBody, message: Redaction.forScripts(sentence), status: 200)
    error.setMeaning(.unclear, .adding)
    return error
  }

  /// A success with an unexpected body. The `reason` says where the body goes wrong; nil: at its beginning.
  static func unexpectedBody(
    _ response: HTTPResponse, to request: String, expected: String, reason: String? = nil
  ) -> TaskAPIError {
    // A head without a field means that the answer was not waited for.
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

  /// Sets the meaning, and adds to the message if nobody knows whether the task was changed.
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

  private static func kind(of status: Int) -> (Kind, words: String) {
    switch status {
    case 400: (.badRequest, "bad request")
    case 401: (.unauthorized, "the token is not accepted")
    case 403: (.forbidden, "not allowed")
    case 404: (.notFound, "not found")
    case 409: (.conflict, "conflict")
    case 412: (.conflict, "the task has changed since it was read")
    case 415: (.unsupportedMediaType, "content type not accepted")
    case 429: (.tooManyRequests, "too many requests")
    case 500...599: (.serverError, "server error")
    case 202: (.unexpectedStatus, "accepted, not done")
    case 408: (.unexpectedStatus, "the request did not arrive in time")
    case 421: (.unexpectedStatus, "the wrong connection")
    case 425: (.unexpectedStatus, "too early")
    default: (.unexpectedStatus, "unexpected")
    }
  }
}

extension TaskAPIError.Kind {
  fileprivate func hint(contentType: String, wait: Double?, location: String?) -> String? {
    switch self {
    case .unauthorized: "sign in again; the token must be for this API: its client ID, its directory"
    case .forbidden: "the token may lack a scope: see scopes in the settings"
    case .notFound: "see taskAPI and tasksPath in the settings"
    // Nobody has set the boundary of a multipart body.
    case .unsupportedMediaType: "contentType in the settings is \(contentType.prefix { $0 != ";" }), set another"
    case .tooManyRequests, .serverError: wait.map { "try again in \($0.seconds) s" } ?? "try again later"
    case .unexpectedStatus: location.map { "it points to \($0), see taskAPI in the settings" }
    case .insufficientUserAuthentication: StepUpDemand.hint
    case .badRequest, .conflict, .unexpectedBody, .invalidSetting, .notKept, .cannotChange, .tooLong, .unknownList,
      .ambiguousList, .tokenTooOld, .brokenService:
      nil
    }
  }
}

extension Double {
  fileprivate var seconds: String { self == rounded() && self < 1e9 ? String(Int(self)) : String(self) }
}
