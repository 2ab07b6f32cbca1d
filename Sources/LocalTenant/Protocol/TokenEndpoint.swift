import HTTPServer
import JSON

/// The values of `grant_type`.
enum GrantType: String, CaseIterable {
  case authorizationCode = "authorization_code"
  case refreshToken = "refresh_token"
  case password
  case clientCredentials = "client_credentials"
  case assertion = "urn:ietf:params:oauth:grant-type:jwt-bearer"
  case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
  case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
  case backchannel = "urn:openid:params:grant-type:ciba"
}

/// `POST …/token` (RFC 6749 §3.2).
struct TokenEndpoint {
  let grants: GrantStore
  let devices: DeviceGrants
  let directory: DirectoryStore
  let issuer: TokenIssuer
  let clients: ClientRegistry
  let proofs: ProofCheck
  let backchannel: BackchannelGrants

  var clock: TenantClock { issuer.clock }
  var behavior: TenantBehavior { issuer.behavior }

  /// - Parameter fault: an error that is returned for every request, or a wrong answer to some of them.
  func answer(
    _ request: ServerRequest, _ address: PolicyAddress, fault: TenantFault?
  ) throws -> ServerResponse {
    var nonce = proofs.nonce
    var response = try ServerResponse.toClient(clock, address) {
      if let error = fault?.error { throw error }
      let message = request
      var request = try ClientRequest(message, address, to: "token endpoint", clients, issuer)
      do {
        request.proofThumbprint = try proofs.thumbprint(message, fault: fault?.proof)
        let needsProof =
          behavior.requirements.contains(.dpop)
          || behavior.profile?.bindsTokens == true && request.certificateThumbprint == nil
        guard request.proofThumbprint != nil || !needsProof else {
          throw ProofError.invalid("the request has no DPoP proof")
        }
      } catch let error as ProofError {
        nonce = error.code == "use_dpop_nonce" ? error.nonce : nonce
        throw ProtocolError(error.code, error.message)
      }
      guard request.certificateThumbprint != nil || !behavior.requirements.contains(.mtls) else {
        throw ProtocolError("invalid_request", "The tenant requires a certificate of the client (mutual TLS).")
      }
      if fault?.mtls == .wrongThumbprint { request.certificateThumbprint = GrantStore.hash("another certificate") }
      request.getsBearerToken = fault?.proof == .bearer
      let grantType = try request.form.required("grant_type")
      try behavior.profile?.check(GrantType(rawValue: grantType))
      let answer =
        switch GrantType(rawValue: grantType) {
        case .authorizationCode: try redeemCode(request)
        case .refreshToken: try refresh(request)
        case .password: try signIn(request)
        case .clientCredentials: try authorizeApplication(request)
        case .assertion where address.isExternalID: try exchange(request)
        case .tokenExchange: try exchangeToken(request, fault: fault?.exchange)
        case .backchannel: try redeemBackchannelRequest(request)
        case .deviceCode: try redeemDeviceCode(request)
        case .assertion, nil: throw ProtocolError(90086, grantType)
        }
      return fault?.details?.apply(answer) ?? answer
    }
    if let nonce { response.headers.append(("DPoP-Nonce", nonce)) }
    return response
  }

  func check(clientID: String, policy: String, _ request: ClientRequest) throws(ProtocolError) {
    guard clientID == request.client.id else { throw .foreignGrant(request.client) }
    guard policy == request.address.policyID else {
      throw ProtocolError(
        90088,
        text:
          "The provided grant has not been issued for this endpoint. Actual Value : \(request.address.policyID) and "
          + "Expected Value : \(policy)")
    }
  }

  func expired(_ issued: Int, _ expires: Int) -> ProtocolError {
    ProtocolError(
      90080,
      text:
        "The provided grant has expired. Please re-authenticate and try again. Current time: \(clock.elapsed), Grant "
        + "issued time: \(issued), Grant expiration time: \(expires)")
  }

  /// The token response (RFC 6749 §5.1) with B2C's additional members.
  /// - Parameter refreshed: the redeemed refresh token; nil to make the first one if the scope requests one.
  /// - Parameter types: the allowed ones of `token` and `id_token`. The scope may leave some out.
  func tokens(
    _ request: ClientRequest, _ grant: GrantStore.Grant, _ scope: Scope, family: String = GUID.random(),
    refreshed: GrantStore.RefreshToken? = nil, code: String? = nil, types: Set<String> = ["token", "id_token"]
  ) throws -> JSON {
    let resources = try RequestedResources(request.form, of: grant, scope, origin: request.address.origin)
    let details = try RichDetails(request.form, of: grant, origin: request.address.origin)
    var refreshToken = try refreshed.flatMap { try grants.rotate($0) }
    if refreshed == nil, scope.hasOfflineAccess {
      var bound = grant
      // Only refresh tokens of public clients are bound: others are bound to the client's authentication (RFC 9449 §5).
      bound.proofThumbprint = request.client.secret == nil ? request.proofThumbprint : nil
      bound.certificateThumbprint = request.client.isConfidential ? nil : request.certificateThumbprint
      refreshToken = try grants.makeRefreshToken(bound, family: family)
    }
    guard let user = try directory.user(id: grant.userID) else { throw ProtocolError(90128) }
    let subject = TokenSubject(
      user: user, client: request.client, address: request.address, event: grant.event, nonce: grant.nonce,
      family: family)
    let lifetime = behavior.accessTokenLifetime
    var members: [String: JSON] = [
      "token_type": request.tokenType, "not_before": behavior.number(clock.now), "scope": .string(scope.text),
    ]
    var accessToken: String?
    let usual: JSON? = request.address.isExternalID && scope.hasOpenID ? .string(Contoso.graph) : nil
    if let audience = resources.audience ?? scope.audience(details) ?? usual, types.contains("token") {
      let token = try issuer.accessToken(
        subject, audience: audience, permissions: scope.permissions, details: details?.json,
        confirmation: request.confirmation)
      accessToken = token
      members["access_token"] = .string(token)
      members["expires_in"] = behavior.number(lifetime)
      members["expires_on"] = behavior.number(clock.now + lifetime)
      members["resource"] = audience
      members["authorization_details"] = details?.json
    }
    if scope.hasOpenID, types.contains("id_token") {
      members["id_token"] = .string(try issuer.idToken(subject, accessToken: accessToken, code: code))
      members["id_token_expires_in"] = behavior.number(lifetime)
      members["profile_info"] = .string(AccountInfo.profile(user))
      members["client_info"] = .string(AccountInfo.client(user, request.address))
    }
    if let refreshToken {
      members["refresh_token"] = .string(refreshToken)
      members["refresh_token_expires_in"] = behavior.number(behavior.refreshTokenLifetime)
    }
    return .object(members)
  }
}
