import Core
import HTTPClient
import HostLoop
import JSON
import LocalTenant
import Markup
import Testing

/// No parameter may be repeated, and a parameter without a value counts as absent (RFC 6749 §3.1).
@HostActor @Suite struct RequestParameterTests {
  @Test func aRepeatedParameterIsRefusedAtTheRedirectURI() async throws {
    let browser = try Browser.ofSharedTenant()
    for name in ["scope", "nonce", "anything"] {
      let fields = browser.authorizationFields([name: "a"]) + [(name, "b")]
      try await browser.get("\(browser.base)/oauth2/v2.0/authorize?" + URLEncodedForm.encode(fields))
      #expect(browser.redirected["error"] == "invalid_request")
      #expect(
        browser.redirected["error_description"]?.hasPrefix(
          "The request has the parameter '\(name)' more than once.\r\n")
          == true)
      #expect(browser.redirected["state"] == "a state & more")
    }
    let query = "?" + URLEncodedForm.encode([("scope", "openid")])
    try await browser.post("\(browser.base)/oauth2/v2.0/authorize\(query)", browser.authorizationFields())
    #expect(browser.redirected["error"] == "invalid_request")
  }

  @Test(arguments: ["client_id", "redirect_uri"])
  func itIsShownWhereTheAddressIsInDoubt(name: String) async throws {
    let browser = try Browser.ofSharedTenant()
    let fields = browser.authorizationFields() + browser.authorizationFields().filter { $0.0 == name }
    try await browser.get("\(browser.base)/oauth2/v2.0/authorize?" + URLEncodedForm.encode(fields))
    #expect(browser.response.status == 400)
    #expect(browser.page.alerts.joined().hasPrefix("The request has the parameter '\(name)' more than once."))
  }

  @Test func theTokenEndpointRefusesItToo() async throws {
    let browser = try Browser.ofSharedTenant()
    try await browser.signIn()
    let fields = [
      ("grant_type", "authorization_code"), ("code", browser.redirected["code"] ?? ""), ("client_id", browser.clientID),
      ("redirect_uri", Browser.redirectURI), ("code_verifier", Browser.verifier),
    ]
    let answer = try await browser.token(fields + [("code", "another")])
    #expect(answer.status == 400)
    #expect(answer.body["error"] == "invalid_request")
    #expect(answer.body.complaint == "The request has the parameter 'code' more than once.")
    #expect(try await browser.token(fields).status == 200)
  }

  @Test func whatHasNoValueIsAbsent() async throws {
    let browser = try Browser.ofSharedTenant()
    try await browser.signIn(
      "alice", "Wonderland-1",
      ["code_challenge": "", "code_challenge_method": "", "prompt": "", "max_age": "", "response_mode": ""])
    #expect(try await browser.redeem(code: browser.redirected["code"] ?? "", ["code_verifier": ""]).status == 200)
    try await browser.authorize(["redirect_uri": ""])
    #expect(
      browser.page.alerts.joined().hasPrefix("AADB2C90083: The request is missing required parameter: redirect_uri."))
  }
}
