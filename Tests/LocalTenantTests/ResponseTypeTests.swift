import Crypto
import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Markup
import Testing

@HostActor @Suite struct ResponseTypeTests {
  @Test(arguments: [
    "code", "code id_token", "code token", "code id_token token", "id_token", "id_token token", "token",
    "token id_token code", "token code", "id_token code",
  ])
  func eachPartIsInTheAnswer(type: String) async throws {
    let browser = try Browser.ofSharedTenant()
    let words = Set(type.split(separator: " ").map(String.init))
    try await browser.signIn("alice", "Wonderland-1", ["response_type": type])
    let answer = browser.redirected
    #expect(browser.response.headers["Location"]?.contains("#") == (type != "code"))
    var expected: Set = ["state", "iss"]
    if words.contains("code") { expected.insert("code") }
    if words.contains("id_token") { expected.insert("id_token") }
    if words.contains("token") { expected.formUnion(["access_token", "token_type", "expires_in", "scope"]) }
    #expect(Set(answer.keys) == expected)
    if words.contains("token") {
      #expect(answer["token_type"] == "Bearer")
      #expect(answer["expires_in"] == "3600")
      #expect(answer["scope"] == "openid offline_access \(browser.clientID)")
      #expect(try await browser.tasks(answer["access_token"] ?? "").status == 200)
    }
    if let token = answer["id_token"] {
      let claims = try JWT(decoding: token).claims
      #expect(claims["nonce"] == "n-1")
      #expect(claims["at_hash"]?.string == answer["access_token"].map(halfHash))
      #expect(claims["c_hash"]?.string == answer["code"].map(halfHash))
    }
    if let code = answer["code"] { #expect(try await browser.redeem(code: code).status == 200) }
  }

  private func halfHash(_ text: String) -> String { Base64URL.encode(SHA256.hash(text.utf8).prefix(16)) }

  @Test(arguments: [
    ("code", "query", "?"), ("code", "fragment", "#"), ("token", "fragment", "#"), ("code id_token", nil, "#"),
    ("code", nil, "?"),
  ])
  func theModeDecidesWhereTheAnswerIs(type: String, mode: String?, mark: String) async throws {
    let browser = try Browser.ofSharedTenant()
    try await browser.signIn("alice", "Wonderland-1", ["response_type": type, "response_mode": mode])
    #expect(browser.response.headers["Location"]?.hasPrefix(Browser.redirectURI + mark) == true)
    #expect(browser.redirected["error"] == nil)
  }

  @Test(arguments: ["token", "id_token", "code token", "code id_token"])
  func tokensDoNotComeInTheQuery(type: String) async throws {
    let browser = try Browser.ofSharedTenant()
    try await browser.authorize(["response_type": type, "response_mode": "query"])
    #expect(browser.response.headers["Location"]?.hasPrefix(Browser.redirectURI + "#error=invalid_request") == true)
    #expect(
      browser.redirected["error_description"]?.hasPrefix(
        "AADB2C90014: The requested response mode 'query' provided in the request is not supported.\r\n") == true)
  }

  @Test(
    arguments: [
      (
        ["response_type": "token", "scope": "openid"],
        "AADB2C90055: The scope 'openid' provided in request must specify a resource, such as "
          + "'https://contoso.onmicrosoft.com/tasks/read'."
      ),
      (
        ["response_type": "id_token", "scope": Browser.read],
        "AADB2C90110: The scope parameter must include 'openid' when requesting a response_type that includes 'id_token'."
      ),
      (
        ["scope": "offline_access"],
        "AADB2C90115: When requesting the 'code' response_type, the scope parameter must include a resource or client ID "
          + "for access tokens, and 'openid' for ID tokens. Additionally include 'offline_access' for refresh tokens."
      ),
      (
        ["response_type": "code code"],
        "AADB2C90013: The requested response type 'code code' provided in the request is not supported."
      ),
      (
        ["response_type": "token none"],
        "AADB2C90013: The requested response type 'token none' provided in the request is not supported."
      ),
      (
        ["response_type": "token id_token", "nonce": nil],
        "AADB2C90083: The request is missing required parameter: nonce."
      ),
    ] as [([String: String?], String)])
  func whatCannotBeAnsweredIsNamed(changes: [String: String?], complaint: String) async throws {
    let browser = try Browser.ofSharedTenant()
    try await browser.authorize(changes)
    #expect(browser.redirected["error_description"]?.hasPrefix("\(complaint)\r\n") == true)
  }

  /// Every answer has `iss` (RFC 9207).
  @Test func everyAnswerNamesItsIssuer() async throws {
    for form in TenantConfiguration.IssuerForm.allCases {
      let browser = Browser(try LocalTenant(TenantConfiguration(issuerForm: form)))
      let document = try await browser.metadata()
      #expect(document["authorization_response_iss_parameter_supported"] == true)
      let issuer = try #require(document["issuer"]?.string)
      try await browser.authorize(["scope": "what"])
      #expect(browser.redirected["error"] == "invalid_scope")
      #expect(browser.redirected["iss"] == issuer)
      try await browser.signIn()
      #expect(browser.redirected["iss"] == issuer)
      try await browser.authorize(["response_mode": "form_post"])
      #expect(browser.page.forms.first?.fields.first { $0.name == "iss" }?.value == issuer)
    }
  }
}
