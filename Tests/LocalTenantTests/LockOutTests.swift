import HTTPClient
import HostLoop
import JSON
import LocalTenant
import Markup
import Testing

@HostActor @Suite struct LockOutTests {
  let tenant: LocalTenant
  let browser: Browser

  init() throws {
    tenant = try LocalTenant.atRest()
    browser = Browser(tenant)
  }

  @Test func fiveWrongPasswordsLockTheAccountForAMinute() async throws {
    for _ in 1...5 {
      try await browser.signIn("alice", "wrong")
      #expect(browser.page.alerts.joined().contains("AADB2C90225"))
    }
    for password in ["wrong", "Wonderland-1"] {
      try await browser.signIn("alice@contoso.example", password)
      #expect(
        browser.page.alerts.joined(separator: " ").contains(
          "Your account is temporarily locked to prevent unauthorized use. Try again later."))
      #expect(browser.page.alerts.joined().contains("AADB2C90114"))
    }
    let answer = try await Browser(tenant, policy: "b2c_1_ropc").token([
      ("grant_type", "password"), ("client_id", browser.clientID), ("username", "alice"),
      ("password", "Wonderland-1"), ("scope", "openid \(browser.clientID)"),
    ])
    #expect(answer.body["error_description"]?.string?.hasPrefix("AADB2C90114: ") == true)
    try tenant.advance(seconds: 60)
    try await browser.signIn()
    #expect(browser.redirected["code"] != nil)
  }

  @Test func theRightPasswordBeginsTheCountAnew() async throws {
    for _ in 1...3 {
      for _ in 1...4 { try await browser.signIn("alice", "wrong", ["prompt": "login"]) }
      try await browser.signIn("alice", "Wonderland-1", ["prompt": "login"])
      #expect(browser.redirected["code"] != nil)
    }
  }

  @Test func othersAreNotLocked() async throws {
    for _ in 1...6 { try await browser.signIn("alice", "wrong") }
    for _ in 1...6 { try await browser.signIn("nobody", "wrong") }
    #expect(browser.page.alerts.joined().contains("AADB2C90225"))
    try await browser.signIn("bob", "Skyscraper-2")
    #expect(browser.redirected["code"] != nil)
  }
}
