extension ProtocolError {
  /// Returns B2C's error for this code, for a fault that names it. Returns nil if the tenant does not know the code.
  static func known(_ code: String) -> ProtocolError? {
    guard let (error, text) = table[code] else { return nil }
    let status = ["AADB2C90035": 503, "AADB2C90244": 429][code] ?? 400
    return ProtocolError(error, String(code.dropFirst("AADB2C".count)), text, status: status)
  }

  static var knownCodes: [String] { table.keys.sorted() }

  private static let table: [String: (error: String, text: String)] = [
    "AADB2C90006": ("invalid_request", "The redirect URI provided in the request is not registered for the client id."),
    "AADB2C90007": (
      "invalid_request", "The application associated with the client id has no registered redirect URIs."
    ),
    "AADB2C90008": ("invalid_request", "The request does not contain a client ID parameter."),
    "AADB2C90010": ("invalid_request", "The request does not contain a scope parameter."),
    "AADB2C90012": ("invalid_scope", "The scope provided in request is not supported."),
    "AADB2C90013": ("unsupported_response_type", "The requested response type is not supported."),
    "AADB2C90014": ("invalid_request", "The requested response mode is not supported."),
    "AADB2C90018": ("invalid_client", "The client ID specified in the request is not registered in the tenant."),
    "AADB2C90035": (
      "temporarily_unavailable", "The service is temporarily unavailable. Please retry after a few minutes."
    ),
    "AADB2C90052": ("access_denied", "Invalid username or password."),
    "AADB2C90053": ("access_denied", "A user with the specified credential could not be found."),
    "AADB2C90054": ("access_denied", "Invalid username or password."),
    "AADB2C90055": ("invalid_request", "The scope provided in request must specify a resource."),
    "AADB2C90057": (
      "unauthorized_client", "The provided application is not configured to allow the OAuth Implicit flow."
    ),
    "AADB2C90058": ("unauthorized_client", "The provided application is not configured to allow public clients."),
    "AADB2C90077": (
      "interaction_required",
      "User does not have an existing session and request prompt parameter has a value of 'None'."
    ),
    "AADB2C90079": ("invalid_client", "Clients must send a client_secret when redeeming a confidential grant."),
    "AADB2C90080": ("invalid_grant", "The provided grant has expired. Please re-authenticate and try again."),
    "AADB2C90081": ("invalid_client", "The specified client_secret does not match the expected value for this client."),
    "AADB2C90083": ("invalid_request", "The request is missing required parameter."),
    "AADB2C90084": (
      "invalid_request", "Public clients should not send a client_secret when redeeming a publicly acquired grant."
    ),
    "AADB2C90085": (
      "server_error", "The service has encountered an internal error. Please reauthenticate and try again."
    ),
    "AADB2C90086": ("unsupported_grant_type", "The supplied grant_type is not supported."),
    "AADB2C90087": (
      "invalid_grant", "The provided grant has not been issued for this version of the protocol endpoint."
    ),
    "AADB2C90088": ("invalid_grant", "The provided grant has not been issued for this endpoint."),
    "AADB2C90091": ("access_denied", "The user has cancelled entering self-asserted information."),
    "AADB2C90107": ("invalid_request", "The application cannot get an ID token."),
    "AADB2C90110": (
      "invalid_request",
      "The scope parameter must include 'openid' when requesting a response_type that includes 'id_token'."
    ),
    "AADB2C90111": (
      "access_denied", "Your account has been locked. Contact your support person to unlock it, then try again."
    ),
    "AADB2C90114": (
      "access_denied", "Your account is temporarily locked to prevent unauthorized use. Try again later."
    ),
    "AADB2C90115": (
      "invalid_request",
      "When requesting the 'code' response_type, the scope parameter must include a resource or client ID for access "
        + "tokens, and 'openid' for ID tokens."
    ),
    "AADB2C90117": ("invalid_scope", "The scope provided in the request is not supported."),
    "AADB2C90118": ("access_denied", "The user has forgotten their password."),
    "AADB2C90128": (
      "invalid_grant", "The account associated with this grant no longer exists. Please re-authenticate and try again."
    ),
    "AADB2C90129": ("invalid_grant", "The provided grant has been revoked. Please re-authenticate and try again."),
    "AADB2C90146": ("invalid_request", "The scope provided in request specifies more than one resource."),
    "AADB2C90182": ("invalid_grant", "The supplied code_verifier does not match associated code_challenge."),
    "AADB2C90183": ("invalid_grant", "The supplied code_verifier is invalid."),
    "AADB2C90184": ("invalid_request", "The supplied code_challenge_method is not supported."),
    "AADB2C90205": (
      "access_denied",
      "This application does not have sufficient permissions against this web resource to perform the operation."
    ),
    "AADB2C90208": (
      "invalid_request",
      "The provided id_token_hint parameter is expired. Please provide another token and try again."
    ),
    "AADB2C90209": (
      "invalid_request", "The provided id_token_hint parameter does not contain an accepted audience."
    ),
    "AADB2C90210": ("invalid_request", "The provided id_token_hint parameter could not be validated."),
    "AADB2C90224": ("unauthorized_client", "Resource owner flow has not been enabled for the application."),
    "AADB2C90225": ("access_denied", "The username or password provided in the request are invalid."),
    "AADB2C90244": (
      "temporarily_unavailable",
      "There are too many requests at this moment. Please wait for some time and try again."
    ),
    "AADB2C90273": ("access_denied", "An invalid response was received from the identity provider."),
    "AADB2C90279": ("invalid_grant", "The provided client id does not match the client id that issued the grant."),
    "AADB2C90287": ("invalid_request", "The request contains invalid redirect URI."),
    "AADB2C99059": ("invalid_request", "The supplied request must present a code_challenge."),
  ]
}
