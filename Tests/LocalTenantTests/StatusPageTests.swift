import HTTPClient
import HostLoop
import JSON
import LocalTenant
import Markup
import Testing

/// The page at the tenant's root.
@HostActor @Suite struct StatusPageTests {
  let tenant: LocalTenant
  let browser: Browser

  init() throws {
    tenant = try LocalTenant.atRest()
    browser = Browser(tenant)
  }

  @Test func itShowsWhatThereIs() async throws {
    try tenant.addUser(
      username: "carol", password: "Christmas-3", displayName: "<b>Carol</b>\u{202E}", phone: "+15550100")
    try await browser.get(tenant.url + "/")
    #expect(browser.response.status == 200)
    #expect(browser.page.title == "Local tenant – Contoso")
    let text = browser.page.text
    for policy in ["susi", "signin", "signup", "reset", "edit", "ropc", "mfa"] {
      #expect(text.contains("\nb2c_1_\(policy)\n"))
      let address = "\(tenant.url)/\(Browser.domain)/b2c_1_\(policy)/v2.0/.well-known/openid-configuration"
      #expect(browser.page.links.contains { $0.target == address })
    }
    for expected in [
      "\nalice\nAlice Liddell\nalice@contoso.example\nsecond factor: mail\n",
      "\ncarol\n<b>Carol</b>\\u{202E}\ncarol@contoso.example\nsecond factor: SMS\n",
      "\nLocal web app\n\(LocalTenant.webApplication.id)\nwith a secret\n",
      "\nmsal\(LocalTenant.nativeApplication.id)://auth…\n", "\nurn:ietf:wg:oauth:2.0:oob\n",
      "\n\(tenant.url)/api/tasks\n0 tasks\n", "\nRequests\nNone yet.\n",
    ] {
      #expect(text.contains(expected), "\(expected) is missing in \(text)")
    }
    #expect(text.contains("--set taskAPI=\(tenant.url) \\"))
    #expect(tenant.settingsFile.split(separator: "\n").allSatisfy { text.contains($0.drop { $0 == " " }) })
    try await browser.get(tenant.url.replacing("127.0.0.1", with: "localhost"))
    #expect(browser.page.text.contains(tenant.url.replacing("127.0.0.1", with: "localhost") + "/api/tasks"))
  }

  @Test func itListsTheLastRequestsNewestFirst() async throws {
    try await browser.signIn()
    try await browser.get(tenant.url + "/no%09where%E2%80%AE%3Ci%3E?secret=of-the-query")
    try await browser.get(tenant.url + "/")
    let path = "/\(Browser.domain)/b2c_1_susi"
    #expect(
      browser.page.text.contains(
        """
        Requests
        The newest first, at most 50, without queries, and without those for this page. Times are UTC.
        TimeMethodPathStatus
        14:13:30GET/no where\\u{202E}<i>404
        14:13:30POST\(path)/login302
        14:13:30GET\(path)/oauth2/v2.0/authorize200
        """), "\(browser.page.text)")
    try await browser.get(tenant.url + "/")
    #expect(!browser.page.text.contains("GET/200"))
    for _ in 0..<60 { try await browser.get("\(tenant.url)/later") }
    try await browser.get(tenant.url + "/")
    #expect(browser.page.text.matches(of: #/GET/later404/#).count == 50)
    #expect(!browser.page.text.contains("/login302"))
  }

  @Test func itShowsToWhomCodesWereSent() async throws {
    try tenant.addUser(username: "carol", password: "Christmas-3", phone: "+15550100")
    let head = """
      Messages
      Codes by mail and SMS, which are not really sent: standard error tells them, where this tenant was started.
      """
    try await browser.get(tenant.url + "/")
    #expect(browser.page.text.contains("\(head)\nNone yet."), "\(browser.page.text)")
    try await Browser(tenant, policy: "b2c_1_mfa").signIn("carol", "Christmas-3")
    let reset = Browser(tenant, policy: "b2c_1_reset")
    try await reset.authorize()
    try await reset.submit(["logonIdentifier": "bob"], button: "send")
    try await browser.get(tenant.url + "/")
    #expect(
      browser.page.text.contains(
        """
        \(head)
        TimeByToUser
        14:13:30mailbob@contoso.examplebob
        14:13:30SMS+15550100carol
        Requests
        """), "\(browser.page.text)")
    for message in try tenant.outbox() { #expect(!browser.response.text.contains(message.code)) }
    for _ in 0..<25 { try await reset.submit([:], button: "resend") }
    try await browser.get(tenant.url + "/")
    #expect(browser.page.text.matches(of: #/mailbob@/#).count == 20)
  }

  @Test func itTellsNoSecret() async throws {
    try tenant.addUser(username: "carol", password: "Christmas-3", otp: "JBSWY3DPEHPK3PXP")
    try await browser.signIn("bob", "Skyscraper-2")
    let code = browser.redirected["code"]
    let body = try await browser.redeem(code: code ?? "").body
    try await browser.authorize(["prompt": "login"])
    let transaction = browser.page.forms.first?.fields.first { $0.name == "tx" }?.value
    let other = Browser(tenant, policy: "b2c_1_mfa")
    try await other.signIn()
    _ = try await browser.beginDevice()
    try await browser.get(tenant.url + "/")
    let text = browser.response.text
    let secrets: [String?] = [
      "Wonderland-1", "Skyscraper-2", "Christmas-3", "JBSWY3DPEHPK3PXP", LocalTenant.webApplication.secret, transaction,
      code, body["access_token"]?.string, body["refresh_token"]?.string, body["id_token"]?.string,
      try tenant.outbox().last?.code, try tenant.otpCode(of: "carol"),
    ]
    for secret in secrets {
      let secret = try #require(secret)
      #expect(!text.contains(secret))
    }
    #expect(browser.response.headers.all("Set-Cookie").isEmpty)
  }

  @Test func otherSitesCannotReadOrFrameIt() async throws {
    for host in ["evil.example", "contoso.onmicrosoft.com:80"] {
      let request = HTTPRequest(url: tenant.url + "/", headers: ["Host": host])
      let response = try await browser.http.send(request)
      #expect(response.status == 421)
      #expect(!response.text.contains("alice"))
    }
    try await browser.get(tenant.url + "/")
    let headers = browser.response.headers
    let policy = headers["Content-Security-Policy"] ?? ""
    #expect(
      policy.replacing(#/sha256-[A-Za-z0-9+\/]{43}=/#, with: "HASH")
        == "default-src 'none'; style-src 'HASH'; img-src data:; base-uri 'none'; frame-ancestors 'none'; "
        + "form-action 'self'")
    for (name, value) in [
      ("X-Frame-Options", "DENY"), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"),
      ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Access-Control-Allow-Origin", nil),
    ] {
      #expect(headers[name] == value)
    }
    let response = try await browser.http.send(HTTPRequest(method: "POST", url: tenant.url + "/"))
    #expect(response.status == 405)
    #expect(response.headers["Allow"] == "GET, HEAD")
  }

  @Test func manyUsersAreNotAllListed() async throws {
    for number in 0..<110 { try tenant.addUser(username: "user-\(number + 100)", password: "x") }
    try await browser.get(tenant.url + "/")
    #expect(browser.page.text.contains("\nAnd 12 more.\n"))
    #expect(!browser.page.text.contains("user-209"))
  }

  @Test func aPolicyCanBeRun() async throws {
    try await browser.get(tenant.url + "/")
    let links = browser.page.links.filter { $0.text == "run it" }
    #expect(links.count == 6)
    for link in links {
      try await browser.get(link.target)
      #expect(browser.response.status == 200)
      #expect(browser.page.forms.first?.buttons.last?.label == "Cancel")
    }
    // At the end of a trial no app waits.
    let link = try #require(links.first)
    for (target, title, text) in [
      (link.target, "You are signed in", "The policy works. An app would get this answer:"),
      (link.target.replacing(#/&state=[^&]*/#, with: ""), "Almost done", "Copy this into the app that sent you here:"),
    ] {
      try await browser.get(target)
      let form = try #require(browser.page.forms.first)
      let fields = form.fields.map { field in
        (field.name, ["logonIdentifier": "alice", "password": "Wonderland-1"][field.name] ?? field.value)
      }
      try await browser.post(
        tenant.url + (form.action ?? ""), fields + [("action", "sign_in")], headers: ["Sec-Fetch-Dest": "document"])
      #expect(browser.page.title == "\(title) – Contoso")
      #expect(browser.page.text.contains(text))
      #expect(browser.page.text.contains("urn:ietf:wg:oauth:2.0:oob?code="))
    }
  }
}
