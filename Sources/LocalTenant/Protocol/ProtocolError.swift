import JSON

/// An error of RFC 6749 with B2C's message.
struct ProtocolError: Error {
  /// `invalid_request`, `invalid_grant`, …
  let error: String
  /// `AADB2C90080`; nil if B2C has no code for the error.
  let code: String?
  let text: String
  var status = 400

  init(_ error: String, _ code: String?, _ text: String, status: Int = 400) {
    self.error = error
    self.code = code.map { "AADB2C\($0)" }
    self.text = text
    self.status = status
  }

  /// B2C's three lines: the error, the correlation ID and the time.
  func description(_ clock: TenantClock) -> String {
    "\(code.map { "\($0): " } ?? "")\(text)\r\nCorrelation ID: \(GUID.random())\r\nTimestamp: \(clock.timestamp)\r\n"
  }
}

extension ProtocolError {
  static func missing(_ parameter: String) -> ProtocolError {
    ProtocolError("invalid_request", "90083", "The request is missing required parameter: \(parameter).")
  }

  static let noClientID = ProtocolError(
    "invalid_request", "90008", "The provided request does not contain a client ID parameter.")

  static let publicClient = ProtocolError(
    "unauthorized_client", "90058", "The provided application is not configured to allow public clients.")

  static let noScope = ProtocolError(
    "invalid_request", "90010", "The request does not contain a scope parameter.")

  static func severalResources(_ scope: String) -> ProtocolError {
    ProtocolError(
      "invalid_request", "90146",
      "The scope '\(scope)' provided in request specifies more than one resource for an access token, which is not "
        + "supported.")
  }

  static func noResource(_ scope: String) -> ProtocolError {
    ProtocolError(
      "invalid_request", "90055",
      "The scope '\(scope)' provided in request must specify a resource, such as '\(Contoso.taskScopePrefix)read'.")
  }

  static func noIDToken(_ client: Application) -> ProtocolError {
    ProtocolError(
      "invalid_request", "90107",
      "The application with ID '\(client.id)' cannot get an ID token either because the openid scope was not provided in "
        + "the request or the application is not authorized for it.")
  }

  static func unsupportedScope(_ scope: String) -> ProtocolError {
    ProtocolError("invalid_scope", "90117", "The scope '\(scope)' provided in the request is not supported.")
  }

  static func noPages(_ policy: Policy) -> ProtocolError {
    ProtocolError("unauthorized_client", nil, "The policy \(policy.name) has no pages where a user could sign in.")
  }

  static let implicitDisabled = ProtocolError(
    "unauthorized_client", "90057", "The provided application is not configured to allow the OAuth Implicit flow.")

  static let unknownGrant = ProtocolError(
    "invalid_grant", "90080", "The provided grant is unknown here or has expired. Please re-authenticate and try again."
  )

  static func foreignGrant(_ client: Application) -> ProtocolError {
    ProtocolError(
      "invalid_grant", "90279",
      "The provided client id '\(client.id)' does not match the client id that issued the grant.")
  }

  static let revokedGrant = ProtocolError(
    "invalid_grant", "90129", "The provided grant has been revoked. Please re-authenticate and try again.")
}
