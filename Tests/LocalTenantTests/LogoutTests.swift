import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Markup
import Testing

@HostActor @Suite struct LogoutTests {
  let tenant: LocalTenant
  let browser: Browser

  init() throws {
    tenant = try LocalTenant.atRest()
    browser = Browser(tenant)
  }

  @Test func applicationsAreToldInFrames() async throws {
    try tenant.setFrontChannelLogoutURI("http://localhost:8080/out?x=1", forApplication: browser.clientID)
    let claims = try JWT(decoding: try await browser.tokens()["id_token"]?.string ?? "").claims
    let sid = try #require(claims["sid"]?.string)
    // The address of another policy ends the same session.
    try await browser.get(
      "\(tenant.url)/contoso.onmicrosoft.com/b2c_1_signin/oauth2/v2.0/logout?state=s&post_logout_redirect_uri="
        + "http://127.0.0.1:8080/bye")
    #expect(browser.response.status == 200)
    #expect(browser.page.title == "You are signed out – Contoso")
    let issuer = (claims["iss"]?.string ?? "").replacing(":", with: "%3A").replacing("/", with: "%2F")
    #expect(
      browser.response.text.contains(
        "<iframe src=\"http://localhost:8080/out?x=1&amp;iss=\(issuer)&amp;sid=\(sid)\" hidden></iframe>"))
    #expect(
      browser.response.headers["Content-Security-Policy"]?.contains("frame-src http://localhost:8080") == true)
    #expect(
      browser.response.text.contains(
        "<meta http-equiv=\"refresh\" content=\"2;url=http://127.0.0.1:8080/bye?state=s\">"))
    #expect(browser.page.links.map(\.target) == ["http://127.0.0.1:8080/bye?state=s"])
    // The logout URI is loaded only once.
    try await browser.get(browser.base + "/oauth2/v2.0/logout")
    #expect(!browser.response.text.contains("<iframe"))
    let document = try JSON(
      parsing: try await browser.get(browser.base + "/v2.0/.well-known/openid-configuration").body)
    #expect(document["frontchannel_logout_supported"] == true)
    #expect(document["frontchannel_logout_session_supported"] == true)
  }

  @Test func othersHaveNoSessionID() async throws {
    let token = try await browser.tokens()["id_token"]?.string ?? ""
    #expect(try JWT(decoding: token).claims["sid"] == nil)
  }

  @Test func theHintEndsTheSessionsOfItsUser() async throws {
    let token = try await browser.tokens()["id_token"]?.string ?? ""
    let bob = Browser(tenant)
    try await bob.signIn("bob", "Skyscraper-2")
    let program = Browser(tenant)
    try await program.get(program.base + "/oauth2/v2.0/logout?id_token_hint=x.y.z")
    try await browser.authorize(["prompt": "none"])
    #expect(browser.redirected["code"] != nil)
    // An expired ID token is accepted, because a user who signs out after a day still wants to be signed out.
    try tenant.advance(seconds: 4000)
    try await program.get(program.base + "/oauth2/v2.0/logout?ui_locales=de&id_token_hint=" + token)
    #expect(program.page.title == "Sie sind abgemeldet – Contoso")
    try await browser.authorize(["prompt": "none"])
    #expect(browser.redirected["error_description"]?.hasPrefix("AADB2C90077: ") == true)
    try await bob.authorize(["prompt": "none"])
    #expect(bob.redirected["code"] != nil)
  }

  @Test func onlyThisMachineIsTold() throws {
    let error = #expect(throws: TenantError.self) {
      try tenant.setFrontChannelLogoutURI("https://evil.example/", forApplication: browser.clientID)
    }
    #expect(error?.message == "the front-channel logout URI is no URL of this machine: https://evil.example/")
    let unknown = #expect(throws: TenantError.self) {
      try tenant.setFrontChannelLogoutURI("http://localhost/", forApplication: "x")
    }
    #expect(unknown?.message == "the local tenant has no application x")
  }
}
