struct KnownError: Sendable {
  var meaning: String
  var hint: String
  var isRetryable: Bool

  init(_ meaning: String, _ hint: String, isRetryable: Bool = false) {
    self.meaning = meaning
    self.hint = hint
    self.isRetryable = isRetryable
  }
}

/// The error codes of the standards: RFC 6749 (4.1.2.1, 5.2), RFC 6750 (3.1), RFC 7009 (2.2.1), RFC 7591 (3.2.2), RFC 8628
/// (3.5), RFC 8707 (2), RFC 9101 (7), RFC 9396 (5), RFC 9449 (5, 8). Also those of OpenID Connect Core (3.1.2.6) and of its
/// draft on unmet requirements. The codes of backchannel requests are of CIBA Core (13).
enum StandardError {
  private static let interact = "sign in without prompt = \"none\""
  private static let plainRequest = "leave request and request_uri out of the parameters"

  static let known: [String: KnownError] = [
    // The request.
    "invalid_request": .init(
      "a parameter is missing, occurs twice or has a wrong value",
      "check the settings and the parameters that were added to the request"),
    "unsupported_response_type": .init("the provider does not know this response type", "use response_type = \"code\""),
    "unsupported_grant_type": .init(
      "the provider does not know this grant type", "use another flow, such as authorization_code"),
    "invalid_scope": .init("a scope is unknown or not allowed for this application", "check scopes in the settings"),
    "invalid_target": .init(
      "the requested API is unknown or not allowed", "check scopes and the parameter resource"),
    "invalid_authorization_details": .init(
      "the provider does not take the authorization_details",
      "check their types against authorization_details_types_supported in the metadata document"),
    "invalid_request_uri": .init("the request at request_uri cannot be used", plainRequest),
    "invalid_request_object": .init(
      "the parameter request is not a valid request object",
      "check clientKey, the registration of its public half and this machine's clock; request_object = false sends plain "
        + "parameters"),
    "request_not_supported": .init(
      "the provider knows no parameter request",
      "sign in without request_object, and leave request out of the parameters"),
    "request_uri_not_supported": .init("the provider knows no parameter request_uri", plainRequest),
    "registration_not_supported": .init(
      "the provider knows no parameter registration", "register the application at the provider"),
    // The application.
    "invalid_client": .init(
      "the application is unknown, or its secret is wrong", "check clientID and clientSecret in the settings"),
    "unauthorized_client": .init(
      "the application may not use this grant", "allow it where the application is registered"),
    "invalid_client_metadata": .init(
      "the provider does not take a member of the registration", "check the members that were given to oauth.register"),
    "invalid_redirect_uri": .init(
      "the provider does not take a redirect URI of the registration", "register an https or loopback URL"),
    // The grant.
    "invalid_grant": .init(
      "the code or refresh token is expired, revoked, used already or of another application", "sign in again"),
    "invalid_token": .init("the token is expired, revoked or malformed", "sign in again"),
    "insufficient_scope": .init("the token lacks a scope", "add the scope to scopes in the settings and sign in again"),
    "unsupported_token_type": .init(
      "the provider cannot revoke tokens of this type", "revoke the refresh token instead, or wait until it expires"),
    "invalid_dpop_proof": .init(
      "the DPoP proof is missing, or the provider does not accept it",
      "sign in with dpop = true, and check this machine's clock"),
    // The user.
    "access_denied": .init(
      "the user or the provider refused", "sign in again and allow it, or ask the tenant's administrator"),
    "interaction_required": .init("the user must do something first", interact),
    "login_required": .init("nobody is signed in", interact),
    "account_selection_required": .init("the user must choose an account", interact),
    "consent_required": .init("the user must consent", interact),
    "unmet_authentication_requirements": .init(
      "the user cannot sign in by the requested method", "ask for less in acr_values, or sign in as somebody else"),
    // The device flow.
    "authorization_pending": .init(
      "the user has not finished signing in", "ask again after the interval", isRetryable: true),
    "slow_down": .init(
      "the token endpoint is asked too often", "wait 5 seconds longer each time from now on", isRetryable: true),
    "expired_token": .init(
      "the device code or the backchannel request has expired before the user answered",
      "start again with a new code or request"),
    "authorization_declined": .init("the user refused", "start again with a new code when the user wants to"),
    "bad_verification_code": .init(
      "the device code is not known", "send the device_code as it was received, at the same policy"),
    // Backchannel authentication.
    "unknown_user_id": .init("the provider does not know the user", "check login_hint"),
    "expired_login_hint_token": .init("login_hint_token has expired", "get a new one"),
    "missing_user_code": .init("the provider wants the user's code", "give user_code"),
    "invalid_user_code": .init("the user's code is wrong", "check user_code"),
    "invalid_binding_message": .init(
      "the provider cannot show the binding message", "use a short text on one line, such as \"W4SCT\""),
    // The provider.
    "server_error": .init("the provider failed", "try again later", isRetryable: true),
    "temporarily_unavailable": .init("the provider is overloaded or down", "try again later", isRetryable: true),
  ]
}
