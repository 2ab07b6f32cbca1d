import HostLoop
import JSON
import OAuth
import Testing

@Suite struct AuthorizationURLTests {
  static let endpoint = "https://login.microsoftonline.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=b2c_1_in"

  @Test func theChallengeIsThatOfTheRFC() {
    let pkce = PKCE(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    #expect(pkce.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    #expect(PKCE.generate().verifier.utf8.count == 43)
    #expect(PKCE.generate().verifier != PKCE.generate().verifier)
    let plain = PKCE.generate(.plain)
    #expect(plain.challenge == plain.verifier)
  }

  @Test @HostActor func parametersAreAddedToTheEndpointsOwn() async throws {
    let client = try Provider().client([
      "authURL": .string(Self.endpoint), "additionalParameters": ["resource": "r", "prompt": "consent"],
    ])
    var request = AuthorizationRequest()
    request.state = "s 1"
    request.nonce = "n"
    request.pkce = PKCE(verifier: "v", method: .plain)
    request.hints[.prompt] = "login"
    request.hints[.loginHint] = "a+b@example.com"
    request.hints[.maxAge] = "60"
    request.hints[.acrValues] = "urn:mfa b"
    request.parameters = ["resource": "other", "domain": "x&y"]
    #expect(
      try await AuthorizationEndpoint(client).url(request) == Self.endpoint
        + "&prompt=login&resource=other&client_id=app&response_type=code&redirect_uri=http%3A%2F%2Flocalhost%3A8080%2Fdone"
        + "&scope=openid%20app%20offline_access&state=s%201&nonce=n&code_challenge=v&code_challenge_method=plain"
        + "&login_hint=a%2Bb%40example.com&max_age=60&acr_values=urn%3Amfa%20b&domain=x%26y")
    request.policy = "b2c_1_reset"
    #expect(try await AuthorizationEndpoint(client).url(request).contains("authorize?p=b2c_1_reset&"))
  }

  @Test @HostActor func theMetadataDocumentNamesTheEndpoints() async throws {
    let provider = try Provider()
    let client = try provider.client()
    let url = try await AuthorizationEndpoint(client).url(AuthorizationRequest())
    #expect(url.hasPrefix("\(provider.url)/authorize?p=b2c_1_in&client_id=app&response_type=code&"))
    #expect(
      try await EndSessionEndpoint(client).url(idTokenHint: "t", postLogoutRedirectURI: "http://localhost/") == provider
        .url
        + "/logout?client_id=app&id_token_hint=t&post_logout_redirect_uri=http%3A%2F%2Flocalhost%2F")
    #expect(provider.count("openid-configuration") == 1)
  }

  @Test @HostActor func reservedParametersAreRefused() async throws {
    let client = try Provider().client(["authURL": .string(Self.endpoint)])
    var request = AuthorizationRequest()
    request.parameters = ["state": "x"]
    let error = await oauthError { _ = try await AuthorizationEndpoint(client).url(request) }
    #expect(error?.message == "\"state\" cannot be set as a further parameter of the authorization URL")
  }

  @Test @HostActor func whatIsMissingInTheSettingsIsNamed() async throws {
    let provider = try Provider()
    var error = await oauthError {
      _ = try await AuthorizationEndpoint(provider.client(["clientID": nil])).url(AuthorizationRequest())
    }
    #expect(error?.message == "settings.plist: clientID is missing; put your application's client ID there")
    #expect(error?.code == "settings_missing_key")
    error = await oauthError {
      _ = try await AuthorizationEndpoint(provider.client(["authority": nil])).url(AuthorizationRequest())
    }
    #expect(error?.message == "settings.plist has neither authURL nor authority")
    error = await oauthError {
      _ = try await TokenEndpoint(provider.client()).token(TokenRequest(grantType: "x", policy: "reset"))
    }
    #expect(
      error?.message
        == "settings.plist: policies.reset is missing; put the name of your tenant's policy for it (b2c_1_…) there")
  }
}
