import Crypto
import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Markup
import Testing

@HostActor @Suite struct AuthorizationRequestTests {
  struct Refusal: Sendable, CustomTestStringConvertible {
    let changes: [String: String?]
    let error: String
    let description: String
    var testDescription: String { description }

    init(_ changes: [String: String?], _ error: String, _ description: String) {
      self.changes = changes
      self.error = error
      self.description = description
    }
  }

  @Test(arguments: [
    Refusal(["response_type": "none"], "unsupported_response_type", "AADB2C90013"),
    Refusal(["response_type": nil], "invalid_request", "AADB2C90083"),
    Refusal(["response_mode": "web_message"], "invalid_request", "AADB2C90014"),
    Refusal(["scope": nil], "invalid_request", "AADB2C90010"),
    Refusal(["scope": "openid what"], "invalid_scope", "AADB2C90117"),
    Refusal(["scope": "https://contoso.onmicrosoft.com/tasks/admin"], "access_denied", "AADB2C90205"),
    Refusal(["code_challenge_method": "S512"], "invalid_request", "AADB2C90184"),
    Refusal(["code_challenge": "short"], "invalid_request", "AADB2C90183"),
    Refusal(["request": "x"], "invalid_request_object", "The request object is refused: it is no JWT."),
    Refusal(["request_uri": "https://a.example/"], "request_uri_not_supported", "The parameter 'request_uri'"),
  ])
  func anErrorGoesToTheRedirectURI(refusal: Refusal) async throws {
    let browser = try Browser.ofSharedTenant()
    try await browser.authorize(refusal.changes)
    #expect(browser.response.headers["Location"]?.hasPrefix(Browser.redirectURI + "?error=") == true)
    #expect(browser.redirected["error"] == refusal.error)
    #expect(browser.redirected["error_description"]?.hasPrefix(refusal.description) == true)
    #expect(browser.redirected["state"] == "a state & more")
  }

  @Test func oneResourceInARequest() async throws {
    let browser = try Browser.ofSharedTenant()
    try await browser.authorize(["scope": "\(browser.clientID) https://contoso.onmicrosoft.com/tasks/read"])
    #expect(browser.redirected["error_description"]?.hasPrefix("AADB2C90146") == true)
  }

  @Test(
    arguments: [
      (["client_id": nil], "AADB2C90008"),
      (["client_id": "11111111-2222-3333-4444-555555555555"], "AADB2C90018"),
      (["redirect_uri": nil], "AADB2C90083"),
      (["redirect_uri": "https://evil.example/"], "AADB2C90006"),
      (["redirect_uri": "http://127.0.0.1.evil.example/"], "AADB2C90006"),
      (["redirect_uri": "http://127.0.0.1@evil.example/"], "AADB2C90006"),
      (["redirect_uri": "http://evil.example\\@127.0.0.1/"], "AADB2C90287"),
      (["redirect_uri": "http://127.0.0.1:1/#x"], "AADB2C90287"),
      (["redirect_uri": "/callback"], "AADB2C90287"),
      (["client_id": "e1f0b3a4-2c77-4b0e-8c19-6d8f0a5b7c21"], "AADB2C90007"),
    ] as [([String: String?], String)])
  func anErrorIsShownWhereNoRedirectURICanBeTrusted(changes: [String: String?], code: String) async throws {
    let browser = try Browser.ofSharedTenant()
    try await browser.authorize(changes)
    #expect(browser.response.status == 400)
    #expect(browser.response.headers["Location"] == nil)
    #expect(browser.page.alerts.joined().hasPrefix(code))
  }

  @Test(arguments: [
    "http://127.0.0.1", "http://127.0.0.1:1", "http://localhost:65535/", "http://[::1]:9/a/b?c=d",
    "https://localhost/x",
    "urn:ietf:wg:oauth:2.0:oob", "com.onmicrosoft.contoso.tasks://oauth/redirect",
  ])
  func redirectURIsOfNativeApps(uri: String) async throws {
    let browser = try Browser.ofSharedTenant()
    try await browser.signIn("bob", "Skyscraper-2", ["redirect_uri": uri])
    let separator = uri.contains("?") ? "&" : "?"
    #expect(browser.response.headers["Location"]?.hasPrefix("\(uri)\(separator)code=") == true)
    let code = browser.redirected["code"] ?? ""
    #expect(try await browser.redeem(code: code, ["redirect_uri": "http://127.0.0.1:2/"]).status == 400)
    #expect(try await browser.redeem(code: code, ["redirect_uri": uri]).status == 200)
  }

  @Test func aCodeAndAnIDTokenComeInTheFragment() async throws {
    let browser = try Browser.ofSharedTenant()
    try await browser.signIn("alice", "Wonderland-1", ["response_type": "code id_token"])
    #expect(browser.response.headers["Location"]?.hasPrefix(Browser.redirectURI + "#code=") == true)
    let code = try #require(browser.redirected["code"])
    let claims = try JWT(decoding: browser.redirected["id_token"] ?? "").claims
    #expect(claims["c_hash"]?.string == Base64URL.encode(SHA256.hash(code.utf8).prefix(16)))
    #expect(claims["nonce"] == "n-1")
    try await browser.authorize(["response_type": "id_token", "nonce": nil])
    #expect(browser.response.headers["Location"]?.hasPrefix(Browser.redirectURI + "#error=") == true)
  }

  @Test func aFormCarriesTheAnswer() async throws {
    let browser = try Browser.ofSharedTenant()
    try await browser.signIn("alice", "Wonderland-1", ["response_mode": "form_post"])
    let form = try #require(browser.page.forms.first)
    #expect(form.action == Browser.redirectURI)
    #expect(form.fields.map(\.name) == ["code", "state", "iss"])
    #expect(form.fields[1].value == "a state & more")
    #expect(
      browser.response.headers["Content-Security-Policy"]?.contains("form-action 'self' http://127.0.0.1:49152") == true
    )
  }

  @Test func aPersonCopiesAnOutOfBandCode() async throws {
    let tenant = try LocalTenant()
    let browser = Browser(tenant)
    try await browser.authorize(["redirect_uri": "urn:ietf:wg:oauth:2.0:oob"])
    let form = try #require(browser.page.forms.first)
    let fields = [
      ("tx", form.fields.first { $0.name == "tx" }?.value ?? ""), ("logonIdentifier", "alice"),
      ("password", "Wonderland-1"),
    ]
    try await browser.post(tenant.url + (form.action ?? ""), fields, headers: ["Sec-Fetch-Dest": "document"])
    #expect(browser.response.status == 200)
    #expect(browser.page.text.contains("urn:ietf:wg:oauth:2.0:oob?code="))
  }
}
