import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Markup
import Testing

@HostActor @Suite struct DeviceFlowTests {
  let tenant: LocalTenant
  let browser: Browser
  /// The browser in which the user signs in.
  let user: Browser

  init() throws {
    tenant = try LocalTenant()
    browser = Browser(tenant)
    user = Browser(tenant)
  }

  /// Signs in with the user code, up to the page that asks for confirmation.
  private func signIn(_ codes: JSON) async throws {
    try await user.get(codes["verification_uri_complete"]?.string ?? "")
    try await user.submit([:], button: "next")
    try await user.follow()
    if user.page.title == "Sign in – Contoso" {
      try await user.submit(["logonIdentifier": "alice", "password": "Wonderland-1"], button: "sign_in")
      try await user.follow()
    }
    #expect(user.page.title == "Sign in on the device? – Contoso")
  }

  @Test func theDeviceIsToldWhatToShow() async throws {
    let answer = try await browser.beginDevice()
    #expect(answer.status == 200)
    #expect(browser.response.headers["Cache-Control"] == "no-store")
    #expect(answer.body["expires_in"] == 900)
    #expect(answer.body["interval"] == 1)
    let page = "\(browser.base)/device"
    let userCode = try #require(answer.body["user_code"]?.string)
    #expect(answer.body["verification_uri"]?.string == page)
    #expect(answer.body["verification_uri_complete"]?.string == "\(page)?user_code=\(userCode)")
    #expect(
      answer.body["message"]?.string == "To sign in, open \(page) in a web browser and enter the code \(userCode).")
    #expect(userCode.wholeMatch(of: /[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}/) != nil)
    let document = try await browser.metadata()
    #expect(document["device_authorization_endpoint"]?.string == "\(browser.base)/oauth2/v2.0/devicecode")
  }

  @Test func aUserSignsInForTheDevice() async throws {
    let codes = try await browser.beginDevice().body
    let deviceCode = codes["device_code"]?.string ?? ""
    let pending = try await browser.poll(deviceCode)
    #expect(pending.status == 400)
    #expect(pending.body["error"] == "authorization_pending")
    try await user.get(codes["verification_uri_complete"]?.string ?? "")
    #expect(user.page.title == "Connect a device – Contoso")
    #expect(user.page.forms.first?.fields.map(\.label) == ["Code"])
    #expect(user.page.forms.first?.fields.first?.value == codes["user_code"]?.string)
    #expect(user.page.forms.first?.buttons.map(\.label) == ["Next", "Cancel"])
    try await signIn(codes)
    #expect(user.page.text.contains("You are about to sign in to Local tasks app as Alice Liddell on the device"))
    #expect(user.page.forms.first?.buttons.map(\.label) == ["Continue", "Cancel"])
    #expect(try await browser.poll(deviceCode).body["access_token"] == nil)
    try await user.submit([:], button: "continue")
    #expect(user.page.title == "You are signed in – Contoso")
    #expect(user.page.forms.isEmpty)
    let answer = try await browser.poll(deviceCode)
    #expect(answer.status == 200)
    let claims = try JWT(decoding: answer.body["id_token"]?.string ?? "").claims
    #expect(claims["name"] == "Alice Liddell")
    #expect(claims["tfp"] == "b2c_1_susi")
    #expect(try await browser.tasks(answer.body["access_token"]?.string ?? "").status == 200)
    #expect(try await browser.refresh(answer.body["refresh_token"]?.string ?? "").status == 200)
    // Both codes are valid for one sign-in only.
    let again = try await browser.poll(deviceCode)
    #expect(again.body["error"] == "invalid_grant")
    #expect(again.body.complaint.hasPrefix("AADB2C90080: "))
    try await user.get(codes["verification_uri_complete"]?.string ?? "")
    try await user.submit([:], button: "next")
    #expect(
      user.page.alerts == ["This code is not known here, has expired, or was used already. Look at your device again."])
  }

  @Test func theCodeMayBeTypedLoosely() async throws {
    let codes = try await browser.beginDevice().body
    let typed = (codes["user_code"]?.string ?? "").lowercased().replacing("-", with: " ")
    try await user.get(codes["verification_uri"]?.string ?? "")
    try await user.submit(["user_code": ""], button: "next")
    #expect(user.page.alerts == ["Please enter the code that your device shows."])
    try await user.submit(["user_code": typed], button: "next")
    try await user.follow()
    #expect(user.page.title == "Sign in – Contoso")
  }

  @Test(arguments: ["code", "sign-in", "confirmation"])
  func theUserMayRefuse(page: String) async throws {
    let codes = try await browser.beginDevice().body
    if page == "confirmation" {
      try await signIn(codes)
    } else {
      try await user.get(codes["verification_uri_complete"]?.string ?? "")
      if page == "sign-in" {
        try await user.submit([:], button: "next")
        try await user.follow()
      }
    }
    try await user.submit([:], button: "cancel")
    try await user.follow()
    #expect(user.page.title == "Not signed in – Contoso")
    let answer = try await browser.poll(codes["device_code"]?.string ?? "")
    #expect(answer.body["error"] == "access_denied")
    #expect(answer.body.complaint == "AADB2C90091: The user has cancelled the sign-in.")
  }

  @Test func codesExpire() async throws {
    let codes = try await browser.beginDevice().body
    try await signIn(codes)
    try tenant.advance(seconds: 900)
    try await user.submit([:], button: "continue")
    #expect(user.page.title == "This sign-in is over – Contoso")
    let answer = try await browser.poll(codes["device_code"]?.string ?? "")
    #expect(answer.status == 400)
    #expect(answer.body["error"] == "expired_token")
    #expect(answer.body.complaint == "The device code has expired. Ask for a new one.")
  }

  @Test func askingWithoutAPauseIsTooOften() async throws {
    let deviceCode = try await browser.beginDevice().body["device_code"]?.string ?? ""
    var errors: [String] = []
    for _ in 0..<50 where errors.last != "slow_down" {
      errors.append(try await browser.poll(deviceCode).body["error"]?.string ?? "")
    }
    #expect(errors.first == "authorization_pending")
    #expect(errors.last == "slow_down")
  }

  @Test func aCodeIsOneClientsAtOnePolicy() async throws {
    let codes = try await browser.beginDevice().body
    let deviceCode = codes["device_code"]?.string ?? ""
    let application = LocalTenant.webApplication
    let other = try await browser.poll(
      deviceCode, ["client_id": application.id, "client_secret": application.secret ?? ""])
    #expect(other.body.complaint.hasPrefix("AADB2C90279: "))
    let elsewhere = browser.at(policy: "b2c_1_signin")
    #expect(try await elsewhere.poll(deviceCode).body.complaint.hasPrefix("AADB2C90088: "))
    try await elsewhere.get("\(elsewhere.base)/device?user_code=\(codes["user_code"]?.string ?? "")")
    try await elsewhere.submit([:], button: "next")
    #expect(elsewhere.page.alerts.count == 1)
    #expect(try await browser.poll("nonsense").body.complaint.hasPrefix("AADB2C90080: "))
    let unknown = try await browser.beginDevice(["scope": "openid what"])
    #expect(unknown.body["error"] == "invalid_scope")
  }

  /// A forged or repeated confirmation has no effect.
  @Test func aConfirmationCannotBeGuessed() async throws {
    let codes = try await browser.beginDevice().body
    try await user.post(
      "\(user.base)/device", [("confirmation", "guess"), ("action", "continue"), ("user_code", "BCDF-GHJK")])
    #expect(user.response.status == 400)
    try await user.get("\(user.base)/device?state=guess&code=guess")
    #expect(user.response.status == 400)
    #expect(
      try await browser.poll(codes["device_code"]?.string ?? "").body["error"] == "authorization_pending")
  }
}
