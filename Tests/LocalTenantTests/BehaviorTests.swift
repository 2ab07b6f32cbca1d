import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Testing

/// Settings that the tenant's owner can change while the tenant runs.
@HostActor @Suite struct BehaviorTests {
  let tenant: LocalTenant
  let browser: Browser

  init() throws {
    tenant = try LocalTenant()
    browser = Browser(tenant)
  }

  @Test(arguments: ["token", "id_token", "code id_token"])
  func withoutImplicitThereAreCodesAlone(type: String) async throws {
    try tenant.setImplicit(enabled: false, forApplication: browser.clientID)
    try await browser.authorize(["response_type": type])
    #expect(browser.redirected["error"] == "unauthorized_client")
    #expect(
      browser.redirected["error_description"]?.hasPrefix(
        "AADB2C90057: The provided application is not configured to allow the OAuth Implicit flow.\r\n") == true)
    #expect(try await browser.tokens()["access_token"] != nil)
    let other = LocalTenant.webApplication.id
    try await browser.authorize(["response_type": type, "client_id": other, "scope": "openid \(other)"])
    #expect(browser.redirected["error"] == nil)
    try tenant.setImplicit(enabled: true, forApplication: browser.clientID)
    try await browser.authorize(["response_type": type])
    #expect(browser.redirected["error"] == nil)
  }

  @Test func anUnknownApplicationIsNamed() throws {
    let error = #expect(throws: TenantError.self) { try tenant.setImplicit(enabled: true, forApplication: "x") }
    #expect(error?.code == "unknown_application")
    #expect(error?.message == "the local tenant has no application x")
  }

  @Test func proofKeysCanBeRequired() async throws {
    try tenant.setRequiresPKCE(true)
    try await browser.authorize(["code_challenge": nil, "code_challenge_method": nil])
    #expect(
      browser.redirected["error_description"]?.hasPrefix(
        "AADB2C99059: The supplied request must present a code_challenge.\r\n") == true)
    try await browser.authorize(["code_challenge": nil, "code_challenge_method": nil, "response_type": "id_token"])
    #expect(browser.redirected["error"] == nil)
    #expect(try await browser.tokens()["access_token"] != nil)
  }

  @Test func refreshTokensCanStayTheSame() async throws {
    try tenant.setRotatesRefreshTokens(false)
    let token = try await browser.tokens()["refresh_token"]?.string ?? ""
    for _ in 0..<2 {
      let answer = try await browser.refresh(token)
      #expect(answer.status == 200)
      #expect(answer.body["access_token"] != nil)
      #expect(answer.body["refresh_token"] == nil)
    }
  }

  @Test func lifetimesAreAsSet() async throws {
    try tenant.setLifetimes(accessToken: 60, refreshToken: 120)
    let body = try await browser.tokens("alice", "Wonderland-1", ["scope": "openid offline_access \(Browser.read)"])
    #expect(body["expires_in"] == 60)
    #expect(body["refresh_token_expires_in"] == 120)
    for name in ["access_token", "id_token"] {
      let claims = try JWT(decoding: body[name]?.string ?? "").claims
      #expect((claims["exp"]?.lenientInteger ?? 0) - (claims["iat"]?.lenientInteger ?? 0) == 60)
    }
    try tenant.advance(seconds: 60)
    #expect(try await browser.tasks(body["access_token"]?.string ?? "").status == 401)
    try tenant.advance(seconds: 60)
    #expect(try await browser.refresh(body["refresh_token"]?.string ?? "").body.complaint.hasPrefix("AADB2C90080: "))
    let error = #expect(throws: TenantError.self) { try tenant.setLifetimes(accessToken: 0) }
    #expect(error?.message == "a token's lifetime must be from 1 to 2147483647 seconds, not 0")
  }

  @Test func numbersCanBeStrings() async throws {
    try tenant.setSendsNumbersAsStrings(true)
    let body = try await browser.tokens()
    for name in ["expires_in", "id_token_expires_in"] { #expect(body[name] == "3600") }
    for name in ["not_before", "expires_on", "refresh_token_expires_in"] { #expect(body[name]?.string != nil) }
    #expect(try await browser.signInAsApplication().body["expires_in"] == "3600")
    #expect(try await browser.beginDevice().body["interval"] == "1")
  }
}
