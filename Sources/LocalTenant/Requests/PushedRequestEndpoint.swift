import HTTPServer
import JSON

/// `POST …/par` (RFC 9126 §2).
struct PushedRequestEndpoint {
  let pushed: PushedRequests
  let issuer: TokenIssuer

  func answer(
    _ request: ServerRequest, _ address: PolicyAddress, fault: PushedRequestFault?,
    objectFault: RequestObjectFault? = nil
  ) throws -> ServerResponse {
    var response = try ServerResponse.toClient(issuer.clock, address) {
      let message = try ClientRequest(
        request, address, to: "endpoint for pushed authorization requests", pushed.clients, issuer)
      guard message.form["request_uri"] == nil else {
        throw ProtocolError("invalid_request", "A pushed authorization request cannot have the parameter request_uri.")
      }
      if let objectFault { throw objectFault.error }
      let form = message.form
      let parameters =
        form["request"] == nil ? form : try pushed.objects.parameters(form, issuer: issuer.issuer(of: address))
      let authorization = try AuthorizationRequest(
        parameters, request, address, pushed.clients, issuer: issuer.issuer(of: address))
      // With Basic authentication the form may name another client.
      guard authorization.client.id == message.client.id else {
        throw ProtocolError("invalid_request", "The client_id is not the ID of the authenticated client.")
      }
      try authorization.validate(issuer.behavior, isBeingPushed: true)
      let lifetime = fault == .expired ? 0 : PushedRequests.lifetime
      var members: [String: JSON] = [
        "request_uri": .string(pushed.add(authorization, lifetime: lifetime)),
        "expires_in": issuer.behavior.number(lifetime),
      ]
      if fault == .noURI { members["request_uri"] = nil }
      if fault == .noExpiry { members["expires_in"] = nil }
      return .object(members)
    }
    if response.status == 200, fault != .status200 { response.status = 201 }
    return response
  }
}
