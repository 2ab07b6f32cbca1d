import Core
import HTTPServer
import HostLoop
import JSON
import OAuth
import Testing

/// Dynamic registration (RFC 7591, RFC 7592).
@HostActor @Suite struct RegistrationTests {
  private static let redirect = "https://app.example/cb"
  private let provider: Provider
  private let client: OAuth.Provider

  init() throws {
    provider = try Provider()
    let issuer = "\(provider.url)/plain"
    provider.answer(
      "/plain/.well-known/openid-configuration",
      JSON.object(["issuer": .string(issuer), "registration_endpoint": .string("\(provider.url)/register")]).encoded())
    provider.answer("/client", "", status: 204)
    client = try provider.client([
      "authority": .string(issuer), "policies": .null, "clientID": .null, "customHeaders": ["X-Test": "1"],
    ])
  }

  private func register(
    _ answer: [String: JSON], status: Int = 201, _ asked: [String: JSON] = ["redirect_uris": [.string(redirect)]],
    token: Secret? = nil
  ) async throws -> ClientRegistration {
    provider.answer("/register", JSON.object(answer).encoded(), status: status)
    return try await RegistrationEndpoint(client).register(.object(asked), initialToken: token)
  }

  @Test func theRequestAndItsAnswer() async throws {
    let registration = try await register(
      [
        "client_id": "new", "client_secret": "hidden", "redirect_uris": [.string(Self.redirect)],
        "registration_access_token": "manage", "registration_client_uri": .string("\(provider.url)/client"),
      ], token: Secret("initial"))
    let request = try #require(provider.last)
    #expect(request.method == "POST" && request.mediaType == "application/json")
    #expect(request.header("Authorization") == "Bearer initial" && request.header("X-Test") == "1")
    #expect(try JSON(parsing: request.body) == ["redirect_uris": [.string(Self.redirect)]])
    #expect(registration.clientID == "new" && registration.clientSecret?.reveal() == "hidden")
    #expect(registration.metadata == ["redirect_uris": [.string(Self.redirect)]])
    try await RegistrationEndpoint(client).unregister(
      #require(registration.address), #require(registration.accessToken))
    #expect(provider.last?.method == "DELETE" && provider.last?.header("Authorization") == "Bearer manage")
  }

  @Test(
    arguments: [
      ("redirect_uris", ["https://evil.example/cb"], "https://app.example/cb", "https://evil.example/cb"),
      (
        "redirect_uris", ["https://app.example/cb", "https://evil.example/cb"], "https://app.example/cb",
        "https://app.example/cb https://evil.example/cb"
      ), ("token_endpoint_auth_method", "none", "private_key_jwt", "none"),
    ] as [(String, JSON, String, String)])
  func anotherRegistrationThanAskedFor(_ name: String, _ value: JSON, _ asked: String, _ given: String) async throws {
    let wanted: [String: JSON] = [
      "redirect_uris": [.string(Self.redirect)], "token_endpoint_auth_method": "private_key_jwt",
    ]
    var error = await oauthError { _ = try await register(["client_id": "new", name: value], wanted) }
    #expect(error?.code == "registration_mismatch")
    #expect(
      error?.message
        == "the provider registered the application new with another \(name): expected \(asked), got \(given)")
    #expect(error?.hint == "delete the registration at the provider, and ask for what the provider allows")
    let managed: [String: JSON] = [
      "client_id": "new", name: value, "registration_access_token": "manage",
      "registration_client_uri": .string("\(provider.url)/client"),
    ]
    error = await oauthError { _ = try await register(managed, wanted) }
    #expect(error?.hint == "the registration was deleted again; ask for what the provider allows")
    #expect(provider.last?.method == "DELETE")
  }

  @Test func badAnswers() async throws {
    var error = await oauthError { _ = try await register([:]) }
    #expect(error?.message == "the registration endpoint \(provider.url)/register answered without a client_id")
    error = await oauthError {
      _ = try await register(["client_id": "new", "registration_client_uri": "http://op.example/client"])
    }
    #expect(
      error?.message
        == "the registration endpoint \(provider.url)/register answered with a registration_client_uri that "
        + "is not an https URL: \"http://op.example/client\"")
    error = await oauthError {
      _ = try await register(["error": "invalid_redirect_uri"], status: 400, token: Secret("initial"))
    }
    #expect(error?.code == "invalid_redirect_uri")
    #expect(error?.hint == "register an https or loopback URL")
    error = await oauthError {
      _ = try await register(
        ["error": "invalid_token", "error_description": "initial is wrong"], status: 401, token: Secret("initial"))
    }
    #expect(error?.message == "invalid_token: [secret] is wrong")
  }

  @Test func aProviderWithoutRegistration() async throws {
    let plain = try Provider()
    let client = try plain.client()
    let error = await oauthError { _ = try await RegistrationEndpoint(client).register([:]) }
    #expect(plain.last?.path.hasSuffix("openid-configuration") == true)
    #expect(error?.code == "missing_endpoint")
    #expect(error?.message.hasSuffix("names no such endpoint (registration_endpoint)") == true)
  }
}
