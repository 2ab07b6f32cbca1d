import JOSE

extension TokenEndpoint {
  /// The token response (RFC 6749 §5.1) with the members B2C adds.
  func tokens(
    _ grant: GrantStore.Grant, _ client: Application, _ address: PolicyAddress, _ scope: Scope, _ refreshToken: String?,
    code: String?
  ) throws -> JSON {
    guard let user = try directory.user(id: grant.userID) else {
      throw ProtocolError(
        "invalid_grant", "90128",
        "The account associated with this grant no longer exists. Please re-authenticate and try again.")
    }
    let subject = TokenSubject(
      user: user, client: client, address: address, authTime: grant.authTime, nonce: grant.nonce)
    let lifetime = Int64(TokenIssuer.lifetime)
    let now = Int64(clock.now)
    var members: [String: JSON] = ["token_type": "Bearer", "not_before": .integer(now), "scope": .string(scope.text)]
    var accessToken: String?
    if let resource = scope.resource {
      let token = try issuer.accessToken(subject, resource: resource, permissions: scope.permissions)
      accessToken = token
      members["access_token"] = .string(token)
      members["expires_in"] = .integer(lifetime)
      members["expires_on"] = .integer(now + lifetime)
      members["resource"] = .string(resource.audience)
    }
    if scope.hasOpenID {
      members["id_token"] = .string(try issuer.idToken(subject, accessToken: accessToken, code: code))
      members["id_token_expires_in"] = .integer(lifetime)
      members["profile_info"] = Self.encoded([
        "ver": "1.0", "tid": .string(Contoso.id), "sub": nil, "name": .string(user.displayName),
        "preferred_username": .string(user.email), "idp": nil,
      ])
      // By which Microsoft's libraries tell accounts apart.
      members["client_info"] = Self.encoded([
        "uid": .string("\(user.id)-\(address.policyID)"), "utid": .string(Contoso.id),
      ])
    }
    if let refreshToken {
      members["refresh_token"] = .string(refreshToken)
      members["refresh_token_expires_in"] = .integer(Int64(GrantStore.refreshTokenLifetime))
    }
    return .object(members)
  }

  private static func encoded(_ json: JSON) -> JSON {
    .string(Base64URL.encode(json.encoded().utf8))
  }
}
