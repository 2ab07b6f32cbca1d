import HTTPServer

/// A request to the authorization endpoint whose client and redirect URI are known to be good, so that errors may be sent
/// there (RFC 6749 §4.1.2.1).
struct AuthorizationRequest {
  enum ResponseMode: String {
    case query, fragment
    case formPost = "form_post"
  }

  let address: PolicyAddress
  let client: Application
  let redirectURI: String
  let responseType: Set<String>
  let responseMode: ResponseMode
  let state: String?
  let parameters: [String: String]

  /// - Throws: what must be shown on a page, because there is no address that may be trusted with it.
  init(_ parameters: [String: String], _ address: PolicyAddress) throws(ProtocolError) {
    guard let id = parameters["client_id"], !id.isEmpty else {
      throw ProtocolError("invalid_request", "90008", "The provided request does not contain a client ID parameter.")
    }
    guard let client = Contoso.application(id) else {
      throw ProtocolError(
        "invalid_request", "90018",
        "The client identifier '\(id)' provided in the request is not registered in tenant '\(Contoso.domain)'.")
    }
    guard let redirectURI = parameters["redirect_uri"], !redirectURI.isEmpty else {
      throw .missing("redirect_uri")
    }
    guard client.allows(redirectURI: redirectURI) else {
      throw ProtocolError(
        "redirect_uri_mismatch", "90006",
        "The redirect URI '\(redirectURI)' provided in the request is not registered for the client id '\(id)'.")
    }
    self.address = address
    self.client = client
    self.redirectURI = redirectURI
    self.parameters = parameters
    state = parameters["state"]
    responseType = Set((parameters["response_type"] ?? "").split(separator: " ").map(String.init))
    let standard: ResponseMode = responseType.isDisjoint(with: ["token", "id_token"]) ? .query : .fragment
    responseMode = parameters["response_mode"].flatMap(ResponseMode.init) ?? standard
  }

  /// The rest of the request, checked; the errors go to the redirect URI.
  func validate() throws(ProtocolError) -> Scope {
    guard [["code"], ["code", "id_token"], ["id_token"]].contains(responseType) else {
      guard let type = parameters["response_type"] else { throw .missing("response_type") }
      throw ProtocolError(
        "unsupported_response_type", "90013",
        "The requested response type '\(type)' provided in the request is not supported.")
    }
    if let mode = parameters["response_mode"] {
      // Tokens do not belong into a query, which ends up in logs (OAuth 2.0 Multiple Response Types §5).
      guard ResponseMode(rawValue: mode) != nil, mode != "query" || !wantsIDToken else {
        throw ProtocolError(
          "invalid_request", "90014",
          "The requested response mode '\(mode)' provided in the request is not supported.")
      }
    }
    for parameter in ["request", "request_uri"] where parameters[parameter] != nil {
      throw ProtocolError("\(parameter)_not_supported", nil, "The parameter '\(parameter)' is not supported.")
    }
    let scope = try Scope(parameters["scope"] ?? "", client: client)
    guard scope.hasOpenID || !wantsIDToken else {
      throw ProtocolError(
        "invalid_request", "90107",
        "The application with ID '\(client.id)' cannot get an ID token either because the openid scope was not provided in "
          + "the request or the application is not authorized for it.")
    }
    guard nonce != nil || !wantsIDToken else { throw .missing("nonce") }
    try validateChallenge()
    guard prompts.count == 1 || !prompts.contains("none") else {
      throw ProtocolError(
        "invalid_request", nil, "The prompt 'none' cannot be combined with another: '\(parameters["prompt"] ?? "")'.")
    }
    return scope
  }

  var nonce: String? { parameters["nonce"].flatMap { $0.isEmpty ? nil : $0 } }
  var wantsCode: Bool { responseType.contains("code") }
  var wantsIDToken: Bool { responseType.contains("id_token") }
  var prompts: [Substring] { (parameters["prompt"] ?? "").split(separator: " ") }
  var loginHint: String? { parameters["login_hint"].flatMap { $0.isEmpty ? nil : $0 } }
  /// Seconds since the user last typed a password, at most.
  var maximumAge: Int? { parameters["max_age"].flatMap { Int($0) } }

  var challenge: CodeChallenge? {
    parameters["code_challenge"].flatMap {
      CodeChallenge(value: $0, method: parameters["code_challenge_method"] ?? "plain")
    }
  }

  private func validateChallenge() throws(ProtocolError) {
    guard let value = parameters["code_challenge"] else {
      guard parameters["code_challenge_method"] == nil else { throw .missing("code_challenge") }
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
}
