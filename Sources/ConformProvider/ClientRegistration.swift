import Core
package import HTTPClient
package import HostLoop
import JOSE
import JSON

/// Registers the clients of a run at a provider that takes registrations of everybody (RFC 7591).
@HostActor
package final class ClientRegistration {
  /// Not of this machine, so that it has to be compared exactly. No request ever goes there.
  package static let redirectURI = "https://conform.example/callback"

  private let url: String
  private let http: HTTPClient
  private let scope: String
  /// The registrations, to remove them at the end.
  private var registrations: [(url: String, token: String)] = []

  /// - Parameter scope: the scope that the clients ask for.
  package init(at url: String, scope: String, _ configuration: HTTPClientConfiguration) {
    self.url = url
    self.scope = scope
    http = HTTPClient(configuration)
  }

  /// Registers a client for codes and refresh tokens.
  package func client(_ method: ProviderClient.Method) async throws -> ProviderClient {
    var metadata: [String: JSON] = [
      "client_name": "b2c-run conform", "redirect_uris": [.string(Self.redirectURI)],
      "token_endpoint_auth_method": .string(method.rawValue),
      "grant_types": .array(Self.grants(method).map(JSON.string)), "response_types": .array(Self.types.map(JSON.string)),
    ]
    var key: PrivateKey?
    if method == .keyJWT {
      let made = try PrivateKey.generate(
        try PrivateKey.Kind(type: nil, curve: nil, bits: nil, algorithm: "ES256"))
      key = made
      metadata["jwks"] = try made.publicKey.map { try JWKSet([$0]).published() }
    }
    let request = HTTPRequest(
      method: "POST", url: url, headers: ["Content-Type": "application/json"],
      body: Array(JSON.object(metadata).encoded().utf8))
    let response = try await http.send(request)
    let answer = Answer(request, response)
    guard let id = answer.string("client_id") else {
      throw ConformError(.noClient, "the provider did not register a client: \(answer.shown)")
    }
    if let url = answer.string("registration_client_uri"), let token = answer.string("registration_access_token") {
      registrations.append((url, token))
    }
    return ProviderClient(
      id: id, method: method, secret: answer.string("client_secret").map { Secret($0) }, key: key,
      redirectURI: Self.redirectURI, scope: scope)
  }

  /// Removes the clients, where the provider offers it (RFC 7592).
  package func remove() async {
    for registration in registrations {
      // A client that stays does no harm: it has no user and no secret that anybody knows.
      _ = try? await http.send(
        HTTPRequest(
          method: "DELETE", url: registration.url, headers: ["Authorization": "Bearer \(registration.token)"]))
    }
  }

  private static let types = ["code", "code id_token", "id_token", "code token", "id_token token", "token"]

  private static func grants(_ method: ProviderClient.Method) -> [String] {
    let usual = [
      "authorization_code", "refresh_token", "implicit", "urn:ietf:params:oauth:grant-type:device_code",
      "urn:ietf:params:oauth:grant-type:token-exchange",
    ]
    return method == .none ? usual : usual + ["client_credentials", "urn:openid:params:grant-type:ciba"]
  }
}
