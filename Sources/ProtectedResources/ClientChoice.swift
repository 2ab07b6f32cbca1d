import Core
import HTTPClient
import HostLoop
import JSON
import OAuth
import Settings

/// Becomes a client of an authorization server: as the settings say; by a client ID metadata document; as registered before;
/// by a new registration. What one issuer gave is never shown to another one.
@HostActor
struct ClientChoice {
  /// The redirect URI if no setting says so. The port is fixed, so that a registration stays good.
  nonisolated static let redirectURI = "http://127.0.0.1:8743/callback"

  let server: AuthorizationServer
  let resource: ResourceAddress
  /// The settings of the run, if there are any.
  let base: Settings?
  let http: HTTPClient

  /// The settings of a sign-in at the server.
  func settings(_ known: (_ issuer: String) async throws -> KnownClient?) async throws -> Settings {
    if let settings = try registeredBySettings() { return settings }
    if server.takesClientDocuments, let document = base?.clientIDDocument { return try make(document, nil, nil, base) }
    if let client = try await known(server.issuer), let settings = try again(client) { return settings }
    guard server.json["registration_endpoint"]?.string != nil else { throw noClient() }
    return try await register()
  }

  /// The application of the settings, if it is registered with this server, or with no server in particular.
  private func registeredBySettings() throws -> Settings? {
    guard let base, let clientID = try? base.clientID, Self.isRegistered(base, with: server.issuer) else { return nil }
    return try make(clientID, base.clientSecret, base.clientAuthentication, base)
  }

  /// True if the settings name the issuer, or no server at all.
  nonisolated static func isRegistered(_ base: Settings, with issuer: String) -> Bool {
    if let named = base.issuer { return named == issuer }
    if base.tokenURL != nil || base.authURL != nil { return false }
    return base.authority.map { $0 == issuer || "\($0)/" == issuer || $0 == "\(issuer)/" } ?? true
  }

  /// - Returns: nil if the redirect URI of the registration is not the one of the settings any more.
  private func again(_ client: KnownClient) throws -> Settings? {
    guard let clientID = client.provider["clientID"]?.string,
      client.provider["redirectURL"]?.string == redirectURI
    else { return nil }
    return try make(clientID, client.secret, client.provider["clientAuthentication"]?.string, nil)
  }

  private func register() async throws -> Settings {
    let methods = server.strings("token_endpoint_auth_methods_supported")
    var metadata: [String: JSON] = [
      "client_name": "b2c-run", "redirect_uris": [.string(redirectURI)], "response_types": ["code"],
      "grant_types": ["authorization_code", "refresh_token"],
      "application_type": redirectURI.hasPrefix("https:") ? "web" : "native",
    ]
    // A program on a machine keeps no secret from its user, and takes one only where the server wants that.
    if methods?.contains("none") ?? true { metadata["token_endpoint_auth_method"] = "none" }
    let provider = Provider(settings: try make(nil, nil, nil, nil), http: http)
    let registration = try await RegistrationEndpoint(provider).register(.object(metadata))
    let given = registration.metadata["token_endpoint_auth_method"]?.string
    let method = given ?? (registration.clientSecret == nil ? "none" : metadata["token_endpoint_auth_method"]?.string)
    return try make(registration.clientID, registration.clientSecret, method, nil)
  }

  private nonisolated var redirectURI: String { (try? base?.redirectURL) ?? Self.redirectURI }

  /// - Parameter own: the settings with keys and certificates of the application.
  private nonisolated func make(
    _ clientID: String?, _ secret: Secret?, _ authentication: String?, _ own: Settings?
  ) throws(SettingsError) -> Settings {
    let ownKeys: [SettingsKey] = [
      .clientKey, .clientAssertionAudience, .clientCertificate, .clientCertificateKey, .tokenType, .profile,
    ]
    var values: [String: JSON] = [:]
    for key in ownKeys { values[key.rawValue] = own?.provider[key.rawValue] }
    values["clientID"] = clientID.map { .string($0) }
    values["clientAuthentication"] = authentication.map { .string($0) }
    values["issuer"] = .string(server.issuer)
    values["metadataURL"] = .string(server.metadataURL)
    values["redirectURL"] = .string(redirectURI)
    return try Settings(provider: .object(values), clientSecret: secret, source: resource.url)
  }

  private func noClient() -> DiscoveryError {
    var message = "\(resource.url) needs an application that is registered with \(server.issuer), and there is none"
    if base.flatMap({ try? $0.clientID }) != nil {
      message += ": the clientID of \(base?.source ?? "the settings") is for another server"
    }
    let ways =
      server.takesClientDocuments
      ? "set clientIDDocument to the address of your application's client ID metadata document; or register"
      : "register"
    return DiscoveryError(
      .noClient, message,
      hint: "\(ways) an application there with the redirect URI \(redirectURI), and give "
        + "--set clientID=ID --set issuer=\(server.issuer)",
      details: ["issuer": server.issuer, "redirect_uri": redirectURI])
  }
}
