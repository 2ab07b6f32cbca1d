import Core
import HTTPClient
import Settings

/// An error between the program and the identity provider.
///
/// `code` is the first of these that exists: the AADB2C code of the provider's response (`AADB2C90118`), its OAuth error
/// code (`invalid_grant`), the code of the `HTTPError` or `SettingsError` that was the cause, a code of this program.
/// This program's codes are `malformed_redirect`, `redirect_mismatch`, `state_mismatch`, `issuer_mismatch`, `invalid_parameter`,
/// `malformed_response`, `missing_access_token`, `missing_endpoint`, `malformed_metadata`, `insecure_endpoint`,
/// `malformed_token`, `missing_claim`, `algorithm_not_allowed`, `key_not_found`, `invalid_key`, `signature_mismatch`,
/// `audience_mismatch`, `subject_mismatch`, `authentication_time_mismatch`, `token_too_old`, `token_expired`,
/// `token_not_yet_valid`, `nonce_mismatch`, `authentication_too_old`, `hash_mismatch`, `policy_mismatch`, `no_access_token_scopes`, `unsupported_token_type`,
/// `unsupported_client_authentication`, `unsigned_response`, `not_external_id`, `redirect`,
/// `missing_key`, `registration_mismatch`, `profile_violation`, `authentication_class_mismatch`.
package struct OAuthError: Failure {
  /// The step that failed.
  package enum Stage: String, Sendable {
    /// Building an authorization URL, or reading the redirect that answers it.
    case authorize
    case token
    case refresh
    /// Fetching the metadata document or the keys.
    case metadata
    /// Checking an ID token.
    case validation
  }

  package var code: String
  package var stage: Stage
  package var message: String
  package var hint: String?
  package var status: Int?
  package var isRetryable: Bool
  /// For answers of the provider: `error`, `error_description`, `error_uri`, `correlation_id`, `timestamp`, `retry_after`,
  /// `suberror`, `invalid_attributes`;
  /// for a check that failed: `expected`, `actual`.
  package var details: [String: String]

  /// Seconds after which the provider wants to be asked again, where it said (`Retry-After`); also in `details`.
  package var retryAfter: Double? { details["retry_after"].flatMap { Double($0) } }

  package init(
    _ code: String, _ stage: Stage, _ message: String, hint: String? = nil, status: Int? = nil,
    isRetryable: Bool = false, details: [String: String] = [:]
  ) {
    self.code = code
    self.stage = stage
    self.message = message
    self.hint = hint
    self.status = status
    self.isRetryable = isRetryable
    self.details = details
  }

  /// The same error, which says that the provider may not know the policy if an address with a policy is not there.
  func about(policy: String?, _ settings: Settings) -> OAuthError {
    guard status == 404, details["error"] == nil, let policy, settings.namesPolicies else { return self }
    var error = self
    error.message += "; perhaps there is no policy \"\(policy)\""
    error.hint = settings.advice(aboutPolicy: policy) + (hint.map { "; or \($0)" } ?? "")
    return error
  }

  mutating func wait(_ seconds: Double?) {
    guard let seconds else { return }
    details["retry_after"] = seconds == seconds.rounded() && seconds < 1e9 ? String(Int(seconds)) : String(seconds)
  }

  /// A request that got no answer, or none that could be read to its end; `what` names what was asked for.
  init(_ error: HTTPError, _ stage: Stage, _ what: String) {
    guard error.kind != .permissionDenied else {
      self.init(error.code, stage, error.message, hint: error.hint)
      return
    }
    let isReached = error.kind == .tooLarge || (error.kind == .connectionLost && error.mayHaveBeenReceived)
    var hint = error.hint
    switch error.kind {
    case .timeout, .connectionLost: hint = hint ?? "the provider or the network is in trouble; try again later"
    case .tooLarge: hint = hint ?? "check that the address in the settings is the provider's"
    default: break
    }
    self.init(
      error.code, stage, "\(what) could not be \(isReached ? "read" : "reached"): \(error.message)", hint: hint,
      isRetryable: error.isRetryable, details: error.details)
  }

  /// The same error, of another domain.
  /// - Parameter place: the beginning of the message.
  init(_ error: any Failure, _ stage: Stage, _ place: String = "") {
    self.init(
      error.code, stage, place + error.message, hint: error.hint, status: error.status, details: error.details)
  }

  /// The message states both sides in one line each: a line break from the provider could begin a false hint.
  static func mismatch(
    _ code: String, _ stage: Stage, _ what: String, expected: String, actual: String, hint: String? = nil
  ) -> OAuthError {
    OAuthError(
      code, stage, "\(what): expected \(expected.displayable), got \(actual.displayable)", hint: hint,
      details: ["expected": expected, "actual": actual])
  }

  /// An error response of the provider (RFC 6749, 4.1.2.1 and 5.2): the members of the redirect or of the JSON answer.
  init(provider parameters: [String: String], stage: Stage, status: Int? = nil) {
    let error = parameters["error"].flatMap { $0.isEmpty ? nil : $0 } ?? "unknown_error"
    let description = parameters["error_description"] ?? ""
    let parsed = AADB2CError.parse(description)
    let standard = StandardError.known[error]

    var details = ["error": error]
    for name in ["error_description", "error_uri", "error_codes", "trace_id", "suberror", "invalid_attributes"] {
      details[name] = parameters[name]
    }
    details["correlation_id"] = parsed?.correlationID ?? parameters["correlation_id"]
    details["timestamp"] = parsed?.timestamp ?? parameters["timestamp"]

    let sentence = parsed.map { "\($0.code): \($0.message)" } ?? description.trimmedLines
    let reason = sentence.isEmpty ? standard?.meaning ?? "the provider gave no reason" : sentence
    self.init(
      parsed?.code ?? error, stage, parsed == nil ? "\(error): \(reason)" : reason,
      hint: parsed?.hint ?? standard?.hint, status: status,
      isRetryable: parsed?.isRetryable ?? false || standard?.isRetryable ?? false || status == 429
        || (status ?? 0) >= 500, details: details)
  }
}

extension String {
  /// On one line, without white space or a period at its end, and without what a terminal would take for a command.
  var trimmedLines: String {
    var text = String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory == .control && !$0.properties.isWhitespace ? " " : $0 })
    ).split(whereSeparator: \.isNewline).map { $0.split(separator: " ").joined(separator: " ") }.filter { !$0.isEmpty }
      .joined(separator: " ")
    if text.hasSuffix("."), !text.hasSuffix("..") { text.removeLast() }
    return text
  }
}
