import Core
import HTTPClient
import HostLoop
import JSON
import LocalTenant
import Markup
import Testing

/// Pushed authorization requests (RFC 9126).
@HostActor @Suite struct PushedRequestTests {
  private func push(_ browser: Browser, _ changes: [String: String?] = [:]) async throws -> (status: Int, body: JSON) {
    let response = try await browser.post("\(browser.base)/oauth2/v2.0/par", browser.authorizationFields(changes))
    return (response.status, try JSON(parsing: response.body))
  }

  /// Opens a pushed request and returns the alerts of the page.
  private func open(_ browser: Browser, _ uri: String, _ client: String? = nil) async throws -> String {
    let fields = [("client_id", client ?? browser.clientID), ("request_uri", uri)]
    try await browser.get("\(browser.base)/oauth2/v2.0/authorize?" + URLEncodedForm.encode(fields))
    return browser.page.alerts.joined()
  }

  @Test func theNameIsGoodUntilTheUserHasSignedIn() async throws {
    let browser = try Browser.ofSharedTenant()
    let answer = try await push(browser)
    #expect(answer.status == 201)
    #expect(answer.body["expires_in"] == 60)
    let uri = try #require(answer.body["request_uri"]?.string)
    #expect(try await open(browser, uri) == "")
    #expect(try await open(browser, uri) == "")
    try await browser.submit(["logonIdentifier": "alice", "password": "Wonderland-1"], button: "sign_in")
    #expect(browser.redirected["state"] == "a state & more")
    #expect(try await browser.claims()["nonce"] == "n-1")
    #expect(
      try await open(browser, uri).hasPrefix("The request_uri is unknown, or was used already. Push the request again.")
    )
  }

  @Test func itBelongsToItsClientAndPolicyAndExpires() async throws {
    let tenant = try LocalTenant()
    let browser = Browser(tenant)
    let uri = try #require(try await push(browser).body["request_uri"]?.string)
    let other = LocalTenant.webApplication.id
    #expect(try await open(browser, uri, other).hasPrefix("The request_uri belongs to another client"))
    let elsewhere = browser.at(policy: "b2c_1_signin")
    #expect(try await open(elsewhere, uri).hasPrefix("The request was pushed to another policy."))
    try tenant.advance(seconds: 61)
    #expect(try await open(browser, uri).hasPrefix("The request_uri has expired."))
  }

  @Test func theRequestIsCheckedWhenItIsPushed() async throws {
    let browser = try Browser.ofSharedTenant()
    let refusals: [([String: String?], String)] = [
      (["request_uri": "urn:x"], "A pushed authorization request cannot have the parameter request_uri."),
      (["redirect_uri": "https://evil.example/"], "AADB2C90006"), (["response_type": "cod"], "AADB2C90013"),
      (["client_id": nil], "AADB2C90008"), (["scope": "nothing"], "AADB2C90117"),
    ]
    for (changes, complaint) in refusals {
      let answer = try await push(browser, changes)
      #expect(answer.status == 400)
      #expect(answer.body.complaint.hasPrefix(complaint), "\(answer.body)")
    }
    #expect(try await browser.get("\(browser.base)/oauth2/v2.0/par").status == 405)
  }

  @Test func aRequirementIsAnnounced() async throws {
    let tenant = try LocalTenant()
    let browser = Browser(tenant)
    #expect(try await browser.metadata()["require_pushed_authorization_requests"] == false)
    try tenant.require([.par])
    #expect(try await browser.metadata()["require_pushed_authorization_requests"] == true)
    try await browser.authorize()
    #expect(browser.redirected["error"] == "invalid_request")
    #expect(try await push(browser).status == 201)
  }
}
