import JOSE
import JSON

extension TokenEndpoint {
  /// Issues a token on behalf of a user (RFC 7523 §2.1 in the form of Microsoft Entra; Azure AD B2C does not support
  /// it). An API with a secret exchanges the access token of its caller for an access token for the next API.
  func exchange(_ request: ClientRequest, _ address: PolicyAddress) throws -> JSON {
    guard request.client.secret != nil else { throw ProtocolError.publicClient }
    let assertion = try request.form.required("assertion")
    let use = try request.form.required("requested_token_use")
    guard use == "on_behalf_of" else {
      throw ProtocolError("invalid_request", nil, "The requested_token_use '\(use)' is not supported.")
    }
    let claims = try verifiedClaims(of: assertion)
    guard claims["azp"] != nil, let userID = claims["oid"]?.string else {
      throw ProtocolError("invalid_grant", nil, "The assertion is not an access token of a user.")
    }
    guard claims["aud"]?.string == request.client.id else {
      throw ProtocolError(
        "invalid_grant", nil, "The assertion is for '\(claims["aud"]?.string ?? "")', not for '\(request.client.id)'.")
    }
    let family = claims[TokenIssuer.familyClaim]?.string ?? ""
    guard !grants.isRevoked(family: family) else { throw ProtocolError.revokedGrant }
    let scope = try Scope(request.form["scope"] ?? "", client: request.client)
    let grant = GrantStore.Grant(
      clientID: request.client.id, userID: userID, policy: address.policyID, scope: scope.text,
      event: SignInEvent(authTime: Int(claims["auth_time"]?.lenientInteger ?? 0), acr: claims["acr"]?.string),
      nonce: nil)
    try check(
      clientID: request.client.id, policy: claims["tfp"]?.string ?? "", request.client, address)
    return try tokens(
      Issue(
        grant: grant, client: request.client, address: address, scope: scope, family: family,
        refreshToken: try firstRefreshToken(grant, scope, family: family)))
  }

  /// Returns the claims of a valid token of this tenant.
  private func verifiedClaims(of token: String) throws -> JSON {
    do {
      guard let (claims, _) = try issuer.keys.verify(token) else {
        throw ProtocolError("invalid_grant", nil, "The assertion is signed with a key that is not this tenant's.")
      }
      let expires = Int(claims["exp"]?.lenientInteger ?? 0)
      let advanced = Int(claims[TokenIssuer.advancedClaim]?.lenientInteger ?? 0)
      guard clock.elapsed - advanced < expires else { throw expired(expires - behavior.accessTokenLifetime, expires) }
      return claims
    } catch let error as JOSEError {
      throw ProtocolError("invalid_grant", nil, "The assertion is not valid: \(error.message).")
    }
  }
}
