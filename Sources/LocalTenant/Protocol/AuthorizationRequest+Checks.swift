extension AuthorizationRequest {
  /// Checks and returns the scope of the request. The other parameters have been checked. Errors go to the redirect
  /// URI.
  func validate(_ behavior: TenantBehavior) throws(ProtocolError) -> Scope {
    try parameters.checkRepetitions()
    guard address.policy.kind != .ropc else {
      throw ProtocolError(
        "unsupported_response_type", "90013",
        "The requested response type '\(parameters["response_type"] ?? "")' provided in the request is not supported: the "
          + "policy '\(address.policyID)' has no pages, and takes the grant_type 'password' at its token endpoint.")
    }
    try checkResponse(behavior)
    for parameter in ["request", "request_uri"] where parameters[parameter] != nil {
      throw ProtocolError("\(parameter)_not_supported", nil, "The parameter '\(parameter)' is not supported.")
    }
    let scope = try Scope(parameters["scope"] ?? "", client: client)
    try check(scope)
    guard nonce != nil || !wantsIDToken else { throw .missing("nonce") }
    try checkChallenge(behavior)
    try checkPrompt()
    return scope
  }

  private func checkResponse(_ behavior: TenantBehavior) throws(ProtocolError) {
    let type = try parameters.required("response_type")
    let words = type.split(separator: " ")
    guard !words.isEmpty, words.count == responseType.count,
      responseType.isSubset(of: ["code", "id_token", "token"])
    else {
      throw ProtocolError(
        "unsupported_response_type", "90013",
        "The requested response type '\(type)' provided in the request is not supported.")
    }
    if let mode = parameters["response_mode"], ResponseMode(rawValue: mode) != responseMode {
      throw ProtocolError(
        "invalid_request", "90014",
        "The requested response mode '\(mode)' provided in the request is not supported.")
    }
    if responseType != ["code"], behavior.applicationsWithoutImplicit.contains(client.id) { throw .implicitDisabled }
  }

  private func check(_ scope: Scope) throws(ProtocolError) {
    guard scope.hasOpenID || !wantsIDToken else {
      throw ProtocolError(
        "invalid_request", "90110",
        "The scope parameter must include 'openid' when requesting a response_type that includes 'id_token'.")
    }
    guard scope.resource != nil || !wantsAccessToken else { throw .noResource(scope.text) }
    guard scope.resource != nil || scope.hasOpenID else {
      throw ProtocolError(
        "invalid_request", "90115",
        "When requesting the 'code' response_type, the scope parameter must include a resource or client ID for access "
          + "tokens, and 'openid' for ID tokens. Additionally include 'offline_access' for refresh tokens.")
    }
  }

  private func checkChallenge(_ behavior: TenantBehavior) throws(ProtocolError) {
    guard let value = parameters["code_challenge"] else {
      guard parameters["code_challenge_method"] == nil else { throw .missing("code_challenge") }
      guard !wantsCode || !behavior.requiresPKCE else {
        throw ProtocolError("invalid_request", "99059", "The supplied request must present a code_challenge.")
      }
      return
    }
    let method = parameters["code_challenge_method"] ?? "plain"
    guard CodeChallenge.methods.contains(method) else {
      throw ProtocolError(
        "invalid_request", "90184", "The supplied code_challenge_method '\(method)' is not supported.")
    }
    guard CodeChallenge.isWellFormed(value) else {
      throw ProtocolError(
        "invalid_request", "90183",
        "The supplied code_challenge is invalid: it must have 43 to 128 characters of A-Z, a-z, 0-9, '-', '.', '_', '~'."
      )
    }
  }

  private func checkPrompt() throws(ProtocolError) {
    guard prompts.allSatisfy({ Self.promptValues.contains(String($0)) }) else {
      throw ProtocolError(
        "invalid_request", "90043",
        "The prompt included in the request contains invalid values. Expected 'none', 'login', 'consent' or "
          + "'select_account'.")
    }
    guard prompts.count == 1 || !prompts.contains("none") else {
      throw ProtocolError(
        "invalid_request", nil, "The prompt 'none' cannot be combined with another: '\(parameters["prompt"] ?? "")'.")
    }
    if let age = parameters["max_age"], !(0...Int(Int32.max) ~= (Int(age) ?? -1)) {
      throw ProtocolError(
        "invalid_request", "90120",
        "The max age parameter '\(age)' specified in the request is invalid. Max age must be an integer between '0' and "
          + "'\(Int32.max)' inclusive.")
    }
  }

  static let promptValues = ["none", "login", "select_account", "consent"]
}
