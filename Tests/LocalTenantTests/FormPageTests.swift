import HTTPClient
import HostLoop
import LocalTenant
import Markup
import Testing

/// Error reports on pages with a form.
@HostActor @Suite struct FormPageTests {
  let browser: Browser

  init() throws {
    browser = try Browser.ofSharedTenant()
  }

  @Test func emptyFieldsAreEachMarkedAndLedTo() async throws {
    try await browser.authorize(["prompt": "login"])
    try await browser.follow("Sign up now")
    try await browser.submit(["email": "a@b.example", "displayName": "A"], button: "create")
    #expect(browser.page.title == "Error: Sign up – Contoso")
    #expect(
      browser.page.alerts == [
        "Please fill in all of the fields.\nUser name\nPassword\nPassword once more"
      ])
    let text = browser.response.text
    for name in ["username", "newPassword", "reenterPassword"] {
      #expect(text.contains("<li><a href=\"#\(name)\">"))
      #expect(
        text.contains("<p class=\"problem\" id=\"\(name)-problem\">Please fill this in.</p>\n<input id=\"\(name)\""))
    }
    #expect(text.contains("autofocus aria-invalid=\"true\" aria-describedby=\"error username-problem\""))
    #expect(text.contains("aria-invalid=\"true\" aria-describedby=\"newPassword-problem newPassword-hint\""))
    #expect(text.matches(of: #/ aria-invalid/#).count == 3)
    #expect(text.matches(of: #/autofocus/#).count == 1)
    // The input is kept, except for passwords.
    #expect(browser.page.forms.first?.fields.first { $0.name == "email" }?.value == "a@b.example")
    #expect(browser.page.forms.first?.fields.first { $0.name == "displayName" }?.value == "A")
  }

  @Test func differentPasswordsAreTypedFromTheFirstOn() async throws {
    try await browser.authorize(["prompt": "login"])
    try await browser.follow("Sign up now")
    try await browser.submit(
      [
        "username": "ann", "email": "ann@b.example", "displayName": "Ann", "newPassword": "Christmas-3",
        "reenterPassword": "Christmas-4",
      ], button: "create")
    let text = browser.response.text
    #expect(text.contains(#/<input id="newPassword"[^>]* autofocus aria-invalid="true" aria-describedby="error /#))
    #expect(text.contains(#/<input id="reenterPassword"[^>]* aria-invalid="true" aria-describedby="error"/#))
    #expect(text.matches(of: #/autofocus/#).count == 1)
    #expect(!text.contains("Christmas"))
  }

  @Test func oneFieldIsDescribedByTheSummary() async throws {
    try await browser.authorize(["prompt": "login"])
    try await browser.submit(["logonIdentifier": "alice", "password": "wrong"], button: "sign_in")
    let text = browser.response.text
    #expect(text.contains("<div class=\"error\" id=\"error\" role=\"alert\" tabindex=\"-1\">"))
    #expect(text.contains("autofocus aria-invalid=\"true\" aria-describedby=\"error\""))
    #expect(text.matches(of: #/ aria-invalid/#).count == 1)
    #expect(!text.contains("wrong\""))
    #expect(!browser.page.links.contains { $0.target.hasPrefix("#") })
  }
}
