extension OAuthError {
  /// An error response of the provider (RFC 6749, 4.1.2.1 and 5.2), nothing of it dropped.
  ///
  /// - Parameter parameters: the members of the redirect or of the JSON answer.
  init(provider parameters: [String: String], stage: Stage, status: Int? = nil) {
    let error = parameters["error"].flatMap { $0.isEmpty ? nil : $0 } ?? "unknown_error"
    let description = parameters["error_description"] ?? ""
    let parsed = AADB2CError.parse(description)
    let standard = StandardError.known[error]

    var details = ["error": error]
    for name in ["error_description", "error_uri", "error_codes", "trace_id"] { details[name] = parameters[name] }
    details["correlation_id"] = parsed?.correlationID ?? parameters["correlation_id"]
    details["timestamp"] = parsed?.timestamp ?? parameters["timestamp"]

    let sentence = parsed.map { "\($0.code): \($0.message)" } ?? description.trimmedLines
    let reason = sentence.isEmpty ? standard?.meaning ?? "the provider gave no reason" : sentence
    self.init(
      parsed?.code ?? error, stage, parsed == nil ? "\(error): \(reason)" : reason,
      hint: parsed?.hint ?? standard?.hint,
      status: status,
      isRetryable: parsed?.isRetryable ?? false || standard?.isRetryable ?? false || status == 429
        || (status ?? 0) >= 500,
      details: details)
  }
}

/// The error codes of RFC 6749 and OpenID Connect Core, 3.1.2.6.
private struct StandardError {
  var meaning: String
  var hint: String?
  var isRetryable = false

  static let known: [String: StandardError] = [
    "invalid_request": .init(meaning: "a parameter is missing, occurs twice or has a wrong value"),
    "invalid_client": .init(
      meaning: "the application is unknown, or its secret is wrong",
      hint: "check clientID and clientSecret in the settings"),
    "invalid_grant": .init(
      meaning: "the code or refresh token is expired, revoked, used already or of another application",
      hint: "sign in again"),
    "unauthorized_client": .init(
      meaning: "the application may not use this grant", hint: "allow it where the application is registered"),
    "unsupported_grant_type": .init(meaning: "the provider does not know this grant type"),
    "unsupported_response_type": .init(meaning: "the provider does not know this response type"),
    "invalid_scope": .init(
      meaning: "a scope is unknown or not allowed for this application", hint: "check scopes in the settings"),
    "access_denied": .init(meaning: "the user or the provider refused"),
    "server_error": .init(meaning: "the provider failed", hint: "try again later", isRetryable: true),
    "temporarily_unavailable": .init(
      meaning: "the provider is overloaded or down", hint: "try again later", isRetryable: true),
    "interaction_required": .init(
      meaning: "the user must do something first", hint: "sign in without prompt = \"none\""),
    "login_required": .init(meaning: "nobody is signed in", hint: "sign in without prompt = \"none\""),
    "account_selection_required": .init(
      meaning: "the user must choose an account", hint: "sign in without prompt = \"none\""),
    "consent_required": .init(meaning: "the user must consent", hint: "sign in without prompt = \"none\""),
  ]
}

extension String {
  /// On one line, without white space or a period at its end.
  var trimmedLines: String {
    var text = split(whereSeparator: \.isNewline).map { $0.split(separator: " ").joined(separator: " ") }
      .filter { !$0.isEmpty }.joined(separator: " ")
    if text.hasSuffix("."), !text.hasSuffix("..") { text.removeLast() }
    return text
  }
}
