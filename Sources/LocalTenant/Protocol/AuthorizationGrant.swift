import JSON

/// The answer to a successful authorization request.
struct AuthorizationGrant {
  let grants: GrantStore
  let issuer: TokenIssuer

  /// The fields for the response type (OAuth 2.0 Multiple Response Type Encoding Practices §3 and §5, OpenID Connect
  /// Core §3.2.2.5 and §3.3.2.5). Tokens issued later for the code belong to the same family as the token issued at
  /// once.
  func fields(
    _ request: AuthorizationRequest, _ scope: Scope, _ user: User, _ event: SignInEvent
  ) throws -> [(String, String)] {
    var fields: [(String, String)] = []
    let family = GUID.random()
    let subject = TokenSubject(
      user: user, client: request.client, address: request.address, event: event, nonce: request.nonce, family: family)
    var code: String?
    if request.wantsCode {
      let grant = GrantStore.Grant(
        clientID: request.client.id, userID: user.id, policy: request.address.policyID, scope: scope.text,
        event: event, nonce: request.nonce)
      let made = grants.makeCode(
        grant, family: family, redirectURI: request.redirectURI, challenge: request.challenge)
      fields.append(("code", made))
      code = made
    }
    var accessToken: String?
    if request.wantsAccessToken, let resource = scope.resource {
      let token = try issuer.accessToken(subject, resource: resource, permissions: scope.permissions)
      fields += [
        ("access_token", token), ("token_type", "Bearer"), ("expires_in", String(issuer.behavior.accessTokenLifetime)),
        ("scope", scope.text),
      ]
      accessToken = token
    }
    if request.wantsIDToken {
      fields.append(("id_token", try issuer.idToken(subject, accessToken: accessToken, code: code)))
    }
    if request.parameters["client_info"] == "1" {
      fields.append(("client_info", AccountInfo.client(user, request.address)))
    }
    return fields
  }
}
