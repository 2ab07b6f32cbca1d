import Core
import HTTPClient
import HTTPServer
import HostLoop
import JSON
import OAuth
import Settings
import Testing

/// Microsoft's endpoints want a refresh to name its scopes (AADSTS90009). Elsewhere a refresh without scopes means those of
/// the grant, and a scope too many is refused (RFC 6749, 6).
@HostActor @Suite struct RefreshScopesTests {
  private static let plain: [String: JSON] = ["policies": .null, "authority": .null]

  @Test(
    arguments: [
      // The grant's scopes, those of the request, and the ones that are sent.
      (["kind": "external_id"], ["openid", "api://a/read"], nil, "openid api://a/read"),
      (["kind": "external_id"], nil, nil, "openid app offline_access"),
      (["kind": "external_id"], ["openid"], ["api://b/write"], "api://b/write"),
      (["authURL": "https://login.microsoftonline.com/t/oauth2/v2.0/authorize"], ["openid", "x"], nil, "openid x"),
      (["authURL": "https://login.microsoftonline.us/t/oauth2/v2.0/authorize"], ["openid"], nil, "openid"),
      (["authURL": "https://op.example/authorize"], ["openid", "x"], nil, nil),
      (["authURL": "https://op.example/authorize"], ["openid"], ["openid"], "openid"),
      (["policies": ["signIn": "b2c_1_in"]], ["openid", "app"], nil, "openid app"),
      (["policies": ["signIn": "b2c_1_in"]], nil, nil, nil),
    ] as [([String: JSON], [String]?, [String]?, String?)])
  func scopesOfARefresh(
    _ settings: [String: JSON], _ granted: [String]?, _ asked: [String]?, _ sent: String?
  ) async throws {
    let provider = try Provider()
    provider.token(#"{"access_token": "access-1", "token_type": "Bearer"}"#)
    let token: [String: JSON] = ["tokenURL": .string("\(provider.url)/token")]
    let client = try provider.client(Self.plain.merging(token) { $1 }.merging(settings) { $1 })
    var request = TokenRequest.refreshToken(Secret("refresh-1"), scopes: asked)
    request.grantScopes = granted
    _ = try await TokenEndpoint(client).token(request)
    #expect(provider.last?.form.first { $0.0 == "scope" }?.1 == sent)
  }

  @Test func onlyRefreshesAreChanged() async throws {
    let provider = try Provider()
    provider.token(#"{"access_token": "access-1", "token_type": "Bearer"}"#)
    let client = try provider.client(
      Self.plain.merging(["tokenURL": .string("\(provider.url)/token"), "kind": "external_id"]) { $1 })
    _ = try await TokenEndpoint(client).token(TokenRequest(grantType: "authorization_code", parameters: ["code": "c"]))
    #expect(provider.last?.form.contains { $0.0 == "scope" } == false)
  }

  @Test(arguments: [(#", "token_type": "Bearer""#, false), ("", true), (#", "token_type": 7"#, true)])
  func aMissingTypeIsTold(_ type: String, _ isTold: Bool) async throws {
    let provider = try Provider()
    provider.token("{\"access_token\": \"access-1\"\(type)}")
    let client = try provider.client()
    var remarks: [String] = []
    client.onRemark = { remark, _ in remarks.append(remark) }
    let tokens = try await TokenEndpoint(client).token(TokenTests.code)
    #expect(tokens.tokenType == "Bearer")
    #expect(remarks.contains { $0.contains("has no token_type, which it must have (RFC 6749, 5.1)") } == isTold)
  }
}
