import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Testing

/// A web API that was called on behalf of a user calls the next API on behalf of the same user.
@HostActor @Suite struct AssertionTests {
  let tenant: LocalTenant
  let browser: Browser

  init() throws {
    tenant = try LocalTenant()
    try tenant.setKind(.externalID)
    browser = Browser(tenant, base: "\(tenant.url)/contoso.onmicrosoft.com")
  }

  private func exchange(_ assertion: String, _ changes: [String: String?] = [:]) async throws -> (
    status: Int, body: JSON
  ) {
    let web = LocalTenant.webApplication
    let fields = [
      "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "requested_token_use": "on_behalf_of",
      "client_id": web.id, "client_secret": web.secret ?? "", "scope": "openid \(Browser.read)",
      "assertion": assertion,
    ]
    return try await browser.ask("token", fields, changes)
  }

  /// Returns Alice's token for the web API.
  private func token(scope: String = LocalTenant.webApplication.id) async throws -> String {
    let tokens = try await browser.tokens("alice", "Wonderland-1", ["scope": "openid offline_access \(scope)"])
    return tokens["access_token"]?.string ?? ""
  }

  @Test func theNextAPIIsCalledInTheUsersName() async throws {
    let answer = try await exchange(try await token())
    #expect(answer.status == 200, "\(answer.body)")
    let claims = try JWT(decoding: answer.body["access_token"]?.string ?? "").claims
    #expect(claims["name"] == "Alice Liddell")
    #expect(claims["scp"] == "read")
    #expect(claims["azp"]?.string == LocalTenant.webApplication.id)
    #expect(try await browser.tasks(answer.body["access_token"]?.string ?? "").status == 200)
  }

  @Test func othersTokensAreRefused() async throws {
    let answer = try await exchange(try await token(scope: Browser.read))
    #expect(answer.status == 400)
    #expect(answer.body["error"] == "invalid_grant")
    #expect(
      answer.body["error_description"]?.string?.hasPrefix("AADSTS500131: Assertion audience does not match") == true)
    #expect(try await exchange("x.y.z").body["error"] == "invalid_grant")
    let own = try await token()
    let native = try await exchange(own, ["client_id": LocalTenant.nativeApplication.id, "client_secret": nil])
    #expect(native.body["error"] == "unauthorized_client")
    try tenant.advance(seconds: 3601)
    let late = try await exchange(own)
    #expect(late.body["error_description"]?.string?.hasPrefix("AADSTS70008: ") == true)
  }

  /// Azure AD B2C does not have the grant.
  @Test func b2cRefusesTheGrant() async throws {
    try tenant.setKind(.b2c)
    let answer = try await Browser(tenant).ask(
      "token",
      [
        "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "requested_token_use": "on_behalf_of",
        "client_id": LocalTenant.webApplication.id, "client_secret": LocalTenant.webApplication.secret ?? "",
        "assertion": "x", "scope": Browser.read,
      ])
    #expect(answer.body["error"] == "unsupported_grant_type")
    let grants = try await Browser(tenant).metadata()["grant_types_supported"]?.array ?? []
    #expect(!grants.contains("urn:ietf:params:oauth:grant-type:jwt-bearer"))
    #expect(grants.contains("urn:ietf:params:oauth:grant-type:token-exchange"))
  }
}
