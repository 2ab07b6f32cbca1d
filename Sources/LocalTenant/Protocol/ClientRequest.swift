import HTTPServer
import JSON

/// A form that a client sends to an endpoint directly, not through a browser: to the endpoints for tokens (RFC 6749
/// §3.2), revocation (RFC 7009 §2.1) and device codes (RFC 8628 §3.1).
struct ClientRequest {
  let form: Parameters
  let client: Application
  let address: PolicyAddress
  /// The thumbprint of the key that signed the proof of the request; nil without a proof.
  var proofThumbprint: String?
  /// The thumbprint of the client's certificate, if its tokens are bound to it.
  var certificateThumbprint: String?
  /// True for a fault: the answer's access token is bound to no key.
  var getsBearerToken = false

  init(
    _ request: ServerRequest, _ address: PolicyAddress, to endpoint: String, _ clients: ClientRegistry,
    _ issuer: TokenIssuer
  ) throws(ProtocolError) {
    guard request.method == "POST" else {
      throw ProtocolError("invalid_request", "The \(endpoint) takes POST, not \(request.method).", status: 405)
    }
    guard request.mediaType == "application/x-www-form-urlencoded" else {
      throw ProtocolError(
        "invalid_request",
        "The request's Content-Type must be application/x-www-form-urlencoded, not \(request.mediaType ?? "absent").")
    }
    form = Parameters(request.form)
    try form.checkRepetitions()
    let own = address.origin + request.path
    let audiences: [String] =
      switch issuer.behavior.assertionAudience {
      case .any: [issuer.issuer(of: address), address.url(.token), own]
      case .issuer: [issuer.issuer(of: address)]
      case .endpoint: [address.url(.token), own]
      }
    client = try ClientAuthentication.client(request, form, clients, audiences: audiences)
    if issuer.behavior.requirements.contains(.keyJWT), client.method != .keyJWT {
      throw ProtocolError("invalid_client", "The client must authenticate by private_key_jwt.")
    }
    try issuer.behavior.profile?.check(
      client, assertion: form["client_assertion"], issuer: issuer.issuer(of: address))
    self.address = address
    if client.bindsCertificates || issuer.behavior.requirements.contains(.mtls) {
      certificateThumbprint = request.certificate?.thumbprint
    }
  }

  init(form: Parameters, client: Application, address: PolicyAddress) {
    self.form = form
    self.client = client
    self.address = address
  }

  /// The type of the access tokens that answer the request.
  var tokenType: JSON { boundThumbprint == nil ? "Bearer" : "DPoP" }
  /// The key and the certificate that these tokens are bound to.
  var confirmation: Confirmation { Confirmation(proof: boundThumbprint, certificate: certificateThumbprint) }
  private var boundThumbprint: String? { getsBearerToken ? nil : proofThumbprint }

  func scope() throws(ProtocolError) -> Scope { try Scope(form["scope"] ?? "", client: client) }
}

extension ServerResponse {
  static func toClient(
    _ clock: TenantClock, _ address: PolicyAddress, _ body: () throws -> JSON
  ) throws -> ServerResponse {
    var headers = notStored
    do {
      return .json(200, try body(), headers: headers)
    } catch let error as ProtocolError {
      guard !address.isExternalID else { return NativeError(error).response(clock) }
      if error.status == 401 { headers.append(("WWW-Authenticate", "Basic realm=\"\(Contoso.domain)\"")) }
      if error.status == 405 { headers.append(("Allow", "POST")) }
      let body: JSON = ["error": .string(error.error), "error_description": .string(error.description(clock))]
      return .json(error.status, body, headers: headers)
    }
  }

  static let notStored = [("Cache-Control", "no-store"), ("Pragma", "no-cache")]

  static func json(_ status: Int, _ body: JSON, headers: [(String, String)] = []) -> ServerResponse {
    ServerResponse(status: status, headers: headers, text: body.encoded(), type: "application/json; charset=utf-8")
  }

  static func error(
    _ status: Int, _ code: String, _ message: String, headers: [(String, String)] = []
  ) -> ServerResponse {
    .json(status, ["code": .string(code), "message": .string(message)], headers: headers)
  }
}
