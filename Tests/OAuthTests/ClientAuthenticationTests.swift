import Core
import HTTPServer
import HostLoop
import JSON
import OAuth
import Testing

/// The method of client authentication: the setting `clientAuthentication`, or else a method that the provider lists (RFC 7591, 2).
@Suite struct ClientAuthenticationTests {
  /// `app` and `hidden value+%`, both form-encoded (RFC 6749, 2.3.1).
  private static let basic = "Basic YXBwOmhpZGRlbiUyMHZhbHVlJTJCJTI1"
  private static let secret = "hidden value+%"

  private func client(
    _ provider: Provider, _ chosen: String?, _ methods: [String]?, isB2C: Bool = false, _ changes: [String: JSON] = [:]
  ) throws -> OAuth.Provider {
    let listed: JSON = methods.map { .array($0.map(JSON.string)) } ?? .null
    let issuer = "\(provider.url)/plain"
    let json: JSON = [
      "issuer": .string(issuer), "token_endpoint": .string("\(provider.url)/token"),
      "revocation_endpoint": .string("\(provider.url)/revoke"),
      "device_authorization_endpoint": .string("\(provider.url)/device"),
    ]
    var document = json.object ?? [:]
    if methods != nil { document["token_endpoint_auth_methods_supported"] = listed }
    provider.answer("/plain/.well-known/openid-configuration", JSON.object(document).encoded())
    provider.change {
      $0.metadata = [
        "token_endpoint_auth_methods_supported": listed, "revocation_endpoint": .string("\(provider.url)/revoke"),
        "device_authorization_endpoint": .string("\(provider.url)/device"),
      ]
    }
    provider.token("{\"access_token\": \"access-1\"}")
    provider.answer("/revoke", "{}")
    provider.answer(
      "/device",
      #"{"device_code": "d", "user_code": "u", "verification_uri": "https://id.example/d", "expires_in": 60}"#)
    var settings: [String: JSON] = ["clientSecret": .string(Self.secret)]
    settings["clientAuthentication"] = chosen.map(JSON.string)
    if !isB2C { settings.merge(["authority": .string(issuer), "policies": nil]) { $1 } }
    return try provider.client(settings.merging(changes) { $1 })
  }

  @Test(
    arguments: [
      (nil, ["client_secret_post", "client_secret_basic"], false, "basic"), (nil, nil, false, "basic"),
      (nil, ["client_secret_post"], false, "post"), (nil, ["private_key_jwt", "none"], false, "none"),
      // Microsoft documents the secret in the form.
      (nil, ["client_secret_post", "client_secret_basic"], true, "post"), (nil, ["client_secret_basic"], true, "basic"),
      ("client_secret_basic", ["client_secret_post"], true, "basic"),
      ("client_secret_basic", ["client_secret_post"], false, "basic"),
      ("client_secret_post", ["client_secret_basic"], false, "post"), ("client_secret_post", nil, false, "post"),
      ("none", ["client_secret_basic"], false, "none"), ("client_secret_basic", ["private_key_jwt"], false, "basic"),
    ] as [(String?, [String]?, Bool, String)])
  @HostActor func theSameWayAtEveryEndpoint(
    _ chosen: String?, _ methods: [String]?, _ isB2C: Bool, _ way: String
  ) async throws {
    let provider = try Provider()
    let client = try client(provider, chosen, methods, isB2C: isB2C)
    let requests: [(String, @HostActor () async throws -> Void)] = [
      ("code", { _ = try await TokenEndpoint(client).token(TokenTests.code) }),
      ("refresh", { _ = try await TokenEndpoint(client).token(.refreshToken(Secret("refresh-1"))) }),
      ("application", { _ = try await TokenEndpoint(client).token(TokenRequest(grantType: "client_credentials")) }),
      ("device", { _ = try await DeviceEndpoint(client).authorization() }),
      ("revocation", { _ = try await RevocationEndpoint(client).revoke(Secret("refresh-1")) }),
    ]
    for (name, send) in requests {
      try await send()
      let request = try #require(provider.last)
      let form = Dictionary(uniqueKeysWithValues: request.form)
      #expect(request.header("Authorization") == (way == "basic" ? Self.basic : nil), "\(name)")
      #expect(form["client_secret"] == (way == "post" ? Self.secret : nil), "\(name)")
      #expect(form["client_id"] == (way == "basic" ? nil : "app"), "\(name)")
    }
  }

  /// The metadata document tells the way also where the settings name the endpoint.
  @Test(arguments: [(["client_secret_post"], "post"), (nil, "basic")] as [([String]?, String)])
  @HostActor func atAnEndpointOfTheSettings(_ methods: [String]?, _ way: String) async throws {
    let provider = try Provider()
    let client = try client(provider, nil, methods, ["tokenURL": .string("\(provider.url)/token")])
    _ = try await TokenEndpoint(client).token(TokenTests.code)
    #expect(provider.last?.header("Authorization") == (way == "basic" ? Self.basic : nil))
    let unknown = try self.client(
      provider, nil, methods,
      ["authority": nil, "tokenURL": .string("\(provider.url)/token"), "authURL": .string("\(provider.url)/authorize")])
    _ = try await TokenEndpoint(unknown).token(TokenTests.code)
    #expect(provider.last?.header("Authorization") == Self.basic)
  }

  @Test @HostActor func aWayThatNeedsASecretAndHasNone() async throws {
    let provider = try Provider()
    let client = try client(provider, "client_secret_basic", nil, ["clientSecret": nil])
    let error = await oauthError { _ = try await TokenEndpoint(client).token(TokenTests.code) }
    #expect(error?.code == "unsupported_client_authentication")
    #expect(
      error?.message == "settings.plist: clientAuthentication is client_secret_basic, and clientSecret is missing")
  }

  /// Glewlwyd answers without a body, Canaille with `invalid_client`, and neither takes the way that it lists.
  @Test(arguments: [(401, #"{"error": "invalid_client"}"#), (401, ""), (403, "")])
  @HostActor func aRefusalNamesTheOtherWay(status: Int, body: String) async throws {
    let provider = try Provider()
    let client = try client(provider, nil, nil)
    provider.token(body, status: status)
    let error = await oauthError { _ = try await TokenEndpoint(client).token(TokenTests.code) }
    #expect(
      error?.hint == "check clientID and clientSecret in the settings; the secret was sent by client_secret_basic, and "
        + "clientAuthentication = client_secret_post sends it another way")
  }
}
