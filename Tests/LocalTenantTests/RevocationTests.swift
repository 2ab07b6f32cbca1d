import HTTPClient
import HostLoop
import JSON
import LocalTenant
import Testing

@HostActor @Suite struct RevocationTests {
  let browser: Browser

  init() throws {
    browser = Browser(try LocalTenant())
  }

  private func revoke(_ token: String?, _ changes: [String: String?] = [:]) async throws -> (status: Int, body: JSON) {
    try await browser.ask("revoke", ["client_id": browser.clientID], ["token": token].merging(changes) { $1 })
  }

  @Test func allThatCameOfASignInGoes() async throws {
    let first = try await browser.tokens("alice", "Wonderland-1", ["scope": "offline_access \(Browser.read)"])
    let second = try await browser.refresh(first["refresh_token"]?.string ?? "").body
    #expect(try await revoke(first["refresh_token"]?.string, ["token_type_hint": "refresh_token"]).status == 200)
    let answer = try await browser.refresh(second["refresh_token"]?.string ?? "")
    #expect(answer.body["error"] == "invalid_grant")
    #expect(
      answer.body.complaint
        == "AADB2C90129: The provided grant has been revoked. Please re-authenticate and try again.")
    for token in [first, second] {
      let refusal = try await browser.tasks(token["access_token"]?.string ?? "")
      #expect(refusal.status == 401)
      #expect(refusal.text.contains("the access token has been revoked"))
    }
    // Another sign-in of the same user stays valid.
    let other = try await browser.tokens("alice", "Wonderland-1", ["scope": "offline_access \(Browser.read)"])
    #expect(try await browser.tasks(other["access_token"]?.string ?? "").status == 200)
  }

  @Test func anUnknownTokenIsRevokedAlready() async throws {
    #expect(try await revoke("nonsense").status == 200)
    #expect(browser.response.headers["Cache-Control"] == "no-store")
  }

  @Test func theRequestMustBeTheClients() async throws {
    let tokens = try await browser.tokens()
    let token = tokens["refresh_token"]?.string ?? ""
    let application = LocalTenant.webApplication
    let foreign = try await revoke(token, ["client_id": application.id, "client_secret": application.secret])
    #expect(foreign.body["error"] == "invalid_grant")
    #expect(
      foreign.body.complaint
        == "AADB2C90279: The provided client id '\(application.id)' does not match the client id that issued the grant."
    )
    #expect(try await revoke(token, ["client_id": application.id]).body["error"] == "invalid_client")
    #expect(
      try await revoke(nil).body.complaint == "AADB2C90083: The request is missing required parameter: token.")
    let access = try await revoke(tokens["access_token"]?.string)
    #expect(access.body["error"] == "unsupported_token_type")
    #expect(
      access.body.complaint == "Access and ID tokens cannot be revoked. Revoke the refresh token instead.")
    #expect(try await browser.get("\(browser.base)/oauth2/v2.0/revoke").status == 405)
    #expect(try await browser.refresh(token).status == 200)
    #expect(try await browser.metadata()["revocation_endpoint"]?.string == "\(browser.base)/oauth2/v2.0/revoke")
  }

  @Test func theReplayOfACodeWithdrawsTheAccessToken() async throws {
    try await browser.signIn("alice", "Wonderland-1", ["scope": Browser.read, "response_type": "code token"])
    let code = browser.redirected["code"] ?? ""
    let front = browser.redirected["access_token"] ?? ""
    let token = try await browser.redeem(code: code).body["access_token"]?.string ?? ""
    for token in [front, token] { #expect(try await browser.tasks(token).status == 200) }
    #expect(try await browser.redeem(code: code).body.complaint.hasPrefix("AADB2C90129: "))
    for token in [front, token] { #expect(try await browser.tasks(token).status == 401) }
  }
}
