import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Markup
import Testing

/// Backchannel authentication (CIBA Core): the rules of the tenant, and the status page where a developer answers.
@HostActor @Suite struct BackchannelTests {
  let tenant: LocalTenant
  let browser: Browser
  private let web = LocalTenant.webApplication

  init() throws {
    tenant = try LocalTenant()
    browser = Browser(tenant)
  }

  private func begin(_ changes: [String: String?] = [:]) async throws -> (status: Int, body: JSON) {
    let fields = [
      "client_id": web.id, "client_secret": web.secret ?? "", "scope": "openid offline_access \(Browser.read)",
      "login_hint": "alice",
    ]
    return try await browser.ask("bc-authorize", fields, changes)
  }

  private func poll(_ id: String, _ changes: [String: String?] = [:]) async throws -> (status: Int, body: JSON) {
    let fields = [
      "grant_type": "urn:openid:params:grant-type:ciba", "client_id": web.id, "client_secret": web.secret ?? "",
      "auth_req_id": id,
    ]
    return try await browser.ask("token", fields, changes)
  }

  @Test func theUserAgreesOnTheStatusPage() async throws {
    let answer = try await begin(["binding_message": "Order 7", "requested_expiry": "60"])
    #expect(answer.body["expires_in"] == 60)
    #expect(answer.body["interval"] == 1)
    let id = try #require(answer.body["auth_req_id"]?.string)
    #expect(try await poll(id).body["error"] == "authorization_pending")
    try await browser.get("\(tenant.url)/")
    #expect(browser.page.text.contains("Order 7"))
    #expect(browser.page.forms.first?.buttons.map(\.label) == ["Agree", "Refuse"])
    try await browser.submit([:], button: "agree")
    try await browser.follow()
    #expect(browser.page.title == "Local tenant – Contoso")
    #expect(browser.page.forms.isEmpty)
    let tokens = try await poll(id)
    #expect(tokens.status == 200)
    #expect(try JWT(decoding: tokens.body["id_token"]?.string ?? "").claims["name"] == "Alice Liddell")
    #expect(try await browser.tasks(tokens.body["access_token"]?.string ?? "").status == 200)
    let refresh: [String: String] = [
      "grant_type": "refresh_token", "client_id": web.id, "client_secret": web.secret ?? "",
      "refresh_token": tokens.body["refresh_token"]?.string ?? "",
    ]
    #expect(try await browser.ask("token", refresh).status == 200)
    // The request is valid for one sign-in only.
    #expect(try await poll(id).body["error"] == "invalid_grant")
  }

  @Test func aRequestIsOneClientsAtOnePolicy() async throws {
    let id = try await begin().body["auth_req_id"]?.string ?? ""
    let other = try tenant.addApplication(["token_endpoint_auth_method": "client_secret_post"])
    let answer = try await poll(id, ["client_id": other.id, "client_secret": other.secret])
    #expect(answer.body.complaint.hasPrefix("AADB2C90279: "))
    try tenant.advance(seconds: 601)
    #expect(try await poll(id).body["error"] == "expired_token")
  }

  @Test func askingWithoutAPauseIsTooOften() async throws {
    let id = try await begin().body["auth_req_id"]?.string ?? ""
    var errors: [String] = []
    for _ in 0..<50 where errors.last != "slow_down" { errors.append(try await poll(id).body["error"]?.string ?? "") }
    #expect(errors.first == "authorization_pending")
    #expect(errors.last == "slow_down")
  }

  @Test(
    arguments: [
      (["login_hint": nil], "invalid_request"), (["id_token_hint": "x"], "invalid_request"),
      (["login_hint": "nobody"], "unknown_user_id"), (["scope": Browser.read], "invalid_scope"),
      (["requested_expiry": "soon"], "invalid_request"), (["requested_expiry": "-1"], "invalid_request"),
      (["binding_message": "two\nlines"], "invalid_binding_message"),
    ] as [([String: String?], String)])
  func wrongRequestsAreRefused(_ changes: [String: String?], _ error: String) async throws {
    let answer = try await begin(changes)
    #expect(answer.status == 400)
    #expect(answer.body["error"]?.string == error)
  }

  @Test func theMetadataSaysSo() async throws {
    let document = try await browser.metadata()
    #expect(document["backchannel_authentication_endpoint"]?.string == "\(browser.base)/oauth2/v2.0/bc-authorize")
    #expect(document["backchannel_token_delivery_modes_supported"] == ["poll"])
    #expect(document["grant_types_supported"]?.array?.contains("urn:openid:params:grant-type:ciba") == true)
    #expect(try await browser.at(policy: "b2c_1_ropc").metadata()["backchannel_authentication_endpoint"] == nil)
  }
}
