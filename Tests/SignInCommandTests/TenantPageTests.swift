import CommandLineSupport
import Foundation
import HTTPClient
import HostLoop
import JSON
import Testing

/// The local tenant's pages as a browser shows them.
@Suite("The local tenant's pages in a browser", .serialized, .timeLimit(.minutes(5)))
@HostActor struct TenantPageTests {
  let tenant: RunningTenant
  let url: String

  init() throws {
    tenant = try RunningTenant()
    url = try #require(tenant.settings.firstMatch(of: #/<key>taskAPI</key>\s*<string>([^<]*)/#).map { String($0.1) })
  }

  private func address(_ policy: String, _ language: String, _ more: String = "") -> String {
    "\(url)/contoso.onmicrosoft.com/\(policy)/oauth2/v2.0/authorize?client_id=9c5a6f0e-4d1b-4f7a-a3c2-51e8d7b6f093"
      + "&response_type=code&redirect_uri=urn:ietf:wg:oauth:2.0:oob&scope=openid&ui_locales=\(language)\(more)"
  }

  private func expectFit(_ browser: WebBrowser, _ page: String) async throws {
    for (width, isDark) in [(320, false), (1280, true)] {
      try await browser.show(width: width, isDark: isDark)
      // The page of a click may still be on its way.
      var problems = try await browser.problems()
      for _ in 0..<50 where !problems.isEmpty {
        try await HostLoop.shared.sleep(seconds: 0.1)
        problems = try await browser.problems()
      }
      #expect(problems == [], "\(page), \(width) wide\(isDark ? ", dark" : "")")
    }
  }

  @Test("every page can be seen, heard and used", arguments: ["en", "el", "fr", "tr", "de", "cs"])
  func pages(language: String) async throws {
    try await WebBrowser.with { browser in
      try await browser.open(address("b2c_1_susi", language))
      try await expectFit(browser, "sign-in")
      for (password, page) in [(" ", "nothing typed"), ("wrong", "a wrong password")] {
        try await browser.fill("#logonIdentifier", password)
        try await browser.fill("#password", password)
        try await browser.leave(by: "button[value=sign_in]")
        _ = try await browser.text("[role=alert]")
        try await expectFit(browser, page)
      }
      try await browser.leave(by: "a[href*=signup]")
      try await browser.fill("#username", " ")
      try await browser.fill("#email", "a@b.example")
      for field in ["displayName", "newPassword", "reenterPassword"] { try await browser.fill("#\(field)", " ") }
      try await browser.leave(by: "button[value=create]")
      _ = try await browser.text("#username-problem")
      try await expectFit(browser, "sign-up")
      try await browser.leave(by: "button[value=cancel]")
      _ = try await browser.text("pre")
      try await expectFit(browser, "canceled")
      try await browser.open(address("b2c_1_reset", language, "&login_hint=bob"))
      try await browser.leave(by: "button[value=send]")
      try await browser.fill("#verificationCode", "1")
      try await browser.leave(by: "button[value=verify]")
      _ = try await browser.text("[role=alert]")
      try await expectFit(browser, "a wrong code")
      try await browser.open(address("b2c_1_edit", language))
      try await browser.fill("#logonIdentifier", "alice")
      try await browser.fill("#password", "Wonderland-1")
      try await browser.leave(by: "button[value=sign_in]")
      _ = try await browser.text("#displayName")
      try await expectFit(browser, "profile")
      try await browser.leave(by: "button[value=continue]")
      try await browser.open(address("b2c_1_susi", language, "&prompt=select_account"))
      try await expectFit(browser, "choice of an account")
      try await browser.open(address("b2c_1_susi", language, "&prompt=consent"))
      try await expectFit(browser, "consent")
      try await browser.open(address("b2c_1_susi", language).replacing("client_id=", with: "client_id=x"))
      try await expectFit(browser, "failure")
      try await browser.open(address("b2c_1_nothing", language))
      try await expectFit(browser, "nothing here")
      try await browser.open("\(url)/contoso.onmicrosoft.com/b2c_1_susi/device?ui_locales=\(language)")
      try await browser.fill("#user_code", "BBBB-BBBB")
      try await browser.leave(by: "button[value=next]")
      _ = try await browser.text("[role=alert]")
      try await expectFit(browser, "a device's code")
      try await browser.open("\(url)/contoso.onmicrosoft.com/b2c_1_susi/oauth2/v2.0/logout?ui_locales=\(language)")
      try await expectFit(browser, "signed out")
    }
  }

  @Test("the status page fits, and what it says to copy works")
  func status() async throws {
    try await WebBrowser.with { browser in
      try await browser.open(address("b2c_1_signin", "en"))
      try await browser.open("\(url)/")
      try await expectFit(browser, "status")
      // The browser asked for no icon.
      let requests = try await browser.text("tbody").replacing(#/\d\d:\d\d:\d\d/#, with: "TIME")
      #expect(requests == "TIME GET /contoso.onmicrosoft.com/b2c_1_signin/oauth2/v2.0/authorize 200")
      let options = try await browser.text("pre").replacing("\\\n", with: "").split(separator: " ").map(String.init)
      let program = try Program()
      let script = """
        local account = b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
        print(account.name, #b2c.tasks.list())
        """
      let result = try program.run(list: options + ["-e", script])
      #expect(result.output == "Alice Liddell\t0\n", "\(result)")
    }
  }
}
