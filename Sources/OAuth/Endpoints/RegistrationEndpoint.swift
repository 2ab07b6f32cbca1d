package import Core
import HTTPClient
package import HostLoop
package import JSON
import Settings

/// The endpoint at which clients register themselves (RFC 7591, RFC 7592).
@HostActor
package struct RegistrationEndpoint: Sendable {
  private let provider: Provider

  package nonisolated init(_ provider: Provider) { self.provider = provider }

  /// Registers a client.
  ///
  /// - Parameters:
  ///   - metadata: the members of RFC 7591, 2.
  ///   - initialToken: the token that some providers require for a registration.
  /// - Throws: `missing_endpoint` where the provider has no registration; the provider's error; `registration_mismatch`
  ///   for a registration with other redirect URIs or another way of authentication, which is deleted again.
  package func register(
    _ metadata: JSON, initialToken: Secret? = nil, policy: String? = nil
  ) async throws(OAuthError) -> ClientRegistration {
    let policy = try provider.resolve(policy, .metadata)
    let endpoint = try await provider.address(of: .registration, policy, .metadata)
    let (request, response) = try await send("POST", endpoint, metadata, initialToken)
    guard [200, 201].contains(response.status), let json = response.json, json.object != nil else {
      throw request.failure(response)
    }
    let registration = try ClientRegistration(json, to: request)
    guard let (name, asked, given) = registration.difference(from: metadata) else { return registration }
    var isDeleted = false
    if let address = registration.address, let token = registration.accessToken {
      isDeleted = (try? await unregister(address, token)) != nil
    }
    throw .mismatch(
      "registration_mismatch", .metadata,
      "the provider registered the application \(registration.clientID) with another \(name)", expected: asked,
      actual: given,
      hint: isDeleted
        ? "the registration was deleted again; ask for what the provider allows"
        : "delete the registration at the provider, and ask for what the provider allows")
  }

  /// Deletes a registration (RFC 7592, 2.3).
  package func unregister(_ address: String, _ token: Secret) async throws(OAuthError) {
    let (request, response) = try await send("DELETE", address, nil, token)
    guard [200, 204].contains(response.status) else { throw request.failure(response) }
  }

  /// Sends a request with a token. The client does not authenticate there.
  private func send(
    _ method: String, _ url: String, _ json: JSON?, _ token: Secret?
  ) async throws(OAuthError) -> (EndpointRequest, HTTPResponse) {
    let request = EndpointRequest(
      provider: provider, name: "the registration endpoint", url: url, stage: .metadata,
      methods: [ClientAuthentication.none.rawValue], fields: token.map { [("token", $0.reveal())] } ?? [],
      hint: "check registration_endpoint in the metadata document")
    var headers = request.headers
    headers["Authorization"] = token.map { "Bearer \($0.reveal())" }
    if json != nil { headers["Content-Type"] = "application/json" }
    let message = HTTPRequest(method: method, url: url, headers: headers, body: json?.bytes())
    return (request, try await request.deliver(message))
  }
}

/// A registration of a client (RFC 7591, 3.2.1).
package struct ClientRegistration: Sendable {
  package let clientID: String
  package let clientSecret: Secret?
  /// The token that manages the registration (RFC 7592, 3); nil at a provider that does not offer that.
  package let accessToken: Secret?
  /// The address of the registration.
  package let address: String?
  /// The other members.
  package let metadata: JSON

  @HostActor fileprivate init(_ json: JSON, to request: EndpointRequest) throws(OAuthError) {
    guard let id = json["client_id"]?.string, !id.isEmpty else {
      throw request.malformed("answered without a client_id")
    }
    clientID = id
    clientSecret = json["client_secret"]?.string.map { Secret($0) }
    accessToken = json["registration_access_token"]?.string.map { Secret($0) }
    address = json["registration_client_uri"]?.string
    if let address {
      guard let origin = Origin(address),
        origin.scheme == "https" && !origin.isLoopback || origin.isLoopback && Origin(request.url)?.isLoopback == true
      else {
        throw request.malformed("answered with a registration_client_uri that is not an https URL: \"\(address)\"")
      }
    }
    let own: Set = ["client_id", "client_secret", "registration_access_token", "registration_client_uri"]
    metadata = .object((json.object ?? [:]).filter { !own.contains($0.key) })
  }

  /// The first member whose value is not the one that was asked for.
  fileprivate func difference(from asked: JSON) -> (name: String, asked: String, given: String)? {
    func words(_ json: JSON?) -> [String] {
      json?.array?.compactMap(\.string).sorted() ?? [json?.string].compactMap(\.self)
    }
    for name in ["redirect_uris", "token_endpoint_auth_method"] {
      guard let wanted = asked[name], let given = metadata[name], words(wanted) != words(given) else { continue }
      return (name, words(wanted).joined(separator: " "), words(given).joined(separator: " "))
    }
    return nil
  }
}
