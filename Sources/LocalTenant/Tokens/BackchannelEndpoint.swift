import HTTPServer
import JSON

/// `POST …/bc-authorize` (CIBA Core §7), in poll mode. B2C does not have this endpoint.
struct BackchannelEndpoint {
  private static let longestMessage = 64

  let grants: BackchannelGrants
  let directory: DirectoryStore
  let issuer: TokenIssuer
  let clients: ClientRegistry

  func answer(_ request: ServerRequest, _ address: PolicyAddress) throws -> ServerResponse {
    try .toClient(issuer.clock, address) {
      let request = try ClientRequest(request, address, to: "backchannel authentication endpoint", clients, issuer)
      try Self.checkClient(request)
      guard address.policy.kind != .ropc else {
        throw ProtocolError("unauthorized_client", "The policy \(address.policyID) is for passwords alone.")
      }
      let scope = try request.scope()
      guard scope.hasOpenID else { throw ProtocolError("invalid_scope", "The scope must contain 'openid'.") }
      let user = try user(request)
      let message = request.form["binding_message"]
      if let message { try check(message) }
      let lifetime = try lifetime(request)
      let id = grants.begin(
        request.client, user, scope, policy: address.policyID, message: message,
        acr: request.form.words("acr_values").contains(TokenIssuer.secondFactorClass)
          ? TokenIssuer.secondFactorClass : nil, lifetime: lifetime)
      return .object([
        "auth_req_id": .string(id), "expires_in": issuer.behavior.number(lifetime),
        "interval": issuer.behavior.number(BackchannelGrants.interval),
      ])
    }
  }

  /// Only a client that proves who it is may ask a user (CIBA Core §4, §7.1).
  static func checkClient(_ request: ClientRequest) throws(ProtocolError) {
    guard request.client.isConfidential else {
      throw ProtocolError(
        "unauthorized_client", "Backchannel authentication needs a client that authenticates, with a secret or a key.")
    }
  }

  private func user(_ request: ClientRequest) throws -> User {
    let hints = ["login_hint", "id_token_hint", "login_hint_token"].filter { request.form[$0] != nil }
    guard hints.count == 1 else {
      throw ProtocolError(
        "invalid_request", "The request must have exactly one of login_hint, id_token_hint and login_hint_token.")
    }
    let unknown = ProtocolError("unknown_user_id", "The directory has no such user.")
    if let name = request.form["login_hint"] {
      guard let user = try directory.find(name) else { throw unknown }
      return user
    }
    guard let token = request.form["id_token_hint"] else {
      throw ProtocolError("invalid_request", "The login_hint_token is not supported.")
    }
    guard let claims = try IDTokenHint.claims(token, issuer.keys), claims["aud"]?.string == request.client.id else {
      throw ProtocolError("invalid_request", "The id_token_hint is not an ID token of this tenant for this client.")
    }
    guard let user = try claims["sub"]?.string.flatMap({ try directory.user(id: $0) }) else { throw unknown }
    return user
  }

  private func check(_ message: String) throws(ProtocolError) {
    let hasControls = message.unicodeScalars.contains { $0.properties.generalCategory == .control }
    guard message.count <= Self.longestMessage, !hasControls else {
      throw ProtocolError(
        "invalid_binding_message",
        "The binding_message must have at most \(Self.longestMessage) characters on one line.")
    }
  }

  private func lifetime(_ request: ClientRequest) throws(ProtocolError) -> Int {
    guard let text = request.form["requested_expiry"] else { return BackchannelGrants.lifetime }
    guard let seconds = Int(text), seconds > 0 else {
      throw ProtocolError("invalid_request", "The requested_expiry '\(text)' is not a number above 0.")
    }
    return min(seconds, BackchannelGrants.lifetime)
  }
}

extension TokenEndpoint {
  /// Answers the polling of a client whose user is asked on another device (CIBA Core §10, §11).
  func redeemBackchannelRequest(_ request: ClientRequest) throws -> JSON {
    try BackchannelEndpoint.checkClient(request)
    let id = try request.form.required("auth_req_id")
    guard let waiting = backchannel.request(id) else { throw ProtocolError.unknownGrant }
    try check(clientID: waiting.clientID, policy: waiting.policy, request)
    guard waiting.expires > clock.elapsed else {
      throw ProtocolError("expired_token", "The request for the user has expired. Start again.")
    }
    switch waiting.state {
    case .pending:
      guard backchannel.isPatient(id) else {
        throw ProtocolError("slow_down", "The token endpoint is asked too often. Wait five seconds longer each time.")
      }
      throw ProtocolError("authorization_pending", "The user has not answered yet. Ask again.")
    case .denied: throw ProtocolError("access_denied", "The user has refused.")
    case .granted:
      backchannel.forget(id)
      let grant = GrantStore.Grant(
        clientID: waiting.clientID, userID: waiting.user.id, policy: waiting.policy, scope: waiting.scope,
        event: SignInEvent(authTime: waiting.answered, acr: waiting.acr))
      return try tokens(request, grant, Scope(grant.scope, client: request.client))
    }
  }
}
