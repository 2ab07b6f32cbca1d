import HTTPServer
import JSON

/// `POST …/revoke` (RFC 7009). B2C does not have this endpoint.
struct RevocationEndpoint {
  let grants: GrantStore
  let issuer: TokenIssuer
  let clients: ClientRegistry

  /// Revokes all tokens of the same sign-in. An unknown token is no error (§2.2): its client has nothing to do.
  func answer(_ request: ServerRequest, _ address: PolicyAddress) throws -> ServerResponse {
    try .toClient(issuer.clock, address) {
      let request = try ClientRequest(request, address, to: "revocation endpoint", clients, issuer)
      let text = try request.form.required("token")
      guard !text.contains(".") else {
        throw ProtocolError(
          "unsupported_token_type", "Access and ID tokens cannot be revoked. Revoke the refresh token instead.")
      }
      if let token = try grants.refreshToken(text) {
        guard token.grant.clientID == request.client.id else { throw ProtocolError.foreignGrant(request.client) }
        try grants.revoke(family: token.family)
      }
      return .object([:])
    }
  }
}
