import HTTPServer
import JOSE
import JSON

/// `POST …/introspection` (RFC 7662), with signed answers (RFC 9701). B2C does not have this endpoint.
struct IntrospectionEndpoint {
  private static let signedType = "application/token-introspection+jwt"

  let grants: GrantStore
  let directory: DirectoryStore
  let issuer: TokenIssuer
  let clients: ClientRegistry

  private var clock: TenantClock { issuer.clock }

  func answer(
    _ request: ServerRequest, _ address: PolicyAddress, fault: IntrospectionFault?
  ) throws -> ServerResponse {
    var signed: String?
    let response = try ServerResponse.toClient(clock, address) {
      let message = try message(request, address)
      var members = try description(of: message.form.required("token"), for: message.client) ?? ["active": false]
      if fault == .noActive { members["active"] = nil }
      if request.header("Accept")?.lowercased().contains(Self.signedType) == true, fault != .json {
        signed = try sign(members, for: fault == .otherAudience ? Contoso.tasksAPI : message.client.id, address)
      }
      return .object(members)
    }
    guard let signed else { return response }
    return ServerResponse(status: 200, headers: ServerResponse.notStored, text: signed, type: Self.signedType)
  }

  /// A caller whose credentials are wrong gets 401 here, however they were sent (RFC 7662 §2.3).
  private func message(_ request: ServerRequest, _ address: PolicyAddress) throws(ProtocolError) -> ClientRequest {
    do { return try ClientRequest(request, address, to: "introspection endpoint", clients, issuer) } catch {
      var error = error
      if error.error == "invalid_client" { error.status = 401 }
      throw error
    }
  }

  /// The answer about a valid token that was issued to the client or is for the client; nil for any other token, so that the
  /// answer does not tell the reason (RFC 7662 §2.2).
  private func description(of token: String, for client: Application) throws -> [String: JSON]? {
    if let refreshToken = try grants.refreshToken(token) { return try description(of: refreshToken, for: client) }
    let claims: JSON?
    do { claims = try issuer.keys.verify(token) } catch is JOSEError { return nil } catch is JSONError { return nil }
    // ID tokens have no claim `azp`.
    guard let claims, let party = claims["azp"]?.string, party == client.id || claims["aud"]?.string == client.id,
      clock.elapsed < TenantClock.expiry(claims),
      !grants.isRevoked(family: claims[TokenIssuer.familyClaim]?.string ?? "")
    else { return nil }
    var members = (claims.object ?? [:]).filter {
      ["iss", "sub", "aud", "exp", "iat", "nbf", "jti", "cnf", "act", "may_act", "acr", "auth_time"].contains($0.key)
    }
    members["active"] = true
    members["client_id"] = .string(party)
    members["token_type"] = claims["cnf"] == nil ? "Bearer" : "DPoP"
    members["scope"] = claims["scp"]
    members["username"] = try username(claims["oid"]?.string)
    return members
  }

  private func description(
    of token: GrantStore.RefreshToken, for client: Application
  ) throws -> [String: JSON]? {
    guard !token.isUsed, token.grant.clientID == client.id, token.expires > clock.elapsed,
      !grants.isRevoked(family: token.family), let username = try username(token.grant.userID)
    else { return nil }
    return [
      "active": true, "client_id": .string(client.id), "scope": .string(token.grant.scope),
      "sub": .string(token.grant.userID), "username": username,
      "exp": .integer(Int64(token.expires - clock.advanced)), "iat": .integer(Int64(token.issued - clock.advanced)),
    ]
  }

  private func username(_ id: String?) throws -> JSON? {
    try id.flatMap { try directory.user(id: $0) }.map { .string($0.username) }
  }

  /// The JWT of a signed answer (RFC 9701 §5). It has neither `sub` nor `exp`, so that nobody takes it for an access token.
  private func sign(_ members: [String: JSON], for audience: String, _ address: PolicyAddress) throws -> String {
    try issuer.sign(
      [
        "iss": .string(issuer.issuer(of: address)), "aud": .string(audience), "iat": .integer(Int64(clock.now)),
        "token_introspection": .object(members),
      ], type: "token-introspection+jwt")
  }
}
