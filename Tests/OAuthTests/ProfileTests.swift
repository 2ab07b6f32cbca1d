import HTTPServer
import HostLoop
import JOSE
import JSON
import OAuth
import Testing

/// The profiles `fapi2` and `oauth2.1` at providers that do not keep to them.
@Suite struct ProfileTests {
  @HostActor private func client(
    _ provider: Provider, _ metadata: [String: JSON] = [:], _ settings: [String: JSON] = [:], key: PrivateKey? = nil
  ) throws -> OAuth.Provider {
    let issuer = "\(provider.url)/plain"
    let document: [String: JSON] = [
      "issuer": .string(issuer), "authorization_endpoint": .string("\(provider.url)/authorize"),
      "token_endpoint": .string("\(provider.url)/token"),
      "pushed_authorization_request_endpoint": .string("\(provider.url)/par"),
      "token_endpoint_auth_methods_supported": ["private_key_jwt"],
    ]
    provider.answer(
      "/plain/.well-known/openid-configuration",
      JSON.object(document.merging(metadata) { $1 }.filter { $0.value != .null }).encoded())
    provider.answer("/par", #"{"request_uri": "urn:x", "expires_in": 599}"#, status: 201)
    let client = try provider.client(
      [
        "authority": .string(issuer), "policies": .null, "profile": "fapi2", "clientKey": "stored:mine",
      ].merging(settings) { $1 })
    client.credentials.loadKey = { _ in try key ?? .generate(.ec(curve: "P-256")) }
    return client
  }

  private var request: AuthorizationRequest {
    var request = AuthorizationRequest()
    request.pkce = .generate()
    return request
  }

  @Test(
    arguments: [
      (["pushed_authorization_request_endpoint": .null], "5.3.2.2"),
      (["code_challenge_methods_supported": ["plain"]], "5.3.2.2"),
      (["response_types_supported": ["code id_token"]], "5.3.2.2"),
      (["token_endpoint_auth_methods_supported": ["client_secret_basic"]], "5.3.2.1"),
    ] as [([String: JSON], String)])
  @HostActor func aProviderThatDoesNotKeepToItGetsNoRequest(metadata: [String: JSON], section: String) async throws {
    let provider = try Provider()
    let client = try client(provider, metadata)
    let error = await oauthError { _ = try await AuthorizationEndpoint(client).url(self.request) }
    #expect(error?.code == "profile_violation")
    #expect(error?.details["section"] == section)
    #expect(provider.count("/par") == 0)
  }

  @Test @HostActor func requestsArePushedAndLiveLessThanTenMinutes() async throws {
    let provider = try Provider()
    let client = try client(provider, [:], ["authURL": .string("\(provider.url)/elsewhere")])
    // The endpoint is the one of the metadata document.
    #expect(
      try await AuthorizationEndpoint(client).url(request)
        == "\(provider.url)/authorize?client_id=app&request_uri=urn%3Ax")
    provider.answer("/par", #"{"request_uri": "urn:x", "expires_in": 600}"#, status: 201)
    let error = await oauthError { _ = try await AuthorizationEndpoint(client).url(self.request) }
    #expect(
      error?.message
        == "FAPI 2.0 Security Profile, 5.3.2.2: a pushed request must live less than 600 seconds (expires_in)")
  }

  @Test @HostActor func endpointsWithoutTLSAreToldOf() async throws {
    let provider = try Provider()
    let client = try client(provider)
    var remarks: [String] = []
    client.onRemark = { remark, _ in remarks.append(remark) }
    for _ in 1...2 { _ = try await AuthorizationEndpoint(client).url(request) }
    #expect(remarks.count == 1)
    #expect(
      remarks.first?.hasPrefix("FAPI 2.0 Security Profile, 5.2.1: endpoints must have https; http://127.") == true)
  }

  @Test @HostActor func anRSAKeySignsWithPS256() async throws {
    let provider = try Provider()
    let client = try client(
      provider, ["token_endpoint_auth_signing_alg_values_supported": ["RS256", "PS256"]],
      key: .generate(.rsa(bits: 2048)))
    _ = try await AuthorizationEndpoint(client).url(request)
    let form = Dictionary(uniqueKeysWithValues: try #require(provider.last).form)
    #expect(try JWT(decoding: form["client_assertion"] ?? "").header["alg"] == "PS256")
  }

  @Test @HostActor func theDraftAllowsPlainWhereTheProviderKnowsNothingElse() async throws {
    let provider = try Provider()
    var plain = request
    plain.pkce = .generate(.plain)
    for (methods, isAllowed) in [(["plain"], true), (["plain", "S256"], false)] as [([JSON], Bool)] {
      let client = try client(
        provider, ["code_challenge_methods_supported": .array(methods)], ["profile": "oauth2.1"])
      let error = await oauthError { _ = try await AuthorizationEndpoint(client).url(plain) }
      #expect(error?.details["section"] == (isAllowed ? nil : "4.1.1"))
    }
  }
}
