import HTTPClient
import HostLoop
import JSON
import LocalTenant
import Markup
import Testing

@HostActor @Suite struct PolicyTests {
  let tenant: LocalTenant

  init() throws {
    tenant = try LocalTenant()
  }

  @Test(arguments: [
    ("b2c_1_susi", "Sign in – Contoso", ["Forgot your password?", "Sign up now"]),
    ("B2C_1_SignIn", "Sign in – Contoso", ["Forgot your password?"]),
    ("b2c_1_signup", "Sign up – Contoso", []),
    ("b2c_1_reset", "Reset your password – Contoso", []),
    ("b2c_1_edit", "Sign in – Contoso", ["Forgot your password?"]),
    ("b2c_1_mfa", "Sign in – Contoso", ["Forgot your password?", "Sign up now"]),
  ])
  func eachPolicyHasItsPage(policy: String, title: String, links: [String]) async throws {
    let browser = Browser(tenant, policy: policy)
    try await browser.authorize()
    #expect(browser.page.title == title)
    #expect(browser.page.links.map(\.text) == links)
    #expect(browser.page.forms.first?.buttons.last?.label == "Cancel")
    try await browser.submit([:], button: "cancel")
    #expect(browser.redirected["error"] == "access_denied")
    #expect(browser.redirected["error_description"]?.hasPrefix("AADB2C90091: ") == true)
  }

  @Test func aForgottenPasswordIsForTheClientToHandle() async throws {
    let browser = Browser(tenant)
    try await browser.authorize()
    try await browser.follow("Forgot your password?")
    #expect(browser.response.headers["Location"]?.hasPrefix(Browser.redirectURI) == true)
    #expect(browser.redirected["error"] == "access_denied")
    #expect(
      browser.redirected["error_description"]?.hasPrefix(
        "AADB2C90118: The user has forgotten their password.\r\nCorrelation ID: ") == true)
    #expect(browser.redirected["state"] == "a state & more")
  }

  @Test func whoOnlySignsInCannotSignUp() async throws {
    let browser = Browser(tenant, policy: "b2c_1_signin")
    try await browser.authorize()
    let transaction = browser.page.forms.first?.fields.first { $0.name == "tx" }?.value ?? ""
    try await browser.get(browser.base + "/signup?tx=" + transaction)
    #expect(browser.page.title == "Sign in – Contoso")
    let fields = [
      ("tx", transaction), ("username", "eve"), ("email", "eve@contoso.example"), ("displayName", "Eve"),
      ("newPassword", "Christmas-3"), ("reenterPassword", "Christmas-3"), ("action", "create"),
    ]
    try await browser.post(browser.base + "/signup", fields)
    #expect(browser.page.title == "Sign in – Contoso")
    #expect(throws: TenantError.self) { try tenant.removeUser("eve") }
  }

  @Test func theSignUpPolicyBeginsWithSigningUp() async throws {
    let browser = Browser(tenant, policy: "b2c_1_signup")
    try await browser.authorize()
    let values = [
      "username": "carol", "email": "carol@contoso.example", "displayName": "Carol", "newPassword": "Christmas-3",
      "reenterPassword": "Christmas-3",
    ]
    try await browser.submit(values, button: "create")
    let claims = try await browser.claims()
    #expect(claims["name"] == "Carol")
    #expect(claims["tfp"] == "b2c_1_signup")
    // Another user may sign up in the same browser; with prompt=none the session is still Carol's.
    try await browser.authorize()
    #expect(browser.page.title == "Sign up – Contoso")
    try await browser.authorize(["prompt": "none"])
    #expect(try await browser.claims()["name"] == "Carol")
  }

  @Test func thePasswordPolicyHasNoPages() async throws {
    let browser = Browser(tenant, policy: "b2c_1_ropc")
    try await browser.authorize()
    #expect(browser.redirected["error"] == "unsupported_response_type")
    #expect(
      browser.redirected["error_description"]?.hasPrefix(
        "AADB2C90013: The requested response type 'code' provided in the request is not supported: the policy "
          + "'b2c_1_ropc' has no pages, and takes the grant_type 'password' at its token endpoint.") == true)
  }

  @Test func theProfileIsEditedByItsUser() async throws {
    let browser = Browser(tenant, policy: "b2c_1_edit")
    try await browser.signIn()
    #expect(browser.page.title == "Edit your profile – Contoso")
    #expect(browser.page.forms.first?.fields.last?.value == "Alice Liddell")
    try await browser.submit(["displayName": " "], button: "continue")
    #expect(browser.page.alerts == ["Please fill in all of the fields."])
    try await browser.submit(["displayName": "Alice of Wonderland"], button: "continue")
    let claims = try await browser.claims()
    #expect(claims["name"] == "Alice of Wonderland")
    #expect(claims["tfp"] == "b2c_1_edit")
    // The session replaces the password, but the page is still shown.
    try await browser.authorize()
    #expect(browser.page.title == "Edit your profile – Contoso")
    try await browser.authorize(["prompt": "none"])
    #expect(try await browser.claims()["name"] == "Alice of Wonderland")
  }

  @Test func theSessionIsTheSameForAllPolicies() async throws {
    let browser = Browser(tenant)
    try await browser.signIn()
    let other = Browser(tenant, policy: "b2c_1_signin")
    other.cookies = browser.cookies
    try await other.authorize()
    #expect(try await other.claims()["tfp"] == "b2c_1_signin")
  }
}
