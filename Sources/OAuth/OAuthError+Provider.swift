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
