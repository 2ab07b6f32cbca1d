import HTTPClient
import HostLoop
import JSON
import LocalTenant
import Markup
import Testing

@HostActor @Suite struct PasswordResetTests {
  let tenant: LocalTenant
  let browser: Browser

  init() throws {
    tenant = try LocalTenant.atRest()
    browser = Browser(tenant, policy: "b2c_1_reset")
  }

  private func askForCode(_ name: String = "alice") async throws {
    try await browser.authorize()
    try await browser.submit(["logonIdentifier": name], button: "send")
  }

  @Test(arguments: ["alice", "alice@contoso.example"])
  func aCodeInTheMailboxGivesANewPassword(name: String) async throws {
    let elsewhere = Browser(tenant)
    try await elsewhere.signIn()
    try await askForCode(name)
    #expect(browser.page.title == "Verify your address – Contoso")
    #expect(browser.page.text.contains("Enter the code that was sent to a•••@contoso.example."))
    let message = try #require(try tenant.outbox().last)
    #expect(message.kind == .mail)
    #expect(message.to == "alice@contoso.example")
    #expect(message.username == "alice")
    #expect(message.text == "mail to alice@contoso.example: code \(message.code)")
    try await browser.submit(["verificationCode": message.code], button: "verify")
    #expect(browser.page.title == "Choose a new password – Contoso")
    try await browser.submit(["newPassword": "short", "reenterPassword": "short"], button: "continue")
    #expect(browser.page.alerts.joined().hasPrefix("The password must have 8 to 64 characters"))
    try await browser.submit(["newPassword": "Rabbit-Hole-4", "reenterPassword": "Rabbit-Hole-5"], button: "continue")
    #expect(browser.page.alerts == ["The two passwords are not the same.\nNew password\nNew password once more"])
    try await browser.submit(["newPassword": "Rabbit-Hole-4", "reenterPassword": "Rabbit-Hole-4"], button: "continue")
    let claims = try await browser.claims()
    #expect(claims["name"] == "Alice Liddell")
    #expect(claims["tfp"] == "b2c_1_reset")
    // The old password is no longer valid, and sessions that used it have ended.
    try await elsewhere.authorize()
    #expect(elsewhere.page.title == "Sign in – Contoso")
    try await elsewhere.signIn()
    #expect(elsewhere.page.alerts.joined().contains("AADB2C90225"))
    try await elsewhere.signIn("alice", "Rabbit-Hole-4")
    #expect(elsewhere.redirected["code"] != nil)
  }

  @Test func theMailboxAloneIsNotEnoughWhereThereIsAnApp() async throws {
    try tenant.addUser(username: "erin", password: "Evergreen-5", otp: "JBSWY3DPEHPK3PXP")
    try await askForCode("erin")
    try await browser.submit(["verificationCode": try tenant.outbox().last?.code ?? ""], button: "verify")
    #expect(browser.page.title == "Verify that it is you – Contoso")
    // The forms of later pages are refused at this step.
    let fields = [
      ("tx", browser.page.forms.first?.fields.first { $0.name == "tx" }?.value ?? ""),
      ("newPassword", "Rabbit-Hole-4"), ("reenterPassword", "Rabbit-Hole-4"), ("action", "continue"),
    ]
    try await browser.post(browser.base + "/reset", fields)
    #expect(browser.page.title == "Verify that it is you – Contoso")
    try await browser.submit(["verificationCode": try tenant.otpCode(of: "erin")], button: "verify")
    #expect(browser.page.title == "Choose a new password – Contoso")
  }

  @Test func nobodyGetsNoCode() async throws {
    try await askForCode("nobody")
    #expect(
      browser.page.alerts.joined(separator: " ").contains(
        "An account could not be found for this user name or email."))
    #expect(browser.page.alerts.joined().contains("AADB2C90053"))
    #expect(try tenant.outbox().isEmpty)
  }

  @Test func aCodeGrowsOldAndIsReplaced() async throws {
    try await askForCode()
    let old = try tenant.outbox().last?.code ?? ""
    try tenant.advance(seconds: 300)
    try await browser.submit(["verificationCode": old], button: "verify")
    #expect(browser.page.alerts == ["That code has expired. Please ask for a new one."])
    try await browser.submit([:], button: "resend")
    #expect(browser.page.text.contains("A new code was sent."))
    let new = try tenant.outbox().last?.code ?? ""
    #expect(try tenant.outbox().count == 2)
    try await browser.submit(["verificationCode": "\(new.prefix(3)) \(new.suffix(3))"], button: "verify")
    #expect(browser.page.title == "Choose a new password – Contoso")
  }

  @Test func theNewPasswordUnlocksTheAccount() async throws {
    let other = Browser(tenant)
    for _ in 1...6 { try await other.signIn("alice", "wrong") }
    #expect(other.page.alerts.joined().contains("AADB2C90114"))
    try await askForCode()
    try await browser.submit(["verificationCode": try tenant.outbox().last?.code ?? ""], button: "verify")
    try await browser.submit(["newPassword": "Rabbit-Hole-4", "reenterPassword": "Rabbit-Hole-4"], button: "continue")
    try await other.signIn("alice", "Rabbit-Hole-4")
    #expect(other.redirected["code"] != nil)
  }
}
