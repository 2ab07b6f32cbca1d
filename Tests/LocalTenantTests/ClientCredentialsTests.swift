import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Testing

@HostActor @Suite struct ClientCredentialsTests {
  let tenant: LocalTenant
  let browser: Browser

  init() throws {
    tenant = try LocalTenant()
    browser = Browser(tenant)
  }

  @Test func anApplicationGetsATokenForItself() async throws {
    let answer = try await browser.signInAsApplication()
    #expect(answer.status == 200)
    #expect(
      Set((answer.body.object ?? [:]).keys)
        == ["access_token", "token_type", "not_before", "expires_in", "expires_on", "resource"])
    let claims = try JWT(decoding: answer.body["access_token"]?.string ?? "").claims
    #expect(claims["roles"] == ["Tasks.ReadWrite.All"])
    #expect(claims["sub"]?.string == LocalTenant.webApplication.id)
    #expect(claims["azp"] == claims["sub"])
    #expect(claims["tfp"] == "b2c_1_susi")
    for name in ["oid", "scp", "emails", "auth_time"] { #expect(claims[name] == nil, "\(name)") }
  }

  @Test(arguments: ["b2c_1_susi", "b2c_1_ropc"])
  func theTaskAPIKeepsTheApplicationsOwnTasks(policy: String) async throws {
    let token = try await browser.at(policy: policy).signInAsApplication().body["access_token"]?.string ?? ""
    #expect(try await browser.tasks(token, add: "Of the application").status == 201)
    let list = try JSON(parsing: try await browser.tasks(token).body)
    #expect(list.array?.map { $0["Text"] } == ["Of the application"])
    #expect(list.array?.first?["Owner"]?.string == LocalTenant.webApplication.id)
    #expect(try tenant.tasks(of: LocalTenant.webApplication.id).map(\.text) == ["Of the application"])
    #expect(try tenant.tasks(of: "alice").isEmpty)
  }

  @Test func aUserStillNeedsTheScope() async throws {
    let token = try await browser.tokens("alice", "Wonderland-1", ["scope": Browser.read])["access_token"]?.string ?? ""
    #expect(try await browser.tasks(token).status == 200)
    let refusal = try await browser.tasks(token, add: "x")
    #expect(refusal.status == 403)
    #expect(refusal.text.contains("the access token lacks the scope https://contoso.onmicrosoft.com/tasks/write"))
  }

  @Test(
    arguments: [
      (["scope": nil], "AADB2C90010: The request does not contain a scope parameter."),
      (
        ["scope": Browser.read],
        "AADB2C90117: The scope 'https://contoso.onmicrosoft.com/tasks/read' provided in the request is not supported."
      ),
      (
        ["scope": "openid"],
        "AADB2C90055: The scope 'openid' provided in request must specify a resource, such as "
          + "'https://contoso.onmicrosoft.com/tasks/read'."
      ),
      (
        ["scope": "\(Browser.allRoles) https://graph.microsoft.com/.default"],
        "AADB2C90146: The scope '\(Browser.allRoles) https://graph.microsoft.com/.default' provided in request specifies "
          + "more than one resource for an access token, which is not supported."
      ),
      (
        ["client_id": "9c5a6f0e-4d1b-4f7a-a3c2-51e8d7b6f093", "client_secret": nil],
        "AADB2C90058: The provided application is not configured to allow public clients."
      ),
      (["client_secret": nil], "AADB2C90079: Clients must send a client_secret when redeeming a confidential grant."),
    ] as [([String: String?], String)])
  func aWrongRequestIsRefused(changes: [String: String?], complaint: String) async throws {
    let answer = try await Browser.ofSharedTenant().signInAsApplication(changes)
    #expect(answer.status == 400)
    #expect(answer.body.complaint == complaint)
  }
}
