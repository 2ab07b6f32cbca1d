import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Markup
import Testing

@HostActor @Suite struct SignInTests {
  let tenant: LocalTenant
  let browser: Browser

  init() throws {
    tenant = try LocalTenant()
    browser = Browser(tenant)
  }

  @Test(arguments: ["alice", "ALICE", "alice@contoso.example", " alice "])
  func aUserSignsInByNameOrEmail(name: String) async throws {
    try await browser.authorize()
    #expect(browser.response.status == 200)
    #expect(browser.page.title == "Sign in – Contoso")
    #expect(browser.page.alerts.isEmpty)
    try await browser.submit(["logonIdentifier": name, "password": "Wonderland-1"], button: "sign_in")
    #expect(browser.response.status == 302)
    #expect(browser.response.headers["Location"]?.hasPrefix(Browser.redirectURI + "?code=") == true)
    #expect(browser.redirected["state"] == "a state & more")
    #expect(browser.response.headers["Cache-Control"] == "no-store")
  }

  @Test func theFormIsLabelledAndGuarded() async throws {
    try await browser.authorize(["login_hint": "al\"ice<b>"])
    let form = try #require(browser.page.forms.first)
    #expect(form.fields.filter { $0.type != "hidden" }.map(\.label) == ["User name or email", "Password"])
    #expect(form.fields.first { $0.name == "logonIdentifier" }?.value == "al\"ice<b>")
    #expect(form.buttons.map(\.label) == ["Sign in", "Cancel"])
    let headers = browser.response.headers
    let policy = headers["Content-Security-Policy"] ?? ""
    #expect(
      policy.replacing(#/sha256-[A-Za-z0-9+\/]{43}=/#, with: "HASH")
        == "default-src 'none'; style-src 'HASH'; img-src data:; base-uri 'none'; frame-ancestors 'none'; "
        + "form-action 'self' http://127.0.0.1:49152")
    #expect(headers["Cache-Control"] == "no-store")
    #expect(headers["Referrer-Policy"] == "no-referrer")
    #expect(headers.all("Set-Cookie").allSatisfy { !$0.contains("Secure") && $0.contains("HttpOnly") })
  }

  @Test func aWrongPasswordIsToldAndMayBeCorrected() async throws {
    for name in ["alice", "nobody"] {
      try await browser.signIn(name, "wrong")
      #expect(browser.response.status == 200)
      #expect(browser.page.alerts.joined().contains("We don't seem to recognize this user name and password."))
      #expect(browser.page.alerts.joined().contains("AADB2C90225"))
      #expect(browser.response.text.contains("aria-invalid=\"true\" aria-describedby=\"error\""))
    }
    try await browser.submit(["logonIdentifier": "alice", "password": "Wonderland-1"], button: "sign_in")
    #expect(browser.redirected["code"] != nil)
  }

  @Test func cancelingSaysSoToTheClient() async throws {
    try await browser.authorize()
    try await browser.submit([:], button: "cancel")
    #expect(browser.redirected["error"] == "access_denied")
    #expect(
      browser.redirected["error_description"]?.hasPrefix(
        "AADB2C90091: The user has cancelled entering self-asserted information.\r\nCorrelation ID: ") == true)
    #expect(browser.redirected["error_description"]?.contains("\r\nTimestamp: ") == true)
    #expect(browser.redirected["state"] == "a state & more")
  }

  @Test func aFormOfAnotherBrowserIsRefused() async throws {
    try await browser.authorize()
    browser.cookies = CookieJar()
    try await browser.submit(["logonIdentifier": "alice", "password": "Wonderland-1"], button: "sign_in")
    #expect(browser.response.status == 400)
    #expect(browser.page.title == "This sign-in is over – Contoso")
  }

  @Test func someoneNewSignsUp() async throws {
    try await browser.authorize()
    let link = try #require(browser.page.links.first { $0.text == "Sign up now" })
    try await browser.get(tenant.url + link.target)
    var values = [
      "username": "carol", "email": "carol@contoso.example", "displayName": "Carol <3", "newPassword": "short",
      "reenterPassword": "short",
    ]
    try await browser.submit(values, button: "create")
    #expect(browser.page.alerts.joined().hasPrefix("The password must have 8 to 64 characters"))
    values["newPassword"] = "Christmas-3"
    values["reenterPassword"] = "Christmas-4"
    try await browser.submit(values, button: "create")
    #expect(browser.page.alerts == ["The two passwords are not the same.\nPassword\nPassword once more"])
    values["reenterPassword"] = "Christmas-3"
    values["username"] = "Alice"
    try await browser.submit(values, button: "create")
    #expect(browser.page.alerts.joined().contains("already exists"))
    values["username"] = "carol"
    try await browser.submit(values, button: "create")
    let tokens = try await browser.redeem(code: browser.redirected["code"] ?? "").body
    let claims = try JWT(decoding: tokens["id_token"]?.string ?? "").claims
    #expect(claims["name"] == "Carol <3")
    #expect(claims["emails"] == ["carol@contoso.example"])
    browser.cookies = CookieJar()
    try await browser.signIn("carol", "Christmas-3")
    #expect(browser.redirected["code"] != nil)
  }

  @Test func aSessionSparesThePage() async throws {
    try await browser.authorize(["prompt": "none"])
    #expect(browser.redirected["error"] == "interaction_required")
    #expect(browser.redirected["error_description"]?.hasPrefix("AADB2C90077: ") == true)
    try await browser.signIn()
    for changes: [String: String?] in [[:], ["prompt": "none"], ["login_hint": "alice"], ["max_age": "60"]] {
      try await browser.authorize(changes)
      #expect(browser.redirected["code"] != nil, "\(changes)")
    }
    for changes: [String: String?] in [["prompt": "login"], ["login_hint": "bob"], ["max_age": "0"]] {
      if changes["max_age"] != nil { try tenant.advance(seconds: 1) }
      try await browser.authorize(changes)
      #expect(browser.page.title == "Sign in – Contoso", "\(changes)")
    }
    try await browser.get(browser.base + "/oauth2/v2.0/logout")
    #expect(browser.page.title == "You are signed out – Contoso")
    try await browser.authorize()
    #expect(browser.page.title == "Sign in – Contoso")
  }

  @Test func logoutGoesBackWhereItMay() async throws {
    let logout = browser.base + "/oauth2/v2.0/logout?state=s&post_logout_redirect_uri="
    try await browser.get(logout + "http://localhost:8080/bye?a=1")
    #expect(browser.response.headers["Location"] == "http://localhost:8080/bye?a=1&state=s")
    try await browser.get(logout + "https://evil.example/")
    #expect(browser.response.status == 200)
    #expect(browser.response.headers["Location"] == nil)
  }
}
