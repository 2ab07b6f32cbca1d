import FoundationEssentials
import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Testing

/// How clients prove who they are, and what the tenant refuses (RFC 6749 §2.3, RFC 7662 §2.3, RFC 9449 §7).
@HostActor @Suite struct ClientProofTests {
  private let tenant: LocalTenant
  private let browser: Browser
  private let web = LocalTenant.webApplication

  init() throws {
    tenant = try LocalTenant()
    browser = Browser(tenant)
  }

  private var basic: HTTPHeaders {
    ["Authorization": "Basic " + Data("\(web.id):\(web.secret ?? "")".utf8).base64EncodedString()]
  }

  @Test(arguments: [
    (["client_secret": "local-secret-of-the-web-app"], "more than one method"),
    (["client_assertion": "a.b.c"], "more than one method"),
    (["client_id": "9c5a6f0e-4d1b-4f7a-a3c2-51e8d7b6f093"], "not the ID of the authenticated client"),
  ])
  func twoProofsAreOneTooMany(_ fields: [String: String], _ words: String) async throws {
    for endpoint in ["token", "introspection", "revoke", "devicecode", "par", "bc-authorize"] {
      let url = "\(browser.base)/oauth2/v2.0/\(endpoint)"
      let all = [("grant_type", "client_credentials"), ("token", "x"), ("scope", "openid")] + fields.map { ($0, $1) }
      let response = try await browser.post(url, all, headers: basic)
      let body = try JSON(parsing: response.body)
      #expect(response.status == 400 && body["error"] == "invalid_request", "\(endpoint): \(body)")
      #expect(body["error_description"]?.string?.contains(words) == true, "\(endpoint): \(body)")
    }
  }

  @Test(
    arguments: [
      ["client_id": "nobody"], ["client_secret": "wrong"], ["client_secret": nil],
      ["client_secret": nil, "client_assertion": "a.b.c", "client_assertion_type": "x"],
    ] as [[String: String?]])
  func anIntrospectionNeedsTheRightCredentials(_ changes: [String: String?]) async throws {
    var fields: [String: String?] = ["client_id": web.id, "client_secret": web.secret, "token": "x"]
    fields.merge(changes) { $1 }
    let response = try await browser.post(
      "\(browser.base)/oauth2/v2.0/introspection", fields.compactMap { name, value in value.map { (name, $0) } })
    #expect(response.status == 401)
    #expect(try JSON(parsing: response.body)["error"] == "invalid_client")
  }

  @Test func theAPIOffersBothTypesOfToken() async throws {
    let response = try await browser.get("\(tenant.url)/api/tasks")
    let challenges = response.headers.all("WWW-Authenticate")
    #expect(response.status == 401 && challenges.count == 2)
    #expect(challenges.first?.hasPrefix("Bearer ") == true && challenges.last?.hasPrefix("DPoP algs=") == true)
    // The error belongs to the type that the request used.
    let wrong = HTTPRequest(url: "\(tenant.url)/api/tasks", headers: ["Authorization": "DPoP x"])
    let refused = try await browser.http.send(wrong).headers.all("WWW-Authenticate")
    #expect(refused.first?.hasPrefix("DPoP ") == true && refused.first?.contains("error=\"invalid_token\"") == true)
    #expect(refused.last == "Bearer realm=\"contoso.onmicrosoft.com\"")
  }

  @Test func backchannelRequestsArePrivate() async throws {
    let answer = try await browser.ask(
      "bc-authorize", ["client_id": browser.clientID, "scope": "openid", "login_hint": "alice"])
    #expect(answer.status == 400 && answer.body["error"] == "unauthorized_client")
    let poll = try await browser.ask(
      "token",
      ["client_id": browser.clientID, "grant_type": "urn:openid:params:grant-type:ciba", "auth_req_id": "x"])
    #expect(poll.body["error"] == "unauthorized_client")
  }

  @Test func externalIDIssuesATokenForGraph() async throws {
    try tenant.setKind(.externalID)
    let browser = Browser(tenant, base: "\(tenant.url)/contoso.onmicrosoft.com")
    let tokens = try await browser.tokens("alice", "Wonderland-1", ["scope": "openid offline_access"])
    let access = try #require(tokens["access_token"]?.string)
    #expect(try JWT(decoding: access).claims["aud"] == "00000003-0000-0000-c000-000000000000")
    #expect(try await browser.tasks(access).status == 401)
    let userinfo = HTTPRequest(
      url: "\(browser.base)/openid/v2.0/userinfo", headers: ["Authorization": "Bearer \(access)"])
    #expect(try await browser.http.send(userinfo).status == 200)
    // A refresh names its scopes.
    let refresh = tokens["refresh_token"]?.string ?? ""
    let without = try await browser.refresh(refresh)
    #expect(without.status == 400 && without.body["error"] == "invalid_request")
    #expect(without.body["error_description"]?.string?.hasPrefix("AADSTS90009: ") == true)
    let with = try await browser.token([
      ("grant_type", "refresh_token"), ("client_id", browser.clientID), ("refresh_token", refresh),
      ("scope", "openid offline_access"),
    ])
    #expect(with.status == 200)
  }
}
