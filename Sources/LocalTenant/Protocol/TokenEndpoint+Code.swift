import JSON

/// The grants of a sign-in in a browser: codes, refresh tokens and device codes.
extension TokenEndpoint {
  /// Redeems a code (RFC 6749 §4.1.3, RFC 7636 §4.5).
  func redeemCode(_ request: ClientRequest) throws -> JSON {
    let text = try request.form.required("code")
    guard let code = grants.code(text) else { throw ProtocolError.unknownGrant }
    guard !code.isUsed else {
      // A code that is used twice may be stolen, so all its tokens are revoked (RFC 6749 §4.1.2).
      try grants.revoke(family: code.family)
      throw ProtocolError.revokedGrant
    }
    try check(clientID: code.grant.clientID, policy: code.grant.policy, request)
    guard code.expires > clock.elapsed else { throw expired(code.expires - grants.codeLifetime, code.expires) }
    let redirectURI = try request.form.required("redirect_uri")
    guard redirectURI == code.redirectURI else {
      throw ProtocolError(
        90006,
        text: "The redirect URI '\(redirectURI)' provided in the request is not the one the code was issued for.",
        error: "invalid_grant")
    }
    try check(code.challenge, request.form["code_verifier"])
    try check(code.grant.proofThumbprint, request, "code")
    grants.markUsed(code: text)
    let scope = try Scope(code.grant.scope, client: request.client)
    return try tokens(request, code.grant, scope, family: code.family, code: text)
  }

  private func check(_ challenge: CodeChallenge?, _ verifier: String?) throws(ProtocolError) {
    // A verifier without a challenge is refused too, because the challenge may have been removed on its way.
    guard (challenge == nil) == (verifier == nil), verifier.map(CodeChallenge.isWellFormed) != false else {
      throw ProtocolError(90183)
    }
    if let challenge, let verifier, !challenge.matches(verifier) { throw ProtocolError(90182) }
  }

  /// Checks that the grant is used with the key that it is bound to (RFC 9449 §5, §10).
  private func check(_ bound: String?, _ request: ClientRequest, _ grant: String) throws(ProtocolError) {
    guard let bound, bound != request.proofThumbprint else { return }
    throw ProtocolError("invalid_grant", "The \(grant) is bound to the key of another DPoP proof.")
  }

  /// Redeems a refresh token (RFC 6749 §6).
  func refresh(_ request: ClientRequest) throws -> JSON {
    let text = try request.form.required("refresh_token")
    if request.address.isExternalID, request.form["scope"] == nil {
      var error = ProtocolError(
        "invalid_request",
        "Application '\(request.client.id)' is requesting a token for itself. This scenario is supported only if resource is "
          + "specified using the GUID based App Identifier.")
      error.entraNumber = 90_009
      throw error
    }
    guard let token = try grants.refreshToken(text) else { throw ProtocolError.unknownGrant }
    try check(clientID: token.grant.clientID, policy: token.grant.policy, request)
    guard !token.isUsed else {
      try grants.revoke(family: token.family)
      throw ProtocolError.revokedGrant
    }
    guard token.expires > clock.elapsed else { throw expired(token.issued, token.expires) }
    try check(token.grant.proofThumbprint, request, "refresh token")
    if let bound = token.grant.certificateThumbprint, bound != request.certificateThumbprint {
      throw ProtocolError("invalid_grant", "The refresh token is bound to another certificate.")
    }
    let granted = try Scope(token.grant.scope, client: request.client)
    var scope = granted
    if let text = request.form["scope"] {
      scope = try Scope(text, client: request.client)
      // The new scope may not exceed the user's consent. Scopes that grant nothing by themselves may be added.
      guard scope.resource == nil || scope.resource == granted.resource,
        Set(scope.permissions).isSubset(of: granted.permissions)
      else { throw ProtocolError(90117, text) }
    }
    return try tokens(request, token.grant, scope, family: token.family, refreshed: token)
  }

  /// Answers the polling of a device (RFC 8628 §3.4, §3.5).
  func redeemDeviceCode(_ request: ClientRequest) throws -> JSON {
    let text = try request.form.required("device_code")
    guard let code = devices.code(text) else { throw ProtocolError.unknownGrant }
    try check(clientID: code.clientID, policy: code.policy, request)
    guard code.expires > clock.elapsed else {
      throw ProtocolError("expired_token", "The device code has expired. Ask for a new one.")
    }
    switch code.state {
    case .pending:
      guard devices.isPatient(text) else {
        throw ProtocolError("slow_down", "The token endpoint is asked too often. Wait five seconds longer each time.")
      }
      throw ProtocolError("authorization_pending", "The user has not signed in yet. Ask again.")
    case .denied: throw ProtocolError(90091, text: "The user has cancelled the sign-in.")
    case .granted(let grant):
      devices.forget(text)
      return try tokens(request, grant, Scope(grant.scope, client: request.client))
    }
  }
}
