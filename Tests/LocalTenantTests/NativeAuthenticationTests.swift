import Core
import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Markup
import Testing

/// Native authentication of a tenant of the kind External ID, request by request.
@HostActor @Suite struct NativeAuthenticationTests {
  let tenant: LocalTenant
  let browser: Browser

  init() throws {
    tenant = try LocalTenant()
    try tenant.setKind(.externalID)
    browser = Browser(tenant, base: "\(tenant.url)/\(Browser.domain)")
  }

  private func ask(_ path: String, _ fields: [String: String?]) async throws -> (status: Int, body: JSON) {
    var all: [String: String] = ["client_id": browser.clientID]
    for (name, value) in fields { all[name] = value }
    let response = try await browser.post("\(browser.base)/\(path)", all.map { ($0.key, $0.value) })
    return (response.status, try JSON(parsing: response.body))
  }

  private func start() async throws -> String {
    let answer = try await ask(
      "oauth2/v2.0/initiate", ["username": "alice", "challenge_type": "oob password redirect"])
    return answer.body["continuation_token"]?.string ?? ""
  }

  @Test func metadataHasNoPolicy() async throws {
    let document = try await browser.metadata()
    #expect(document["issuer"]?.string == "\(browser.base)/v2.0")
    #expect(document["token_endpoint"]?.string == "\(browser.base)/oauth2/v2.0/token")
    #expect(document["grant_types_supported"]?.array?.contains("continuation_token") == true)
    #expect(document["claims_supported"]?.array?.contains("tfp") == false)
    let guid = try LocalTenant(TenantConfiguration(kind: .externalID, issuerForm: .guid))
    let other = Browser(guid, base: "\(guid.url)/\(Browser.domain)")
    #expect(
      try await other.metadata()["issuer"]?.string == "\(guid.url)/0a7c1d52-6a54-4c1e-9d0b-3f2f5d1c8e40/v2.0")
  }

  @Test func policiesAreUnknown() async throws {
    let response = try await browser.get("\(browser.base)/b2c_1_susi/v2.0/.well-known/openid-configuration")
    #expect(response.status == 404)
    #expect(
      try JSON(parsing: response.body)["message"]?.string
        == "there is no policy b2c_1_susi: Entra External ID has no policies")
  }

  @Test func b2cHasNoNativeAuthentication() async throws {
    try tenant.setKind(.b2c)
    let answer = try await ask("oauth2/v2.0/initiate", ["username": "alice", "challenge_type": "password redirect"])
    #expect(answer.status == 404)
  }

  /// The members that Microsoft documents.
  @Test func errorsHaveEntrasForm() async throws {
    let answer = try await ask("oauth2/v2.0/initiate", ["username": "nobody", "challenge_type": "password redirect"])
    #expect(answer.status == 400)
    #expect(browser.response.headers["Cache-Control"] == "no-store")
    #expect(answer.body["error"] == "user_not_found")
    #expect(answer.body["error_codes"] == [50034])
    for name in ["timestamp", "trace_id", "correlation_id"] { #expect(answer.body[name]?.string != nil) }
    #expect(answer.body.complaint.hasPrefix("AADSTS50034: The user account does not exist"))
    #expect(answer.body["error_description"]?.string?.contains("\r\nTrace ID: ") == true)
  }

  @Test(
    arguments: [
      (["client_id": nil], "invalid_request", "AADSTS900144: "),
      (["client_id": "unknown"], "unauthorized_client", "AADSTS700016: "),
      (["client_id": LocalTenant.webApplication.id], "invalid_client", "The application is not enabled"),
      (["challenge_type": nil], "invalid_request", "AADSTS900144: "),
      (["challenge_type": "password"], "unsupported_challenge_type", "AADSTS901007: "),
      (["challenge_type": "smoke redirect"], "invalid_request", "The challenge type 'smoke' is not supported."),
      (["username": nil], "invalid_request", "AADSTS900144: "),
    ] as [([String: String?], String, String)])
  func badRequests(_ changes: [String: String?], error: String, text: String) async throws {
    let fields: [String: String?] = ["username": "alice", "challenge_type": "password redirect"]
    let answer = try await ask("oauth2/v2.0/initiate", fields.merging(changes) { $1 })
    #expect(answer.status == 400)
    #expect(answer.body["error"]?.string == error)
    #expect(answer.body.complaint.hasPrefix(text), "\(answer.body)")
  }

  @Test func onlyFormsArePosted() async throws {
    #expect(try await browser.get("\(browser.base)/oauth2/v2.0/initiate").status == 405)
    let request = HTTPRequest(
      method: "POST", url: "\(browser.base)/oauth2/v2.0/initiate", headers: ["Content-Type": "application/json"],
      body: Array("{}".utf8))
    #expect(try await browser.http.send(request).status == 400)
  }

  @Test func aContinuationTokenIsOneClientsAndOneRequests() async throws {
    let first = try await start()
    let second = try await ask("oauth2/v2.0/challenge", ["continuation_token": first])
    #expect(second.body["challenge_type"] == "password")
    let token = second.body["continuation_token"]?.string ?? ""
    #expect(token != first)
    // Neither the token nor the place of the other one is right.
    for (path, continuation) in [
      ("oauth2/v2.0/challenge", first), ("signup/v1.0/challenge", token), ("oauth2/v2.0/challenge", "made up"),
    ] {
      let answer = try await ask(path, ["continuation_token": continuation])
      #expect(answer.body["error"] == "invalid_grant")
      #expect(answer.body.complaint == "AADSTS55200: The continuation_token is invalid.")
    }
    #expect(
      try await ask("resetpassword/v1.0/submit", ["continuation_token": token]).body["error"] == "invalid_request")
    let fields = [
      "grant_type": "password", "password": "Wonderland-1", "continuation_token": token,
      "scope": "openid offline_access \(Browser.read)",
    ]
    // An error leaves the token valid; a success does not.
    #expect(
      try await ask("oauth2/v2.0/token", fields.merging(["password": "no"]) { $1 }).body["error_codes"] == [50126])
    #expect(
      try await ask("oauth2/v2.0/token", fields.merging(["scope": "what"]) { $1 }).body["error"] == "invalid_scope")
    let tokens = try await ask("oauth2/v2.0/token", fields)
    #expect(tokens.status == 200)
    let claims = try JWT(decoding: tokens.body["id_token"]?.string ?? "").claims
    #expect(claims["preferred_username"] == "alice@contoso.example")
    #expect(claims["emails"] == nil)
    #expect(try await browser.tasks(tokens.body["access_token"]?.string ?? "").status == 200)
    #expect(try await browser.refresh(tokens.body["refresh_token"]?.string ?? "", scope: "openid").status == 200)
    #expect(try await ask("oauth2/v2.0/token", fields).body["error_codes"] == [55200])
  }

  @Test func aContinuationTokenExpires() async throws {
    let token = try await start()
    try tenant.advance(seconds: 600)
    let answer = try await ask("oauth2/v2.0/challenge", ["continuation_token": token])
    #expect(answer.body["error"] == "expired_token")
    #expect(answer.body["error_codes"] == [552003])
  }

  @Test func aNewCodeReplacesTheOld() async throws {
    try tenant.setNativeMethod(.code)
    let sent = try await ask("oauth2/v2.0/challenge", ["continuation_token": try await start()])
    #expect(sent.body["challenge_channel"] == "email")
    #expect(sent.body["challenge_target_label"] == "a***e@contoso.example")
    #expect(sent.body["code_length"] == 8)
    #expect(sent.body["binding_method"] == "prompt")
    let again = try await ask(
      "oauth2/v2.0/challenge", ["continuation_token": sent.body["continuation_token"]?.string])
    let codes = try tenant.outbox().map(\.code)
    #expect(codes.count == 2)
    let fields: [String: String?] = [
      "grant_type": "oob", "continuation_token": again.body["continuation_token"]?.string, "scope": "openid",
    ]
    let old = try await ask("oauth2/v2.0/token", fields.merging(["oob": "\(codes[0])0"]) { $1 })
    #expect(old.body["suberror"] == "invalid_oob_value")
    try tenant.advance(seconds: 300)
    let late = try await ask("oauth2/v2.0/token", fields.merging(["oob": codes[1]]) { $1 })
    #expect(late.body["suberror"] == "invalid_oob_value")
  }

  @Test func attributesArePatterns() throws {
    let error = #expect(throws: TenantError.self) { try tenant.setSignUpAttributes(["city": "["]) }
    #expect(error?.message == "the pattern of city is not a regular expression: [")
  }

  @Test func itsSettingsNameTheKind() throws {
    #expect(tenant.settings["kind"] == "external_id")
    #expect(tenant.settings["policies"] == nil)
    #expect(tenant.settings["authority"]?.string == browser.base)
    #expect(tenant.settingsFile.contains("<key>kind</key>\n  <string>external_id</string>"))
    #expect(tenant.banner().contains("  kind          external_id: no policies, and native authentication"))
  }

  @Test func theStatusPageShowsTheUserFlow() async throws {
    try await browser.get(tenant.url + "/")
    #expect(browser.page.text.contains("\nUser flow\n"))
    #expect(!browser.page.text.contains("b2c_1_"))
  }
}
