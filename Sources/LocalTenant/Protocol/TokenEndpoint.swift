import HTTPServer
import JSON

/// `POST …/token` (RFC 6749 §3.2).
struct TokenEndpoint {
  let grants: GrantStore
  let devices: DeviceGrants
  let directory: DirectoryStore
  let issuer: TokenIssuer

  var clock: TenantClock { issuer.clock }
  var behavior: TenantBehavior { issuer.behavior }

  /// - Parameter fault: an error that is returned for every request.
  func answer(
    _ request: ServerRequest, _ address: PolicyAddress, fault: ProtocolError? = nil
  ) throws -> ServerResponse {
    try .toClient(clock) {
      if let fault { throw fault }
      let request = try ClientRequest(request, to: "token endpoint")
      let grantType = try request.form.required("grant_type")
      return switch GrantType(rawValue: grantType) {
      case .authorizationCode: try redeemCode(request, address)
      case .refreshToken: try refresh(request, address)
      case .password: try signIn(request, address)
      case .clientCredentials: try authorizeApplication(request, address)
      case .assertion: try exchange(request, address)
      case .deviceCode: try redeemDeviceCode(request, address)
      case nil:
        throw ProtocolError(
          "unsupported_grant_type", "90086", "The supplied grant_type [\(grantType)] is not supported.")
      }
    }
  }

  /// Checks that the grant belongs to this client and this policy.
  func check(_ grant: GrantStore.Grant, _ client: Application, _ address: PolicyAddress) throws(ProtocolError) {
    try check(clientID: grant.clientID, policy: grant.policy, client, address)
  }

  func check(
    clientID: String, policy: String, _ client: Application, _ address: PolicyAddress
  ) throws(ProtocolError) {
    guard clientID == client.id else { throw .foreignGrant(client) }
    guard policy == address.policyID else {
      throw ProtocolError(
        "invalid_grant", "90088",
        "The provided grant has not been issued for this endpoint. Actual Value : \(address.policyID) and Expected Value : "
          + "\(policy)")
    }
  }

  func expired(_ issued: Int, _ expires: Int) -> ProtocolError {
    ProtocolError(
      "invalid_grant", "90080",
      "The provided grant has expired. Please re-authenticate and try again. Current time: \(clock.elapsed), Grant issued "
        + "time: \(issued), Grant expiration time: \(expires)")
  }
}
