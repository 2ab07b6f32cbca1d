import HTTPServer

/// A request to the authorization endpoint whose client and redirect URI have been checked, so that errors may be sent
/// to the redirect URI (RFC 6749 §4.1.2.1).
struct AuthorizationRequest {
  enum ResponseMode: String {
    case query, fragment
    case formPost = "form_post"
  }

  let address: PolicyAddress
  /// The value of `iss` in the answer (RFC 9207).
  let issuer: String
  let client: Application
  let redirectURI: String
  let responseType: Set<String>
  /// The requested response mode if it is allowed, else the default.
  let responseMode: ResponseMode
  let state: String?
  let parameters: Parameters
  /// The texts in the language of the pages.
  let texts: Texts

  /// - Parameter request: `GET`, or `POST` with the parameters as a form (OpenID Connect Core §3.1.2.1).
  /// - Throws: an error to show on a page, because the redirect URI cannot be trusted.
  init(_ request: ServerRequest, _ address: PolicyAddress, issuer: String) throws(ProtocolError) {
    parameters = Parameters(request.query + (request.method == "POST" ? request.form : []))
    texts = Texts(request, locales: parameters["ui_locales"] ?? "")
    for name in ["client_id", "redirect_uri"] where parameters.repeated.contains(name) {
      try parameters.checkRepetitions()
    }
    client = try Self.client(parameters["client_id"])
    redirectURI = try Self.redirectURI(parameters.required("redirect_uri"), client)
    self.address = address
    self.issuer = issuer
    state = parameters.repeated.contains("state") ? nil : parameters["state"]
    responseType = Set((parameters["response_type"] ?? "").split(separator: " ").map(String.init))
    let isCodeAlone = responseType.isDisjoint(with: ["token", "id_token"])
    let mode = parameters["response_mode"].flatMap(ResponseMode.init)
    // Tokens must not be in a query, because queries are written to logs (OAuth 2.0 Multiple Response Types §5).
    responseMode = (isCodeAlone || mode != .query ? mode : nil) ?? (isCodeAlone ? .query : .fragment)
  }

  private static func client(_ id: String?) throws(ProtocolError) -> Application {
    guard let id else { throw .noClientID }
    if let client = Contoso.application(id) { return client }
    // An API is an application of the directory too, but has no redirect URI.
    guard id.lowercased() != Contoso.tasksAPI else {
      throw ProtocolError(
        "invalid_request", "90007", "The application associated with client id '\(id)' has no registered redirect URIs."
      )
    }
    throw ProtocolError(
      "invalid_request", "90018",
      "The client identifier '\(id)' provided in the request is not registered in tenant '\(Contoso.domain)'.")
  }

  private static func redirectURI(_ uri: String, _ client: Application) throws(ProtocolError) -> String {
    // RFC 6749 §3.1.2: absolute, without a fragment.
    guard StrictURI.isWellFormed(uri) else {
      throw ProtocolError("invalid_request", "90287", "The request contains invalid redirect URI '\(uri)'.")
    }
    guard client.allows(redirectURI: uri) else {
      throw ProtocolError(
        "redirect_uri_mismatch", "90006",
        "The redirect URI '\(uri)' provided in the request is not registered for the client id '\(client.id)'.")
    }
    return uri
  }
}

extension AuthorizationRequest {
  var nonce: String? { parameters["nonce"] }
  var wantsCode: Bool { responseType.contains("code") }
  var wantsIDToken: Bool { responseType.contains("id_token") }
  /// True if the answer itself has an access token. A code gives one at the token endpoint.
  var wantsAccessToken: Bool { responseType.contains("token") }
  var prompts: [Substring] { (parameters["prompt"] ?? "").split(separator: " ") }
  var loginHint: String? { parameters["login_hint"] }
  /// True if the client requires a second factor.
  var wantsSecondFactor: Bool {
    (parameters["acr_values"] ?? "").split(separator: " ").contains { $0 == TokenIssuer.secondFactorClass }
  }
  /// The maximum number of seconds since the user last typed a password.
  var maximumAge: Int? { parameters["max_age"].flatMap { Int($0) } }

  var challenge: CodeChallenge? {
    parameters["code_challenge"].map {
      CodeChallenge(value: $0, method: parameters["code_challenge_method"] ?? "plain")
    }
  }
}
