import JSON

extension TokenEndpoint {
  /// Client credentials (RFC 6749 §4.4): issues a token for the application itself, without ID token and refresh token.
  /// B2C accepts this request at every policy.
  func authorizeApplication(_ request: ClientRequest, _ address: PolicyAddress) throws -> JSON {
    guard request.client.secret != nil else { throw ProtocolError.publicClient }
    try checkDefaultScope(request.form["scope"] ?? "")
    let token = try issuer.accessToken(application: request.client, address, roles: Contoso.applicationRoles)
    return .object([
      "token_type": "Bearer", "access_token": .string(token), "not_before": behavior.number(clock.now),
      "expires_in": behavior.number(behavior.accessTokenLifetime),
      "expires_on": behavior.number(clock.now + behavior.accessTokenLifetime),
      "resource": .string(Contoso.tasksAPI),
    ])
  }

  /// Checks that the scope names only the API. The permissions of an application are assigned, not requested.
  private func checkDefaultScope(_ text: String) throws(ProtocolError) {
    let scopes = text.split(whereSeparator: \.isWhitespace)
    guard let scope = scopes.first else { throw .noScope }
    guard scopes.count == 1 else { throw .severalResources(text) }
    guard scope.contains("/") else { throw .noResource(text) }
    guard scope == Contoso.defaultTaskScope else { throw .unsupportedScope(text) }
  }
}
