import HTTPServer
import JSON

/// `POST …/devicecode` (RFC 8628 §3.1). Microsoft Entra has this endpoint; B2C does not.
struct DeviceAuthorizationEndpoint {
  let devices: DeviceGrants
  let issuer: TokenIssuer
  let clients: ClientRegistry

  func answer(_ request: ServerRequest, _ address: PolicyAddress) throws -> ServerResponse {
    try .toClient(issuer.clock, address) {
      let request = try ClientRequest(request, address, to: "device authorization endpoint", clients, issuer)
      guard address.policy.kind != .ropc else {
        throw ProtocolError(
          "unauthorized_client", "The policy \(address.policyID) has no pages where a user could sign in.")
      }
      let scope = try request.scope()
      let origin = address.origin
      let resources = try RequestedResources(request.form.resources, scope, origin: origin)
      let details = try RichDetails(request.form["authorization_details"], origin: origin)
      let others =
        resources.uris.map { ("resource", $0) }
        + [details?.json.encoded()].compactMap(\.self).map { ("authorization_details", $0) }
      guard scope.hasOpenID || scope.resource != nil || !others.isEmpty else {
        throw ProtocolError.noResource(scope.text)
      }
      let (deviceCode, userCode) = devices.begin(
        request.client, scope, others: others, policy: address.policyID)
      let page = address.device
      return .object([
        "device_code": .string(deviceCode), "user_code": .string(userCode), "verification_uri": .string(page),
        "verification_uri_complete": .string("\(page)?user_code=\(userCode)"),
        "expires_in": issuer.behavior.number(DeviceGrants.lifetime),
        "interval": issuer.behavior.number(DeviceGrants.interval),
        "message": .string("To sign in, open \(page) in a web browser and enter the code \(userCode)."),
      ])
    }
  }
}
