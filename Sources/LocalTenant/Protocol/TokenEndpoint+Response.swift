import JSON

extension TokenEndpoint {
  /// The tokens to issue and their subject.
  struct Issue {
    let grant: GrantStore.Grant
    let client: Application
    let address: PolicyAddress
    let scope: Scope
    let family: String
    var refreshToken: String?
    /// The code that is redeemed.
    var code: String?
    /// The allowed ones of `token` and `id_token`. The scope may leave some out.
    var types: Set<String> = ["token", "id_token"]
  }

  /// The token response (RFC 6749 §5.1) with B2C's additional members.
  func tokens(_ issue: Issue) throws -> JSON {
    guard let user = try directory.user(id: issue.grant.userID) else {
      throw ProtocolError(
        "invalid_grant", "90128",
        "The account associated with this grant no longer exists. Please re-authenticate and try again.")
    }
    let subject = TokenSubject(
      user: user, client: issue.client, address: issue.address, event: issue.grant.event,
      nonce: issue.grant.nonce, family: issue.family)
    let lifetime = behavior.accessTokenLifetime
    var members: [String: JSON] = [
      "token_type": "Bearer", "not_before": behavior.number(clock.now), "scope": .string(issue.scope.text),
    ]
    var accessToken: String?
    if let resource = issue.scope.resource, issue.types.contains("token") {
      let token = try issuer.accessToken(subject, resource: resource, permissions: issue.scope.permissions)
      accessToken = token
      members["access_token"] = .string(token)
      members["expires_in"] = behavior.number(lifetime)
      members["expires_on"] = behavior.number(clock.now + lifetime)
      members["resource"] = .string(resource.audience)
    }
    if issue.scope.hasOpenID, issue.types.contains("id_token") {
      members["id_token"] = .string(try issuer.idToken(subject, accessToken: accessToken, code: issue.code))
      members["id_token_expires_in"] = behavior.number(lifetime)
      members["profile_info"] = .string(AccountInfo.profile(user))
      members["client_info"] = .string(AccountInfo.client(user, issue.address))
    }
    if let refreshToken = issue.refreshToken {
      members["refresh_token"] = .string(refreshToken)
      members["refresh_token_expires_in"] = behavior.number(behavior.refreshTokenLifetime)
    }
    return .object(members)
  }
}
