import HTTPServer
import JOSE

/// `POST …/token` (RFC 6749 §3.2).
struct TokenEndpoint {
  let grants: GrantStore
  let directory: DirectoryStore
  let issuer: TokenIssuer
  let clock: TenantClock

  func answer(_ request: ServerRequest, _ address: PolicyAddress) throws -> ServerResponse {
    do {
      return .json(200, try respond(request, address), headers: Self.headers)
    } catch let error as ProtocolError {
      var headers = Self.headers
      if error.status == 401 { headers.append(("WWW-Authenticate", "Basic realm=\"\(Contoso.domain)\"")) }
      if error.status == 405 { headers.append(("Allow", "POST")) }
      let body: JSON = ["error": .string(error.error), "error_description": .string(error.description(clock))]
      return .json(error.status, body, headers: headers)
    }
  }

  private static let headers = [("Cache-Control", "no-store"), ("Pragma", "no-cache")]

  private func respond(_ request: ServerRequest, _ address: PolicyAddress) throws -> JSON {
    guard request.method == "POST" else {
      throw ProtocolError("invalid_request", nil, "The token endpoint takes POST, not \(request.method).", status: 405)
    }
    guard request.mediaType == "application/x-www-form-urlencoded" else {
      throw ProtocolError(
        "invalid_request", nil,
        "The request's Content-Type must be application/x-www-form-urlencoded, not \(request.mediaType ?? "absent").")
    }
    let form = Dictionary(request.form) { first, _ in first }
    guard let grantType = form["grant_type"], !grantType.isEmpty else { throw ProtocolError.missing("grant_type") }
    let client = try ClientAuthentication.client(request, form)
    switch grantType {
    case "authorization_code": return try redeemCode(form, client, address)
    case "refresh_token": return try refresh(form, client, address)
    default:
      throw ProtocolError(
        "unsupported_grant_type", "90086", "The supplied grant_type [\(grantType)] is not supported.")
    }
  }

  private func redeemCode(_ form: [String: String], _ client: Application, _ address: PolicyAddress) throws -> JSON {
    guard let text = form["code"], !text.isEmpty else { throw ProtocolError.missing("code") }
    guard let code = grants.code(text) else { throw Self.unknownGrant }
    guard !code.isUsed else {
      // RFC 6749 §4.1.2: a code that comes twice was stolen, so what came of it is withdrawn.
      try grants.revoke(family: code.family)
      throw ProtocolError(
        "invalid_grant", "90129", "The provided grant has been revoked. Please re-authenticate and try again.")
    }
    try check(code.grant, client, address)
    guard code.expires > clock.elapsed else { throw expired(code.expires - GrantStore.codeLifetime, code.expires) }
    guard let redirectURI = form["redirect_uri"] else { throw ProtocolError.missing("redirect_uri") }
    guard redirectURI == code.redirectURI else {
      throw ProtocolError(
        "invalid_grant", "90006",
        "The redirect URI '\(redirectURI)' provided in the request is not the one the code was issued for.")
    }
    try check(code.challenge, form["code_verifier"])
    grants.markUsed(code: text)
    let scope = try Scope(code.grant.scope, client: client)
    let refreshToken = scope.hasOfflineAccess ? try grants.makeRefreshToken(code.grant, family: code.family) : nil
    return try tokens(code.grant, client, address, scope, refreshToken, code: text)
  }

  private func refresh(_ form: [String: String], _ client: Application, _ address: PolicyAddress) throws -> JSON {
    guard let text = form["refresh_token"], !text.isEmpty else { throw ProtocolError.missing("refresh_token") }
    guard let token = try grants.refreshToken(text) else { throw Self.unknownGrant }
    try check(token.grant, client, address)
    guard !token.isUsed else {
      try grants.revoke(family: token.family)
      throw ProtocolError(
        "invalid_grant", "90129", "The provided grant has been revoked. Please re-authenticate and try again.")
    }
    guard token.expires > clock.elapsed else { throw expired(token.issued, token.expires) }
    let granted = try Scope(token.grant.scope, client: client)
    var scope = granted
    if let text = form["scope"], !text.isEmpty {
      scope = try Scope(text, client: client)
      // RFC 6749 §6: no more than what the user consented to. What grants nothing by itself may be added.
      guard scope.resource == nil || scope.resource == granted.resource,
        Set(scope.permissions).isSubset(of: granted.permissions)
      else {
        throw ProtocolError("invalid_scope", "90117", "The scope '\(text)' provided in the request is not supported.")
      }
    }
    return try tokens(token.grant, client, address, scope, grants.rotate(token), code: nil)
  }

  private func check(_ grant: GrantStore.Grant, _ client: Application, _ address: PolicyAddress) throws(ProtocolError) {
    guard grant.clientID == client.id else {
      throw ProtocolError(
        "invalid_grant", "90279",
        "The provided client id '\(client.id)' does not match the client id that issued the grant.")
    }
    guard grant.policy == address.policyID else {
      throw ProtocolError(
        "invalid_grant", "90088",
        "The provided grant has not been issued for this endpoint. Actual Value : \(address.policyID) and Expected Value : "
          + "\(grant.policy)")
    }
  }

  private func check(_ challenge: CodeChallenge?, _ verifier: String?) throws(ProtocolError) {
    let isPlausible = verifier.map(CodeChallenge.isWellFormed)
    // A verifier without a challenge is refused too: it would hide that the challenge was taken away on the way.
    guard (challenge == nil) == (verifier == nil), isPlausible != false else {
      throw ProtocolError("invalid_grant", "90183", "The supplied code_verifier is invalid.")
    }
    if let challenge, let verifier, !challenge.matches(verifier) {
      throw ProtocolError(
        "invalid_grant", "90182", "The supplied code_verifier does not match associated code_challenge.")
    }
  }

  private static let unknownGrant = ProtocolError(
    "invalid_grant", "90080", "The provided grant is unknown here or has expired. Please re-authenticate and try again."
  )

  private func expired(_ issued: Int, _ expires: Int) -> ProtocolError {
    ProtocolError(
      "invalid_grant", "90080",
      "The provided grant has expired. Please re-authenticate and try again. Current time: \(clock.elapsed), Grant issued "
        + "time: \(issued), Grant expiration time: \(expires)")
  }
}
