import JSON

extension TokenEndpoint {
  /// Redeems a refresh token (RFC 6749 §6).
  func refresh(_ request: ClientRequest, _ address: PolicyAddress) throws -> JSON {
    let text = try request.form.required("refresh_token")
    guard let token = try grants.refreshToken(text) else { throw ProtocolError.unknownGrant }
    try check(token.grant, request.client, address)
    guard !token.isUsed else {
      try grants.revoke(family: token.family)
      throw ProtocolError.revokedGrant
    }
    guard token.expires > clock.elapsed else { throw expired(token.issued, token.expires) }
    let granted = try Scope(token.grant.scope, client: request.client)
    var scope = granted
    if let text = request.form["scope"] {
      scope = try Scope(text, client: request.client)
      // The new scope may not exceed the user's consent. Scopes that grant nothing by themselves may be added.
      guard scope.resource == nil || scope.resource == granted.resource,
        Set(scope.permissions).isSubset(of: granted.permissions)
      else { throw ProtocolError.unsupportedScope(text) }
    }
    return try tokens(
      Issue(
        grant: token.grant, client: request.client, address: address, scope: scope, family: token.family,
        refreshToken: try grants.rotate(token)))
  }
}
