import Core
import JOSE
import JSON

/// The type of a token in an exchange (RFC 8693 §3).
private enum TokenType: String {
  case accessToken = "urn:ietf:params:oauth:token-type:access_token"
  case refreshToken = "urn:ietf:params:oauth:token-type:refresh_token"
  case idToken = "urn:ietf:params:oauth:token-type:id_token"
  case jwt = "urn:ietf:params:oauth:token-type:jwt"
}

/// Token exchange (RFC 8693). B2C does not have this grant.
extension TokenEndpoint {
  func exchangeToken(_ request: ClientRequest, fault: ExchangeFault?) throws -> JSON {
    let subject = try claims(request, "subject_token")
    guard let user = try subject["oid"]?.string.flatMap({ try directory.user(id: $0) }) else {
      throw ProtocolError("invalid_request", "The subject_token is not the token of a user.")
    }
    let actor = try request.form["actor_token"].map { _ in try claims(request, "actor_token") }
    guard actor != nil || request.form["actor_token_type"] == nil else { throw ProtocolError.missing("actor_token") }
    try checkActor(actor, subject, request.client)
    let audience = try audience(request, subject)
    let permissions = try permissions(request, subject, audience)
    let tokenSubject = TokenSubject(
      user: user, client: request.client, address: request.address,
      event: SignInEvent(
        authTime: Int(subject["auth_time"]?.lenientInteger ?? 0), sid: subject["sid"]?.string,
        acr: subject["acr"]?.string), nonce: nil,
      family: subject[TokenIssuer.familyClaim]?.string ?? GUID.random())
    let type = request.form["requested_token_type"] ?? TokenType.accessToken.rawValue
    var members: [String: JSON] = [
      "issued_token_type": .string(type), "expires_in": behavior.number(behavior.accessTokenLifetime),
    ]
    switch TokenType(rawValue: type) {
    case .accessToken, .jwt:
      members["access_token"] = .string(
        try issuer.accessToken(
          tokenSubject, audience: .string(audience), permissions: permissions, confirmation: request.confirmation,
          actor: Self.actorClaim(actor, subject)))
      members["token_type"] = request.tokenType
      if !permissions.isEmpty { members["scope"] = .string(permissions.joined(separator: " ")) }
    case .idToken:
      members["access_token"] = .string(try issuer.idToken(tokenSubject))
      members["token_type"] = "N_A"
    case .refreshToken, nil:
      throw ProtocolError("invalid_request", "The requested_token_type '\(type)' is not supported.")
    }
    if fault == .noIssuedType { members["issued_token_type"] = nil }
    return .object(members)
  }

  /// The claims of a valid token that was issued to the client or is for the client.
  private func claims(_ request: ClientRequest, _ parameter: String) throws -> JSON {
    let text = try request.form.required(parameter)
    let type = try request.form.required("\(parameter)_type")
    func refusal(_ reason: String) -> ProtocolError {
      ProtocolError("invalid_request", "The \(parameter) \(reason).")
    }
    guard let type = TokenType(rawValue: type) else { throw refusal("cannot have the type '\(type)'") }
    if type == .refreshToken { return try claims(ofRefreshToken: text, request.client, refusal) }
    let claims: JSON
    do {
      guard let known = try issuer.keys.verify(text) else {
        throw refusal("is signed with a key that is not this tenant's")
      }
      claims = known
    } catch let error as JOSEError { throw refusal("is not valid: \(error.message)") } catch is JSONError {
      throw refusal("is not valid")
    }
    guard clock.elapsed < TenantClock.expiry(claims) else { throw refusal("has expired") }
    guard !grants.isRevoked(family: claims[TokenIssuer.familyClaim]?.string ?? "") else {
      throw refusal("has been revoked")
    }
    guard (claims["azp"] == nil) == (type == .idToken) || type == .jwt else {
      throw refusal("is not of the type '\(type.rawValue)'")
    }
    let id = request.client.id
    guard claims["azp"]?.string == id || claims["aud"]?.string == id else {
      throw refusal("was not issued to '\(id)', and is not for '\(id)'")
    }
    return claims
  }

  private func claims(
    ofRefreshToken text: String, _ client: Application, _ refusal: (String) -> ProtocolError
  ) throws -> JSON {
    guard let token = try grants.refreshToken(text), !token.isUsed, token.grant.clientID == client.id,
      token.expires > clock.elapsed
    else { throw refusal("is unknown, expired, revoked or of another client") }
    let user = JSON.string(token.grant.userID)
    let scope = try Scope(token.grant.scope, client: client)
    return .object([
      "sub": user, "oid": user, TokenIssuer.familyClaim: .string(token.family),
      "auth_time": .integer(Int64(token.grant.event.authTime)),
      "aud": scope.resource.map(JSON.string) ?? .null, "scp": .string(scope.permissions.joined(separator: " ")),
    ])
  }

  /// Checks that the acting party is the one that the subject's token allows (RFC 8693 §4.4).
  private func checkActor(_ actor: JSON?, _ subject: JSON, _ client: Application) throws(ProtocolError) {
    guard let allowed = subject["may_act"]?["sub"]?.string else { return }
    let acting = actor?["sub"]?.string ?? client.id
    guard acting == allowed else {
      throw ProtocolError(
        "invalid_request", "Only '\(allowed)' may act for the user of the subject_token (may_act), and not '\(acting)'."
      )
    }
  }

  /// The claim `act`: the acting party, and the parties that acted before (RFC 8693 §4.1); nil for an impersonation.
  private static func actorClaim(_ actor: JSON?, _ subject: JSON) -> JSON? {
    guard let actor else { return subject["act"] }
    var members: [String: JSON] = ["sub": actor["sub"] ?? .null]
    members["act"] = subject["act"]
    return .object(members)
  }

  private func audience(_ request: ClientRequest, _ subject: JSON) throws -> String {
    var targets: Set<String> = []
    if let name = request.form["audience"] {
      guard let id = name.lowercased() == Contoso.tasksAPI ? Contoso.tasksAPI : clients.application(name)?.id else {
        throw ProtocolError("invalid_target", "There is no API '\(name)' here.")
      }
      targets.insert(id)
    }
    if let address = request.form["resource"] {
      guard address == "\(request.address.origin)/api/tasks" else {
        throw ProtocolError("invalid_target", "There is no API at '\(address)' here.")
      }
      targets.insert(Contoso.tasksAPI)
    }
    if request.form["scope"] != nil, let resource = try request.scope().resource { targets.insert(resource) }
    guard targets.count <= 1 else {
      throw ProtocolError("invalid_target", "The parameters audience, resource and scope name more than one API.")
    }
    return targets.first ?? subject["aud"]?.string ?? Contoso.tasksAPI
  }

  /// The permissions at the task API. A token for this API gives no more than it has itself.
  private func permissions(_ request: ClientRequest, _ subject: JSON, _ audience: String) throws -> [String] {
    guard audience == Contoso.tasksAPI else { return [] }
    let own = subject["scp"]?.string?.split(separator: " ").map(String.init) ?? []
    let isOfAPI = subject["aud"]?.string == Contoso.tasksAPI
    guard let text = request.form["scope"] else { return isOfAPI ? own : ["read"] }
    let wanted = try request.scope().permissions
    guard !isOfAPI || Set(wanted).isSubset(of: own) else { throw ProtocolError(90117, text) }
    return wanted
  }
}
