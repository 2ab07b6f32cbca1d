import Core
import JOSE
import JSON

extension TokenEndpoint {
  /// Client credentials (RFC 6749 §4.4): a token for the application itself alone, at every policy as in B2C.
  func authorizeApplication(_ request: ClientRequest) throws -> JSON {
    guard request.client.isConfidential else { throw ProtocolError(90058) }
    try checkDefaultScope(request.form["scope"] ?? "")
    let resources = try RequestedResources(request.form.resources, nil, origin: request.address.origin)
    let audience = resources.audience ?? .string(Contoso.tasksAPI)
    let details = try RichDetails(request.form["authorization_details"], origin: request.address.origin)
    let token = try issuer.accessToken(
      application: request.client, request.address, audience: audience, details: details?.json,
      confirmation: request.confirmation)
    var members: [String: JSON] = [
      "token_type": request.tokenType, "access_token": .string(token), "not_before": behavior.number(clock.now),
      "expires_in": behavior.number(behavior.accessTokenLifetime),
      "expires_on": behavior.number(clock.now + behavior.accessTokenLifetime),
      "resource": audience,
    ]
    members["authorization_details"] = details?.json
    return .object(members)
  }

  /// Checks that the scope names only the API. The permissions of an application are assigned, not requested.
  private func checkDefaultScope(_ text: String) throws(ProtocolError) {
    let scopes = text.split(whereSeparator: \.isWhitespace)
    guard let scope = scopes.first else { throw ProtocolError(90010) }
    guard scopes.count == 1 else { throw ProtocolError(90146, text) }
    guard scope.contains("/") else { throw .noResource(text) }
    guard scope == Contoso.defaultTaskScope else { throw ProtocolError(90117, text) }
  }

  /// Issues a token on behalf of a user (RFC 7523 §2.1 in the form of Microsoft Entra; Azure AD B2C does not support
  /// it). An API with a secret exchanges the access token of its caller for an access token for the next API.
  func exchange(_ request: ClientRequest) throws -> JSON {
    guard request.client.isConfidential else { throw ProtocolError(90058) }
    let assertion = try request.form.required("assertion")
    let use = try request.form.required("requested_token_use")
    guard use == "on_behalf_of" else {
      throw ProtocolError("invalid_request", "The requested_token_use '\(use)' is not supported.")
    }
    let claims = try verifiedClaims(of: assertion)
    guard claims["azp"] != nil, let userID = claims["oid"]?.string else {
      throw ProtocolError("invalid_grant", "The assertion is not an access token of a user.")
    }
    guard claims["aud"]?.string == request.client.id else {
      var error = ProtocolError(
        "invalid_grant",
        "Assertion audience does not match the Client app presenting the assertion. The audience in the assertion was "
          + "'\(claims["aud"]?.string ?? "")' and the expected audience is '\(request.client.id)'.")
      error.entraNumber = 500_131
      throw error
    }
    let family = claims[TokenIssuer.familyClaim]?.string ?? ""
    guard !grants.isRevoked(family: family) else { throw ProtocolError.revokedGrant }
    let scope = try request.scope()
    try check(clientID: request.client.id, policy: claims["tfp"]?.string ?? "", request)
    let grant = GrantStore.Grant(
      clientID: request.client.id, userID: userID, policy: request.address.policyID, scope: scope.text,
      event: SignInEvent(authTime: Int(claims["auth_time"]?.lenientInteger ?? 0), acr: claims["acr"]?.string))
    return try tokens(request, grant, scope, family: family)
  }

  private func verifiedClaims(of token: String) throws -> JSON {
    do {
      guard let claims = try issuer.keys.verify(token) else {
        throw ProtocolError("invalid_grant", "The assertion is signed with a key that is not this tenant's.")
      }
      let expires = Int(claims["exp"]?.lenientInteger ?? 0)
      let advanced = Int(claims[TokenIssuer.advancedClaim]?.lenientInteger ?? 0)
      guard clock.elapsed - advanced < expires else { throw expired(expires - behavior.accessTokenLifetime, expires) }
      return claims
    } catch let error as JOSEError {
      throw ProtocolError("invalid_grant", "The assertion is not valid: \(error.message).")
    }
  }
}
