import JSON

extension TokenEndpoint {
  /// Answers the polling of a device (RFC 8628 §3.4, §3.5).
  func redeemDeviceCode(_ request: ClientRequest, _ address: PolicyAddress) throws -> JSON {
    let text = try request.form.required("device_code")
    guard let code = devices.code(text) else { throw ProtocolError.unknownGrant }
    try check(clientID: code.clientID, policy: code.policy, request.client, address)
    guard code.expires > clock.elapsed else {
      throw ProtocolError("expired_token", nil, "The device code has expired. Ask for a new one.")
    }
    switch code.state {
    case .pending:
      guard devices.isPatient(text) else {
        throw ProtocolError(
          "slow_down", nil, "The token endpoint is asked too often. Wait five seconds longer each time.")
      }
      throw ProtocolError("authorization_pending", nil, "The user has not signed in yet. Ask again.")
    case .denied:
      throw ProtocolError("access_denied", "90091", "The user has cancelled the sign-in.")
    case .granted(let grant):
      devices.forget(text)
      let scope = try Scope(grant.scope, client: request.client)
      let family = GUID.random()
      return try tokens(
        Issue(
          grant: grant, client: request.client, address: address, scope: scope, family: family,
          refreshToken: try firstRefreshToken(grant, scope, family: family)))
    }
  }
}
