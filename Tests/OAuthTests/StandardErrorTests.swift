import HostLoop
import OAuth
import Testing

@Suite struct StandardErrorTests {
  /// Each code of the standards, with what its user reads, and whether the same may be tried again.
  @Test(arguments: [
    (
      "invalid_request", "a parameter is missing, occurs twice or has a wrong value",
      "check the settings and the parameters that were added to the request", false
    ),
    (
      "unsupported_response_type", "the provider does not know this response type", "use response_type = \"code\"",
      false
    ),
    (
      "unsupported_grant_type", "the provider does not know this grant type",
      "use another flow, such as authorization_code", false
    ),
    ("invalid_scope", "a scope is unknown or not allowed for this application", "check scopes in the settings", false),
    (
      "invalid_target", "the requested API is unknown or not allowed",
      "check scopes and the parameter resource", false
    ),
    (
      "invalid_request_uri", "the request at request_uri cannot be used",
      "leave request and request_uri out of the parameters", false
    ),
    (
      "invalid_request_object", "the parameter request is not a valid request object",
      "check clientKey, the registration of its public half and this machine's clock; request_object = false sends plain "
        + "parameters", false
    ),
    (
      "request_not_supported", "the provider knows no parameter request",
      "sign in without request_object, and leave request out of the parameters", false
    ),
    (
      "request_uri_not_supported", "the provider knows no parameter request_uri",
      "leave request and request_uri out of the parameters", false
    ),
    (
      "registration_not_supported", "the provider knows no parameter registration",
      "register the application at the provider", false
    ),
    (
      "invalid_client", "the application is unknown, or its secret is wrong",
      "check clientID and clientSecret in the settings", false
    ),
    (
      "unauthorized_client", "the application may not use this grant", "allow it where the application is registered",
      false
    ),
    (
      "invalid_grant", "the code or refresh token is expired, revoked, used already or of another application",
      "sign in again", false
    ),
    ("invalid_token", "the token is expired, revoked or malformed", "sign in again", false),
    (
      "insufficient_scope", "the token lacks a scope", "add the scope to scopes in the settings and sign in again",
      false
    ),
    (
      "unsupported_token_type", "the provider cannot revoke tokens of this type",
      "revoke the refresh token instead, or wait until it expires", false
    ),
    (
      "access_denied", "the user or the provider refused",
      "sign in again and allow it, or ask the tenant's administrator", false
    ),
    ("interaction_required", "the user must do something first", "sign in without prompt = \"none\"", false),
    ("login_required", "nobody is signed in", "sign in without prompt = \"none\"", false),
    ("account_selection_required", "the user must choose an account", "sign in without prompt = \"none\"", false),
    ("consent_required", "the user must consent", "sign in without prompt = \"none\"", false),
    (
      "unmet_authentication_requirements", "the user cannot sign in by the requested method",
      "ask for less in acr_values, or sign in as somebody else", false
    ),
    ("authorization_pending", "the user has not finished signing in", "ask again after the interval", true),
    ("slow_down", "the token endpoint is asked too often", "wait 5 seconds longer each time from now on", true),
    ("unknown_user_id", "the provider does not know the user", "check login_hint", false),
    (
      "invalid_binding_message", "the provider cannot show the binding message",
      "use a short text on one line, such as \"W4SCT\"", false
    ),
    (
      "expired_token", "the device code or the backchannel request has expired before the user answered",
      "start again with a new code or request", false
    ),
    ("authorization_declined", "the user refused", "start again with a new code when the user wants to", false),
    (
      "bad_verification_code", "the device code is not known",
      "send the device_code as it was received, at the same policy", false
    ),
    ("server_error", "the provider failed", "try again later", true),
    ("temporarily_unavailable", "the provider is overloaded or down", "try again later", true),
  ])
  func everyCodeSaysWhatItMeansAndWhatToDo(_ code: String, _ meaning: String, _ hint: String, _ isRetryable: Bool) {
    #expect {
      try AuthorizationResponse(redirect: "http://localhost:8080/done?error=\(code)&state=s-1", state: "s-1")
    } throws: {
      let error = $0 as? OAuthError
      return error?.code == code && error?.message == "\(code): \(meaning)" && error?.hint == hint
        && error?.isRetryable == isRetryable
    }
  }

  @Test @HostActor func theTokenEndpointsAreTheSame() async throws {
    let provider = try Provider()
    provider.token(
      """
      {"error": "invalid_grant", "error_description": "It was\\nused.", "error_uri": "https://example.com/e",
       "trace_id": "t-1", "correlation_id": "c-1", "error_codes": [54005]}
      """, status: 400)
    let error = await oauthError {
      _ = try await TokenEndpoint(provider.client()).token(TokenRequest(grantType: "authorization_code"))
    }
    #expect(error?.message == "invalid_grant: It was used")
    #expect(error?.hint == "sign in again")
    #expect(
      error?.details == [
        "error": "invalid_grant", "error_description": "It was\nused.", "error_uri": "https://example.com/e",
        "trace_id": "t-1", "correlation_id": "c-1", "error_codes": "[54005]",
      ])
  }

  @Test func codesOfNoStandardAreToldAsTheyAre() {
    #expect {
      try AuthorizationResponse(redirect: "http://localhost:8080/done?error=odd_one&error_description=Because%1b%5b2J.")
    } throws: {
      let error = $0 as? OAuthError
      return error?.message == "odd_one: Because [2J" && error?.hint == nil && error?.isRetryable == false
    }
  }
}
