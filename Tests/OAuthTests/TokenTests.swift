import Core
import HTTPServer
import HostLoop
import JSON
import OAuth
import Testing

@Suite struct TokenTests {
  static let code = TokenRequest.authorizationCode(
    "c-1", redirectURI: "http://localhost:8080/done", verifier: "v-1", scopes: ["openid", "app"])

  @Test @HostActor func aCodeIsRedeemed() async throws {
    let provider = try Provider()
    provider.token(
      """
      {"access_token": "access-1", "token_type": "Bearer", "expires_in": "3600", "refresh_token": "refresh-1",
       "refresh_token_expires_in": 1209600, "id_token": "a.b.c", "scope": "app read", "not_before": 1700000000,
       "profile_info": "e30"}
      """)
    let tokens = try await TokenEndpoint(provider.client()).token(Self.code)
    #expect(tokens.accessToken == Secret("access-1"))
    #expect(tokens.refreshToken == Secret("refresh-1"))
    #expect(tokens.idToken == Secret("a.b.c"))
    #expect(tokens.grantType == "authorization_code")
    #expect(tokens.expiresIn == 3600)
    #expect(tokens.expiresAt == Provider.time + 3600)
    #expect(tokens.others["refresh_token_expires_in"] == 1_209_600)
    #expect(tokens.scopes == ["app", "read"])
    #expect(tokens.others["profile_info"] == "e30")
    #expect(tokens.others["access_token"] == nil)
    let request = try #require(provider.last)
    #expect(request.target == "/token?p=b2c_1_in")
    #expect(request.method == "POST")
    #expect(request.header("Accept") == "application/json")
    #expect(
      Dictionary(uniqueKeysWithValues: request.form) == [
        "grant_type": "authorization_code", "code": "c-1", "redirect_uri": "http://localhost:8080/done",
        "code_verifier": "v-1", "scope": "openid app", "client_id": "app",
      ])
  }

  @Test(
    arguments: [
      (["client_secret_post", "client_secret_basic"], "hidden value", nil, "hidden value"),
      (["client_secret_basic"], "hidden value", "Basic YXBwOmhpZGRlbiUyMHZhbHVl", nil),
      (nil, "hidden value", "Basic YXBwOmhpZGRlbiUyMHZhbHVl", nil),
      (["client_secret_basic"], "", nil, nil),
    ] as [([String]?, String, String?, String?)])
  @HostActor func theSecretGoesWhereTheProviderWantsIt(
    _ methods: [String]?, _ secret: String, _ header: String?, _ field: String?
  ) async throws {
    let provider = try Provider()
    provider.token("{\"access_token\": \"access-1\"}")
    provider.change {
      $0.metadata = ["token_endpoint_auth_methods_supported": methods.map { .array($0.map(JSON.string)) } ?? .null]
    }
    let client = try provider.client(["clientSecret": .string(secret), "customHeaders": ["X-Tenant": "t"]])
    _ = try await TokenEndpoint(client).token(.refreshToken(Secret("refresh-1"), scopes: ["app"]))
    let request = try #require(provider.last)
    #expect(request.header("Authorization") == header)
    #expect(request.header("X-Tenant") == "t")
    let form = Dictionary(uniqueKeysWithValues: request.form)
    #expect(form["client_secret"] == field)
    #expect(form["client_id"] == (header == nil ? "app" : nil))
    #expect(form["refresh_token"] == "refresh-1")
  }

  @Test @HostActor func endpointsOfTheSettingsNeedNoMetadata() async throws {
    let provider = try Provider()
    provider.token("{\"access_token\": \"access-1\", \"expires_on\": \"1700000100\"}")
    let client = try provider.client(["authority": nil, "tokenURL": .string("\(provider.url)/token?p=b2c_1_x")])
    let tokens = try await TokenEndpoint(client).token(Self.code)
    #expect(tokens.expiresAt == 1_700_000_100)
    #expect(tokens.scopes == ["openid", "app"])
    #expect(tokens.tokenType == "Bearer")
    #expect(provider.last?.target == "/token?p=b2c_1_in")
    #expect(provider.count("openid-configuration") == 0)
  }

  @Test(
    arguments: [
      (
        400, "application/json",
        #"{"error": "invalid_grant", "error_description": "AADB2C90080: The grant has expired.\r\nCorrelation ID: c-9\r\nTimestamp: 2020-01-01 00:00:00Z\r\n"}"#,
        "AADB2C90080", "AADB2C90080: The grant has expired", "sign in again", false
      ),
      (
        200, "application/json", #"{"error": "invalid_grant", "access_token": "x"}"#, "invalid_grant",
        "invalid_grant: the code or refresh token is expired, revoked, used already or of another application",
        "sign in again", false
      ),
      (
        401, "application/json", #"{"error": "invalid_client", "error_description": "No."}"#, "invalid_client",
        "invalid_client: No", "check clientID and clientSecret in the settings", false
      ),
      (
        503, "application/json", #"{"error": "temporarily_unavailable"}"#, "temporarily_unavailable",
        "temporarily_unavailable: the provider is overloaded or down", "try again later", true
      ),
      (
        502, "text/html", "<html><head><title>x</title></head><body><h1>Bad Gateway</h1></body></html>", "http_502",
        "the token endpoint TOKEN answered 502 with text/html instead of JSON: \"Bad Gateway\"",
        "the provider or the network is in trouble; try again later", true
      ),
      (
        200, "text/html; charset=utf-8", "<p>Sign in</p>", "malformed_response",
        "the token endpoint TOKEN answered 200 with text/html instead of JSON: \"Sign in\"",
        "check tokenURL and policies in the settings", false
      ),
      (
        200, "application/json", "[]", "malformed_response",
        "the token endpoint TOKEN answered 200 with JSON that is not an object", nil, false
      ),
      (
        200, "text/plain", "access_token=eyJhbGciOiJub25lIn0&token_type=Bearer", "malformed_response",
        "the token endpoint TOKEN answered 200 with text/plain instead of JSON",
        "check tokenURL and policies in the settings", false
      ),
      (
        404, "text/plain", "", "http_404",
        "the token endpoint TOKEN answered 404 with an empty body; perhaps there is no policy \"b2c_1_in\"",
        "the name is from policies.signIn in settings.plist; or check tokenURL and policies in the settings", false
      ),
      (
        200, "application/json", #"{"error": null}"#, "missing_access_token",
        "the provider gave no access token; the scopes asked for were openid app",
        "check that the scopes are of one API and granted to the application", false
      ),
      (
        200, "application/json", "{}", "missing_access_token",
        "the provider gave no access token; the scopes asked for were openid app",
        "check that the scopes are of one API and granted to the application", false
      ),
    ] as [(Int, String, String, String, String, String?, Bool)])
  @HostActor func failuresAreToldInFull(
    _ status: Int, _ type: String, _ body: String, _ code: String, _ message: String, _ hint: String?,
    _ isRetryable: Bool
  ) async throws {
    let provider = try Provider()
    provider.token(body, status: status, type: type)
    let error = await oauthError { _ = try await TokenEndpoint(provider.client()).token(Self.code) }
    #expect(error?.code == code)
    #expect(error?.message == message.replacing("TOKEN", with: "\(provider.url)/token?p=b2c_1_in"))
    #expect(error?.hint == hint)
    #expect(error?.isRetryable == isRetryable)
    #expect(error?.stage == .token)
    if code == "AADB2C90080" {
      #expect(error?.status == 400)
      #expect(error?.details["correlation_id"] == "c-9")
      #expect(error?.details["error"] == "invalid_grant")
    }
  }

  @Test(arguments: ["text/plain", "text/html"]) @HostActor func noPartOfATokenIsInMessages(type: String) async throws {
    let provider = try Provider()
    let token = "long-token-" + String(repeating: "0123456789", count: 100)
    provider.token("you sent \(token)", status: 400, type: type)
    let error = await oauthError { _ = try await TokenEndpoint(provider.client()).token(.refreshToken(Secret(token))) }
    #expect(error?.message.hasSuffix(": \"you sent [secret]\"") == true)
  }

  /// More than any honest answer has.
  @Test @HostActor func aHugeAnswerIsRefused() async throws {
    let provider = try Provider()
    provider.token("{\"access_token\": \"" + String(repeating: "x", count: 1 << 20) + "\"}")
    let error = await oauthError { _ = try await TokenEndpoint(provider.client()).token(Self.code) }
    #expect(error?.code == "too_large")
    #expect(
      error?.message == "the token endpoint could not be read: the answer to POST to "
        + "\(provider.url.dropFirst("http://".count)) is larger than 1048576 bytes")
  }

  @Test @HostActor func aRedirectIsNotFollowed() async throws {
    let provider = try Provider()
    provider.token("", status: 307, headers: [("Location", "https://elsewhere.example.com/")])
    let error = await oauthError {
      _ = try await TokenEndpoint(provider.client()).token(.refreshToken(Secret("refresh-1")))
    }
    #expect(
      error?.message
        == "the token endpoint \(provider.url)/token?p=b2c_1_in answered 307 with a redirect to https://elsewhere.example.com/"
    )
    #expect(error?.stage == .refresh)
  }

  @Test @HostActor func whyThereIsNoAccessTokenIsExplained() async throws {
    let provider = try Provider()
    provider.token("{}")
    let error = await oauthError {
      _ = try await TokenEndpoint(provider.client()).token(.refreshToken(Secret("refresh-1"), scopes: ["openid"]))
    }
    #expect(
      error?.message == "the provider gave no access token; the scopes asked for were openid, which name no API")
    #expect(
      error?.hint
        == "add the client ID (app) or an API's scope, such as https://contoso.onmicrosoft.com/API/SCOPE, to scopes in "
        + "the settings")
  }
}
