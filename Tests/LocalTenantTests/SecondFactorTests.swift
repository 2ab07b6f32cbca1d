import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Markup
import Testing

@HostActor @Suite struct SecondFactorTests {
  let tenant: LocalTenant

  init() throws {
    tenant = try LocalTenant.atRest()
    // The ASCII key of RFC 6238, appendix B.
    try tenant.addUser(
      username: "erin", password: "Evergreen-5", otp: "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ")
    try tenant.addUser(username: "frank", password: "Footpath-6", phone: "+1 (555) 0100-22")
  }

  @Test(arguments: ["b2c_1_susi", "b2c_1_signin", "b2c_1_mfa"])
  func anAuthenticatorAppIsAskedForEverywhere(policy: String) async throws {
    let browser = Browser(tenant, policy: policy)
    try await browser.signIn("erin", "Evergreen-5")
    #expect(browser.page.title == "Verify that it is you – Contoso")
    #expect(browser.page.forms.first?.buttons.map(\.label) == ["Verify", "Cancel"])
    // A code of an authenticator app is never sent.
    #expect(!browser.page.text.contains("the code is shown"))
    #expect(
      browser.response.text.contains("name=\"verificationCode\" type=\"text\" autocomplete=\"one-time-code\" required"))
    let code = try tenant.otpCode(of: "erin")
    try await browser.submit(["verificationCode": code == "000000" ? "000001" : "000000"], button: "verify")
    #expect(browser.page.alerts == ["That code is not right. Please try again."])
    try await browser.submit(["verificationCode": code], button: "verify")
    #expect(try await browser.claims()["acr"] == "mfa")
  }

  @Test func aCodeCountsOnce() async throws {
    let browser = Browser(tenant)
    let first = try tenant.otpCode(of: "erin")
    for isFirst in [true, false] {
      browser.cookies = CookieJar()
      try await browser.signIn("erin", "Evergreen-5")
      try await browser.submit(["verificationCode": first], button: "verify")
      #expect((browser.redirected["code"] != nil) == isFirst)
    }
    // The next code is valid already, because clocks differ.
    let second = try tenant.otpCode(of: "erin")
    #expect(second != first)
    try await browser.submit(["verificationCode": second], button: "verify")
    #expect(browser.redirected["code"] != nil)
    let error = #expect(throws: TenantError.self) { try tenant.otpCode(of: "erin") }
    #expect(error?.code == "otp_used")
    try tenant.advance(seconds: 60)
    #expect(try tenant.otpCode(of: "erin") != second)
  }

  @Test(arguments: [("frank", "Footpath-6", "+1555010022"), ("alice", "Wonderland-1", "alice@contoso.example")])
  func othersGetACodeByMessage(name: String, password: String, to: String) async throws {
    let browser = Browser(tenant, policy: "b2c_1_mfa")
    try await browser.signIn(name, password)
    let message = try #require(try tenant.outbox().last)
    #expect(message.kind == .sms)
    #expect(message.to == to)
    #expect(message.text == "SMS to \(to): code \(message.code)")
    #expect(message.code.count == 6)
    #expect(
      browser.page.text.contains("This is a local tenant: the code is shown where it was started."))
    try await browser.submit(["verificationCode": message.code], button: "verify")
    #expect(browser.redirected["code"] != nil)
    // The session keeps the second factor for other policies too.
    try await browser.authorize()
    #expect(browser.redirected["code"] != nil)
  }

  @Test func thePolicyAloneAsksThem() async throws {
    let browser = Browser(tenant)
    try await browser.signIn("frank", "Footpath-6")
    #expect(try await browser.claims()["acr"] == nil)
    let stricter = Browser(tenant, policy: "b2c_1_mfa")
    stricter.cookies = browser.cookies
    try await stricter.authorize(["prompt": "none"])
    #expect(stricter.redirected["error_description"]?.hasPrefix("AADB2C90077: ") == true)
    try await stricter.authorize()
    #expect(stricter.page.title == "Verify that it is you – Contoso")
  }

  @Test func aClientStepsUp() async throws {
    let browser = Browser(tenant)
    try await browser.signIn()
    try await browser.authorize(["acr_values": "phr mfa"])
    #expect(browser.page.title == "Verify that it is you – Contoso")
    try await browser.submit(["verificationCode": try tenant.outbox().last?.code ?? ""], button: "verify")
    let body = try await browser.redeem(code: browser.redirected["code"] ?? "").body
    #expect(try JWT(decoding: body["id_token"]?.string ?? "").claims["acr"] == "mfa")
    // Refreshed tokens keep the claim of the second factor.
    let refreshed = try await browser.refresh(body["refresh_token"]?.string ?? "").body
    #expect(try JWT(decoding: refreshed["id_token"]?.string ?? "").claims["acr"] == "mfa")
    try await browser.authorize(["acr_values": "mfa", "prompt": "none"])
    #expect(browser.redirected["code"] != nil)
  }

  @Test func fiveWrongCodesEndTheSignIn() async throws {
    let browser = Browser(tenant, policy: "b2c_1_mfa")
    try await browser.signIn("frank", "Footpath-6")
    for number in 1...5 {
      #expect(browser.response.status == 200)
      // A new code does not reset the count of wrong codes.
      if number == 3 { try await browser.submit([:], button: "resend") }
      try await browser.submit(["verificationCode": "12345"], button: "verify")
    }
    #expect(browser.redirected["error"] == "access_denied")
    #expect(browser.redirected["error_description"]?.hasPrefix("AADB2C90114: ") == true)
    try await browser.signIn("frank", "Footpath-6")
    #expect(browser.page.alerts.joined().contains("AADB2C90114"))
    try tenant.advance(seconds: 60)
    try await browser.signIn("frank", "Footpath-6")
    #expect(browser.page.title == "Verify that it is you – Contoso")
  }

  @Test func itCanBeCanceled() async throws {
    let browser = Browser(tenant, policy: "b2c_1_mfa")
    try await browser.signIn("frank", "Footpath-6")
    try await browser.submit([:], button: "cancel")
    #expect(browser.redirected["error_description"]?.hasPrefix("AADB2C90091: ") == true)
  }

  @Test(
    arguments: [
      ("not base 32!", nil, "the otp of gina is no Base32 secret"),
      (nil, "555-0100", "the phone of gina is not a phone number: 555-0100"),
    ] as [(String?, String?, String)])
  func aSecretAndANumberMustBeSome(otp: String?, phone: String?, message: String) throws {
    let error = #expect(throws: TenantError.self) {
      try tenant.addUser(username: "gina", password: "x", otp: otp, phone: phone)
    }
    #expect(error?.code == "invalid_user")
    #expect(error?.message == message)
    let unknown = #expect(throws: TenantError.self) { try tenant.otpCode(of: "frank") }
    #expect(unknown?.message == "frank has no authenticator app")
  }
}
