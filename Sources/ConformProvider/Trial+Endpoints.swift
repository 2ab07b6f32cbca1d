import Conform
import Core
import Crypto
import HTTPClient
import HostLoop
import JOSE
import JSON

extension Trial {
  /// A token of the client itself.
  func ownToken(as client: ProviderClient, scope: String? = nil) async throws -> Answer {
    let named = client.scope.split(separator: " ").last { $0.contains("/") }
    let usual = named.map { $0.prefix { _ in true } }.map { name in
      name.lastIndex(of: "/").map { String(name[...$0]) + ".default" } ?? String(name)
    }
    var form: Fields = ["grant_type": "client_credentials"]
    form["scope"] = scope ?? usual
    return try await post(try endpoint("token_endpoint"), form, as: client)
  }

  func userinfo(
    token: String? = nil, scheme: String = "Bearer", method: String = "GET"
  ) async throws -> Answer {
    let token = try token ?? right.accessToken
    if provider.options.provesKeys, scheme.lowercased() == "bearer" {
      return try await userinfo(bound: token, method: method) { _, _ in }
    }
    return try await send(
      HTTPRequest(
        method: method, url: try endpoint("userinfo_endpoint"), headers: ["Authorization": "\(scheme) \(token)"],
        body: method == "POST" ? [] : nil))
  }

  func introspect(
    _ token: String, as client: ProviderClient?, _ change: (inout Fields) -> Void = { _ in }
  ) async throws -> Answer {
    var form: Fields = ["token": token]
    change(&form)
    return try await post(try endpoint("introspection_endpoint"), form, as: client)
  }

  /// A confidential client and an access token of a sign-in by this client.
  func ownAccessToken() async throws -> (client: ProviderClient, token: String) {
    let client = try confidentialClient
    return (client, try await tokens(as: client).string("access_token") ?? "")
  }

  @discardableResult
  func revoke(
    _ token: String, as given: ProviderClient? = nil, _ change: (inout Fields) -> Void = { _ in }
  ) async throws -> Answer {
    var form: Fields = ["token": token]
    change(&form)
    return try await post(try endpoint("revocation_endpoint"), form, as: try given ?? client)
  }

  func deviceCode(as given: ProviderClient? = nil) async throws -> Answer {
    let client = try given ?? client
    return try await post(try endpoint("device_authorization_endpoint"), ["scope": client.scope], as: client)
      .needed("the start of the device flow")
  }

  func poll(_ code: String?, as given: ProviderClient? = nil) async throws -> Answer {
    var form: Fields = ["grant_type": "urn:ietf:params:oauth:grant-type:device_code"]
    form["device_code"] = code
    return try await post(try endpoint("token_endpoint"), form, as: try given ?? client)
  }

  func askUser(as given: ProviderClient? = nil, _ change: (inout Fields) -> Void = { _ in }) async throws -> Answer {
    let client = try given ?? confidentialClient
    var form: Fields = ["scope": client.scope, "login_hint": provider.options.user?.name ?? ""]
    change(&form)
    return try await post(try endpoint("backchannel_authentication_endpoint"), form, as: client)
  }

  func exchangeToken(_ change: (inout Fields) -> Void = { _ in }) async throws -> Answer {
    let grant = "urn:ietf:params:oauth:grant-type:token-exchange"
    guard provider.list("grant_types_supported")?.contains(grant) == true else {
      throw EndOfProbe(.notUsed("no token exchange"))
    }
    let (client, token) = try await ownAccessToken()
    var form: Fields = [
      "grant_type": grant, "subject_token": token,
      "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
    ]
    change(&form)
    return try await post(try endpoint("token_endpoint"), form, as: client)
  }

  /// Registers a public client with changed metadata.
  func register(_ members: [String: JSON]) async throws -> Answer {
    let usual: [String: JSON] = [
      "redirect_uris": [.string(ClientRegistration.redirectURI)], "client_name": "b2c-run conform",
      "token_endpoint_auth_method": "none",
    ]
    return try await send(
      HTTPRequest(
        method: "POST", url: try endpoint("registration_endpoint"), headers: ["Content-Type": "application/json"],
        body: Array(JSON.object(usual.merging(members) { $1 }).encoded().utf8)))
  }

  /// Registers a client, and removes it again.
  func registered(_ members: [String: JSON] = [:]) async throws -> Answer {
    let answer = try await register(members).needed("the registration")
    try await unregister(answer)
    return answer
  }

  /// Removes a client that was registered, where the provider offers it.
  func unregister(_ answer: Answer) async throws {
    guard let url = answer.string("registration_client_uri"), let token = answer.string("registration_access_token")
    else { return }
    _ = try await send(HTTPRequest(method: "DELETE", url: url, headers: ["Authorization": "Bearer \(token)"]))
  }

  /// Registers a client, and sends a request to its registration.
  func managed(_ method: String, _ token: (String) -> String?) async throws -> Answer {
    let registration = try await register([:]).needed("the registration")
    guard let url = registration.string("registration_client_uri"),
      let own = registration.string("registration_access_token")
    else { throw EndOfProbe(.notUsed("registrations cannot be managed")) }
    var headers = HTTPHeaders()
    if let token = token(own) { headers["Authorization"] = "Bearer \(token)" }
    let answer = try await send(HTTPRequest(method: method, url: url, headers: headers))
    if method != "DELETE" || !answer.isSuccess { try await unregister(registration) }
    return answer
  }

  /// Opens the sign-out without the session of the run.
  func signOut(_ fields: Fields) async throws -> Answer {
    try await get(WebAddress(try endpoint("end_session_endpoint")).appending(fields.encoded))
  }
}
