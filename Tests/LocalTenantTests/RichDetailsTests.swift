import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Testing

/// Rich authorization requests (RFC 9396).
@HostActor @Suite struct RichDetailsTests {
  private static let reading = #"[{"type":"task_list","actions":["read"]}]"#
  private static let both = #"[{"type":"task_list","actions":["read","write"],"lists":["tasks"]}]"#

  /// Signs in and agrees on the page that shows the details.
  private func tokens(_ browser: Browser, _ details: String, scope: String = "openid offline_access") async throws
    -> JSON
  {
    try await browser.signIn(
      "alice", "Wonderland-1", ["scope": scope, "authorization_details": details, "prompt": "login"])
    #expect(String(decoding: browser.response.body, as: UTF8.self).contains("<li>task_list: read"))
    try await browser.submit([:], button: "allow")
    return try await browser.redeem(code: browser.redirected["code"] ?? "").body
  }

  private func refresh(_ browser: Browser, _ tokens: JSON, _ details: String? = nil) async throws -> JSON {
    var fields = [
      ("grant_type", "refresh_token"), ("client_id", browser.clientID),
      ("refresh_token", tokens["refresh_token"]?.string ?? ""),
    ]
    if let details { fields.append(("authorization_details", details)) }
    return try await browser.token(fields).body
  }

  @Test func theUserAgreesAndTheTaskAPIEnforcesTheActions() async throws {
    let browser = Browser(try LocalTenant())
    let answer = try await tokens(browser, Self.reading)
    let expected: JSON = [
      [
        "type": "task_list", "actions": ["read"], "lists": ["tasks"],
        "locations": [.string("\(browser.tenant.url)/api/tasks")],
      ]
    ]
    #expect(answer["authorization_details"] == expected)
    let token = answer["access_token"]?.string ?? ""
    #expect(try JWT(decoding: token).claims["authorization_details"] == expected)
    #expect(try await browser.tasks(token).status == 200)
    let refusal = try await browser.tasks(token, add: "no")
    #expect(refusal.status == 403)
    #expect(
      try JSON(parsing: refusal.body)["message"]
        == "the authorization_details of the access token lack the action write")
    // The details decide, also beside scopes that permit more.
    let wide = try await tokens(browser, Self.reading, scope: "openid \(Browser.write)")
    #expect(try await browser.tasks(wide["access_token"]?.string ?? "", add: "no").status == 403)
    #expect(try await browser.metadata()["authorization_details_types_supported"] == ["task_list"])
  }

  @Test func aRefreshKeepsThemOrAsksForLess() async throws {
    let browser = Browser(try LocalTenant())
    let answer = try await tokens(browser, Self.both)
    let kept = try await refresh(browser, answer)
    #expect(kept["authorization_details"]?.array?.first?["actions"] == ["read", "write"])
    let less = try await refresh(browser, kept, Self.reading)
    #expect(less["authorization_details"]?.array?.first?["actions"] == ["read"])
    let few = try await tokens(browser, Self.reading)
    let refusal = try await refresh(browser, few, Self.both)
    #expect(refusal["error"] == "invalid_authorization_details")
    #expect(refusal.complaint == "The authorization_details are refused: they exceed what was granted at the sign-in.")
  }

  @Test(
    arguments: [
      ("read", "they are no JSON array of objects"), ("[]", "they are no JSON array of objects"),
      (#"[{"actions":["read"]}]"#, "an element has no type"),
      (#"[{"type":"payment"}]"#, "the type 'payment' is unknown; known is 'task_list'"),
      (#"[{"type":"task_list"}]"#, "the type 'task_list' needs 'actions'"),
      (#"[{"type":"task_list","actions":["read","admin"]}]"#, "'actions' has 'admin', and may have 'read' and 'write'"),
      (#"[{"type":"task_list","actions":"read"}]"#, "'actions' is not a list of strings"),
      (#"[{"type":"task_list","actions":["read"],"until":1}]"#, "the type 'task_list' has no member 'until'"),
    ])
  func wrongDetailsAreRefused(details: String, reason: String) async throws {
    let browser = try Browser.ofSharedTenant()
    try await browser.authorize(["authorization_details": details])
    #expect(browser.redirected["error"] == "invalid_authorization_details")
    #expect(
      browser.redirected["error_description"]?.hasPrefix("The authorization_details are refused: \(reason).") == true)
  }
}
