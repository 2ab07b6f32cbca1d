import JSON

extension TokenEndpoint {
  /// Redeems a code (RFC 6749 §4.1.3, RFC 7636 §4.5).
  func redeemCode(_ request: ClientRequest, _ address: PolicyAddress) throws -> JSON {
    let text = try request.form.required("code")
    guard let code = grants.code(text) else { throw ProtocolError.unknownGrant }
    guard !code.isUsed else {
      // A code that is used twice may be stolen, so all its tokens are revoked (RFC 6749 §4.1.2).
      try grants.revoke(family: code.family)
      throw ProtocolError.revokedGrant
    }
    try check(code.grant, request.client, address)
    guard code.expires > clock.elapsed else { throw expired(code.expires - GrantStore.codeLifetime, code.expires) }
    let redirectURI = try request.form.required("redirect_uri")
    guard redirectURI == code.redirectURI else {
      throw ProtocolError(
        "invalid_grant", "90006",
        "The redirect URI '\(redirectURI)' provided in the request is not the one the code was issued for.")
    }
    try check(code.challenge, request.form["code_verifier"])
    grants.markUsed(code: text)
    let scope = try Scope(code.grant.scope, client: request.client)
    return try tokens(
      Issue(
        grant: code.grant, client: request.client, address: address, scope: scope, family: code.family,
        refreshToken: try firstRefreshToken(code.grant, scope, family: code.family), code: text))
  }

  /// Returns nil if the scope does not request a refresh token.
  func firstRefreshToken(_ grant: GrantStore.Grant, _ scope: Scope, family: String) throws -> String? {
    scope.hasOfflineAccess ? try grants.makeRefreshToken(grant, family: family) : nil
  }

  private func check(_ challenge: CodeChallenge?, _ verifier: String?) throws(ProtocolError) {
    let isPlausible = verifier.map(CodeChallenge.isWellFormed)
    // A verifier without a challenge is refused too, because the challenge may have been removed on its way.
    guard (challenge == nil) == (verifier == nil), isPlausible != false else {
      throw ProtocolError("invalid_grant", "90183", "The supplied code_verifier is invalid.")
    }
    if let challenge, let verifier, !challenge.matches(verifier) {
      throw ProtocolError(
        "invalid_grant", "90182", "The supplied code_verifier does not match associated code_challenge.")
    }
  }
}
