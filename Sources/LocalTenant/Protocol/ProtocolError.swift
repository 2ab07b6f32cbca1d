import TenantTexts

/// An error of RFC 6749, mostly with a code and the message of B2C.
struct ProtocolError: Error {
  /// `invalid_request`, `invalid_grant`, …
  let error: String
  /// `AADB2C90080`; nil if B2C has no code for the error.
  let code: String?
  let text: String
  var status = 400
  /// Microsoft Entra's number for an error without a code of B2C: 500131 stands for `AADSTS500131`.
  var entraNumber: Int?

  init(_ error: String, _ text: String, status: Int = 400) {
    self.error = error
    code = nil
    self.text = text
    self.status = status
  }

  /// - Parameter number: 90080 stands for `AADB2C90080`.
  /// - Parameter values: for the placeholders in the code's text. Without values, the placeholders are left out.
  init(_ number: Int, _ values: String..., text: String? = nil, error: String? = nil, status: Int? = nil) {
    let known = Self.known[number] ?? (error: "server_error", text: "")
    self.error = error ?? known.error
    code = "AADB2C\(number)"
    self.text = text ?? Self.fill(known.text, values)
    self.status = status ?? [90035: 503, 90244: 429][number] ?? 400
  }

  /// B2C's error for a fault that names its code; nil if the tenant does not know the code.
  init?(code: String) {
    guard let number = Int(code.dropFirst("AADB2C".count)), code == "AADB2C\(number)", Self.known[number] != nil
    else { return nil }
    self.init(number)
  }

  static var knownCodes: [String] { known.keys.sorted().map { "AADB2C\($0)" } }

  private static func fill(_ text: String, _ values: [String]) -> String {
    if values.isEmpty { return text.replacing(#/:? ['\[]?\{\}['\]]?/#, with: "") }
    let pieces = text.split(separator: "{}", omittingEmptySubsequences: false)
    return zip(pieces, values + [""]).map { $0 + $1 }.joined()
  }

  /// B2C's three lines: the error, the correlation ID and the time.
  func description(_ clock: TenantClock) -> String {
    "\(code.map { "\($0): " } ?? "")\(text)\r\nCorrelation ID: \(GUID.random())\r\nTimestamp: \(clock.timestamp)\r\n"
  }
}

extension ProtocolError {
  /// The description in the form of the tenant's kind.
  func description(_ clock: TenantClock, at address: PolicyAddress) -> String {
    guard address.isExternalID else { return description(clock) }
    return EntraCode.description(text, EntraCode.number(self), trace: GUID.random(), correlation: GUID.random(), clock)
  }

  static func missing(_ parameter: String) -> ProtocolError { ProtocolError(90083, parameter) }
  static func unknownClient(_ id: String, status: Int = 400) -> ProtocolError {
    ProtocolError(90018, id, Contoso.domain, status: status)
  }
  static func noResource(_ scope: String) -> ProtocolError { ProtocolError(90055, scope) }
  static func foreignGrant(_ client: Application) -> ProtocolError { ProtocolError(90279, client.id) }
  static let unknownGrant = ProtocolError(
    90080, text: "The provided grant is unknown here or has expired. Please re-authenticate and try again.")
  static let revokedGrant = ProtocolError(90129)

  /// B2C's errors by their numbers, with the `error` of RFC 6749. `{}` is a placeholder.
  private static let known: [Int: (error: String, text: String)] = Dictionary(
    uniqueKeysWithValues: texts.flatMap { error, texts in texts.map { ($0.key, (error: error, text: $0.value)) } })

  private static let texts: [String: [Int: String]] = [
    "invalid_request": [
      90006: "The redirect URI '{}' provided in the request is not registered for the client id '{}'.",
      90007: "The application associated with client id '{}' has no registered redirect URIs.",
      90008: "The provided request does not contain a client ID parameter.",
      90010: "The request does not contain a scope parameter.",
      90014: "The requested response mode '{}' provided in the request is not supported.",
      90043: "The prompt included in the request contains invalid values. Expected 'none', 'login', 'consent' or "
        + "'select_account'.",
      90055: "The scope '{}' provided in request must specify a resource, such as '\(Contoso.taskScopePrefix)read'.",
      90083: "The request is missing required parameter: {}.",
      90084: "Public clients should not send a client_secret when redeeming a publicly acquired grant.",
      90107: "The application with ID '{}' cannot get an ID token either because the openid scope was not provided in "
        + "the request or the application is not authorized for it.",
      90110: "The scope parameter must include 'openid' when requesting a response_type that includes 'id_token'.",
      90115: "When requesting the 'code' response_type, the scope parameter must include a resource or client ID for "
        + "access tokens, and 'openid' for ID tokens. Additionally include 'offline_access' for refresh tokens.",
      90120:
        "The max age parameter '{}' specified in the request is invalid. Max age must be an integer between '0' and "
        + "'\(Int32.max)' inclusive.",
      90146: "The scope '{}' provided in request specifies more than one resource for an access token, which is not "
        + "supported.",
      90184: "The supplied code_challenge_method '{}' is not supported.",
      90208: "The provided id_token_hint parameter is expired. Please provide another token and try again.",
      90209: "The provided id_token_hint parameter does not contain an accepted audience.",
      90210: "The provided id_token_hint parameter could not be validated. Please provide another token and try again.",
      90287: "The request contains invalid redirect URI '{}'.",
      99059: "The supplied request must present a code_challenge.",
    ],
    "invalid_client": [
      90018: "The client identifier '{}' provided in the request is not registered in tenant '{}'.",
      90079: "Clients must send a client_secret when redeeming a confidential grant.",
      90081: "The specified client_secret does not match the expected value for this client. Please correct the "
        + "client_secret and try again.",
    ],
    "unauthorized_client": [
      90057: "The provided application is not configured to allow the OAuth Implicit flow.",
      90058: "The provided application is not configured to allow public clients.",
      90224: "Resource owner flow has not been enabled for the application.",
    ],
    "invalid_scope": [
      90012: "The scope '{}' provided in request is not supported.",
      90117: "The scope '{}' provided in the request is not supported.",
    ],
    "unsupported_response_type": [90013: "The requested response type '{}' provided in the request is not supported."],
    "unsupported_grant_type": [90086: "The supplied grant_type [{}] is not supported."],
    "interaction_required": [
      90077: "User does not have an existing session and request prompt parameter has a value of 'None'."
    ],
    "invalid_grant": [
      90080: "The provided grant has expired. Please re-authenticate and try again.",
      90087: "The provided grant has not been issued for this version of the protocol endpoint.",
      90088: "The provided grant has not been issued for this endpoint.",
      90128: "The account associated with this grant no longer exists. Please re-authenticate and try again.",
      90129: "The provided grant has been revoked. Please re-authenticate and try again.",
      90182: "The supplied code_verifier does not match associated code_challenge.",
      90183: "The supplied code_verifier is invalid.",
      90279: "The provided client id '{}' does not match the client id that issued the grant.",
    ],
    "access_denied": [
      90052: "Invalid username or password.",
      90053: "A user with the specified credential could not be found.",
      90054: "Invalid username or password.",
      90091: "The user has cancelled entering self-asserted information.",
      90111: "Your account has been locked. Contact your support person to unlock it, then try again.",
      90114: Texts.english.locked,
      90118: "The user has forgotten their password.",
      90205:
        "This application does not have sufficient permissions against this web resource to perform the operation.",
      90225: "The username or password provided in the request are invalid.",
      90273: "An invalid response was received from the identity provider.",
    ],
    "temporarily_unavailable": [
      90035: "The service is temporarily unavailable. Please retry after a few minutes.",
      90244: "There are too many requests at this moment. Please wait for some time and try again.",
    ],
    "server_error": [90085: "The service has encountered an internal error. Please reauthenticate and try again."],
  ]
}
