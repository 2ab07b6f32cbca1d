import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Testing

@HostActor @Suite struct PasswordGrantTests {
  let tenant: LocalTenant
  let browser: Browser

  init() throws {
    tenant = try LocalTenant()
    browser = Browser(tenant).at(policy: "B2C_1_ROPC")
  }

  @Test(arguments: [nil, "token id_token", "id_token token"])
  func aPasswordGivesAllTokens(responseType: String?) async throws {
    let answer = try await browser.signInByPassword(["response_type": responseType])
    #expect(answer.status == 200)
    for name in ["access_token", "id_token", "refresh_token"] { #expect(answer.body[name]?.string != nil) }
    let claims = try JWT(decoding: answer.body["id_token"]?.string ?? "").claims
    #expect(claims["tfp"] == "b2c_1_ropc")
    #expect(claims["name"] == "Alice Liddell")
    #expect(claims["aud"]?.string == browser.clientID)
    #expect(try await browser.tasks(answer.body["access_token"]?.string ?? "").status == 200)
  }

  @Test func theResponseTypeChooses() async throws {
    let token = try await browser.signInByPassword(["response_type": "token", "scope": Browser.read]).body
    #expect(token["access_token"] != nil)
    #expect(token["id_token"] == nil)
    #expect(token["refresh_token"] == nil)
    let id = try await browser.signInByPassword(["response_type": "id_token", "scope": "openid"]).body
    #expect(id["id_token"] != nil)
    #expect(id["access_token"] == nil)
  }

  @Test(
    arguments: [
      (
        ["username": "no one"], "access_denied",
        "AADB2C90225: The username or password provided in the request are invalid."
      ),
      (
        ["username": "nobody"], "access_denied",
        "AADB2C90225: The username or password provided in the request are invalid."
      ),
      (["username": nil], "invalid_request", "AADB2C90083: The request is missing required parameter: username."),
      (["password": ""], "invalid_request", "AADB2C90083: The request is missing required parameter: password."),
      (["scope": nil], "invalid_request", "AADB2C90010: The request does not contain a scope parameter."),
      (
        ["response_type": "code"], "unsupported_response_type",
        "AADB2C90013: The requested response type 'code' provided in the request is not supported."
      ),
      (
        ["response_type": "token", "scope": "openid"], "invalid_request",
        "AADB2C90055: The scope 'openid' provided in request must specify a resource, such as "
          + "'https://contoso.onmicrosoft.com/tasks/read'."
      ),
      (
        ["response_type": "id_token", "scope": Browser.read], "invalid_request",
        "AADB2C90107: The application with ID '9c5a6f0e-4d1b-4f7a-a3c2-51e8d7b6f093' cannot get an ID token either "
          + "because the openid scope was not provided in the request or the application is not authorized for it."
      ),
    ] as [([String: String?], String, String)])
  func aWrongRequestIsRefused(changes: [String: String?], error: String, complaint: String) async throws {
    let browser = try Browser.ofSharedTenant().at(policy: "b2c_1_ropc")
    let answer = try await browser.signInByPassword(changes)
    #expect(answer.status == 400)
    #expect(answer.body["error"]?.string == error)
    #expect(answer.body.complaint == complaint)
  }

  @Test func otherPoliciesTakeNoPasswords() async throws {
    let answer = try await browser.at(policy: "b2c_1_susi").signInByPassword()
    #expect(answer.body["error"] == "unauthorized_client")
    #expect(answer.body.complaint == "AADB2C90224: Resource owner flow has not been enabled for the application.")
  }

  @Test func itsRefreshTokensWorkThereOnly() async throws {
    let token = try await browser.signInByPassword().body["refresh_token"]?.string ?? ""
    let elsewhere = try await browser.at(policy: "b2c_1_susi").refresh(token)
    #expect(elsewhere.status == 400)
    #expect(
      elsewhere.body.complaint
        == "AADB2C90088: The provided grant has not been issued for this endpoint. Actual Value : b2c_1_susi and "
        + "Expected Value : b2c_1_ropc")
    let answer = try await browser.refresh(token)
    #expect(answer.status == 200)
    #expect(try JWT(decoding: answer.body["access_token"]?.string ?? "").claims["tfp"] == "b2c_1_ropc")
  }

  @Test func manyWrongPasswordsLockTheAccount() async throws {
    var complaints: [String] = []
    for _ in 0..<20 where complaints.last?.hasPrefix("AADB2C90114") != true {
      complaints.append(try await browser.signInByPassword(["password": "wrong"]).body.complaint)
    }
    #expect(complaints.first?.hasPrefix("AADB2C90225: ") == true)
    let answer = try await browser.signInByPassword()
    #expect(answer.body["error"] == "access_denied")
    #expect(
      answer.body.complaint
        == "AADB2C90114: Your account is temporarily locked to prevent unauthorized use. Try again later.")
    #expect(try await browser.signInByPassword(["username": "bob", "password": "Skyscraper-2"]).status == 200)
  }

  @Test func theMetadataIsOfAPolicyWithoutPages() async throws {
    let document = try await browser.metadata()
    #expect(
      document["grant_types_supported"] == [
        "refresh_token", "password", "client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange",
      ])
    #expect(document["token_endpoint"]?.string == browser.tokenURL)
    #expect(document["response_types_supported"] == nil)
    #expect(document["device_authorization_endpoint"] == nil)
  }

  @Test func itHasNoPageForDevices() async throws {
    #expect(try await browser.beginDevice().body["error"] == "unauthorized_client")
  }
}
