import Crypto
import HTTPServer

/// The authorization requests that clients have pushed (RFC 9126), by their `request_uri`.
struct PushedRequests {
  static let lifetime = 60
  static let prefix = "urn:ietf:params:oauth:request_uri:"

  let clock: TenantClock
  let clients: ClientRegistry
  let objects: RequestObjectCheck
  let requests: ExpiringStore<PushedRequest>

  struct PushedRequest: Expiring {
    let parameters: Parameters
    let clientID: String
    let policy: String
    let expires: Int
  }

  func add(_ request: AuthorizationRequest, lifetime: Int) -> String {
    let uri = Self.prefix + SecureRandom.token()
    requests.add(
      PushedRequest(
        parameters: request.parameters, clientID: request.client.id, policy: request.address.policyID,
        expires: clock.elapsed + lifetime), as: uri)
    return uri
  }

  /// Forgets the request, because it has led to an answer for a user. Until then its page may be loaded again (§4).
  func end(_ request: AuthorizationRequest) { requests.remove(request.pushedURI) }

  /// The authorization request in the parameters, or the pushed one that they name.
  /// - Parameter request: `GET`, or `POST` with the parameters as a form (OpenID Connect Core §3.1.2.1).
  /// - Throws: an error to show on a page, because there is no redirect URI that could be trusted.
  func authorizationRequest(
    _ request: ServerRequest, _ address: PolicyAddress, issuer: String
  ) throws(ProtocolError) -> AuthorizationRequest {
    let parameters = Parameters(request.query + (request.method == "POST" ? request.form : []))
    guard let uri = parameters["request_uri"], uri.hasPrefix(Self.prefix) else {
      return try unpushedRequest(parameters, request, address, issuer: issuer)
    }
    func refused(_ reason: String) -> ProtocolError { ProtocolError("invalid_request_uri", reason) }
    guard let pushed = requests[uri] else {
      throw refused("The request_uri is unknown, or was used already. Push the request again.")
    }
    guard pushed.clientID == parameters["client_id"]?.lowercased() else {
      throw refused("The request_uri belongs to another client than the client_id.")
    }
    guard pushed.policy == address.policyID else { throw refused("The request was pushed to another policy.") }
    guard pushed.expires > clock.elapsed else { throw refused("The request_uri has expired. Push the request again.") }
    var authorization = try AuthorizationRequest(pushed.parameters, request, address, clients, issuer: issuer)
    authorization.pushedURI = uri
    return authorization
  }

  /// The request in the parameters or in the request object among them.
  private func unpushedRequest(
    _ parameters: Parameters, _ request: ServerRequest, _ address: PolicyAddress, issuer: String
  ) throws(ProtocolError) -> AuthorizationRequest {
    guard parameters["request"] != nil else {
      return try AuthorizationRequest(parameters, request, address, clients, issuer: issuer)
    }
    do {
      let inner = try objects.parameters(parameters, issuer: issuer)
      return try AuthorizationRequest(inner, request, address, clients, issuer: issuer)
    } catch {
      // A redirect URI beside the object is as good as the one of a plain request, for an error.
      guard var plain = try? AuthorizationRequest(parameters, request, address, clients, issuer: issuer) else {
        throw error
      }
      plain.refusal = error
      return plain
    }
  }
}
