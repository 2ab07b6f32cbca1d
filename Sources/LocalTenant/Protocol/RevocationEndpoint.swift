import HTTPServer
import JSON

/// `POST …/revoke` (RFC 7009). B2C has none.
struct RevocationEndpoint {
  let grants: GrantStore
  let clock: TenantClock

  /// A refresh token takes all with it that came of the same sign-in. One that is unknown is passed over in silence
  /// (§2.2): its client can do no more about it.
  func answer(_ request: ServerRequest) throws -> ServerResponse {
    try .toClient(clock) {
      let request = try ClientRequest(request, to: "revocation endpoint")
      let text = try request.form.required("token")
      guard !text.contains(".") else {
        throw ProtocolError(
          "unsupported_token_type", nil, "Access and ID tokens cannot be revoked. Revoke the refresh token instead.")
      }
      if let token = try grants.refreshToken(text) {
        guard token.grant.clientID == request.client.id else { throw ProtocolError.foreignGrant(request.client) }
        try grants.revoke(family: token.family)
      }
      return .object([:])
    }
  }
}
