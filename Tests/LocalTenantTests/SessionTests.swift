import HTTPClient
import HostLoop
import JSON
import LocalTenant
import Markup
import Testing

@HostActor @Suite struct SessionTests {
  let tenant: LocalTenant
  let browser: Browser

  init() throws {
    tenant = try LocalTenant.atRest()
    browser = Browser(tenant)
  }

  @Test func anAccountIsChosen() async throws {
    try await browser.authorize(["prompt": "select_account"])
    #expect(browser.page.title == "Sign in – Contoso")
    try await browser.signIn()
    try await browser.authorize(["prompt": "select_account"])
    #expect(browser.page.title == "Choose an account – Contoso")
    #expect(
      browser.page.forms.first?.buttons.map(\.label) == ["Go on as Alice Liddell", "Cancel", "Use another account"])
    try await browser.submit([:], button: "continue")
    #expect(try await browser.claims()["name"] == "Alice Liddell")
    try await browser.authorize(["prompt": "select_account"])
    try await browser.submit([:], button: "another")
    #expect(browser.page.title == "Sign in – Contoso")
    try await browser.submit(["logonIdentifier": "bob", "password": "Skyscraper-2"], button: "sign_in")
    #expect(try await browser.claims()["name"] == "Bob Baumeister")
    try await browser.authorize(["prompt": "none"])
    #expect(try await browser.claims()["name"] == "Bob Baumeister")
  }

  @Test func consentIsAskedForWhenTheClientWantsIt() async throws {
    try await browser.signIn("alice", "Wonderland-1", ["prompt": "login consent"])
    #expect(browser.page.title == "Allow this app? – Contoso")
    #expect(browser.page.text.contains("offline_access"))
    try await browser.submit([:], button: "allow")
    #expect(browser.redirected["code"] != nil)
    try await browser.authorize(["prompt": "consent"])
    #expect(browser.page.title == "Allow this app? – Contoso")
    try await browser.submit([:], button: "cancel")
    #expect(browser.redirected["error_description"]?.hasPrefix("AADB2C90091: ") == true)
  }

  @Test func theHintSaysWhoseSessionIsMeant() async throws {
    let alice = try await browser.tokens()["id_token"]?.string ?? ""
    try await browser.authorize(["id_token_hint": alice, "prompt": "none"])
    #expect(browser.redirected["code"] != nil)
    try await browser.signIn("bob", "Skyscraper-2", ["prompt": "login"])
    try await browser.authorize(["id_token_hint": alice, "prompt": "none"])
    #expect(browser.redirected["error"] == "login_required")
    try await browser.authorize(["id_token_hint": alice])
    #expect(browser.page.title == "Sign in – Contoso")
    #expect(browser.page.forms.first?.fields.first { $0.name == "logonIdentifier" }?.value == "alice")
  }

  @Test func aHintMustBeAGoodIDToken() async throws {
    let body = try await browser.tokens()
    let hint = body["id_token"]?.string ?? ""
    func code(_ changes: [String: String?]) async throws -> String {
      try await browser.authorize(changes)
      return String((browser.redirected["error_description"] ?? "").prefix { $0 != ":" })
    }
    let forged = hint.prefix { $0 != "." } + ".e30." + hint.split(separator: ".")[2]
    for bad in ["nonsense", String(forged), body["access_token"]?.string] {
      #expect(try await code(["id_token_hint": bad]) == "AADB2C90210")
    }
    #expect(
      try await code(["id_token_hint": hint, "client_id": LocalTenant.webApplication.id, "scope": "openid"])
        == "AADB2C90209")
    try tenant.advance(seconds: 3600)
    #expect(try await code(["id_token_hint": hint]) == "AADB2C90208")
  }
}
