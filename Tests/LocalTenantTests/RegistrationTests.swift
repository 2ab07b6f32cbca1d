import HTTPClient
import HostLoop
import JSON
import LocalTenant
import Testing

/// The tenant's registration endpoint (RFC 7591, RFC 7592).
@HostActor @Suite struct RegistrationTests {
  private let browser: Browser

  init() throws { browser = Browser(try LocalTenant()) }

  private func send(
    _ method: String, _ url: String, _ body: JSON? = nil, token: String? = nil, type: String = "application/json"
  ) async throws -> (status: Int, json: JSON) {
    var headers: HTTPHeaders = [:]
    headers["Authorization"] = token.map { "Bearer \($0)" }
    if body != nil { headers["Content-Type"] = type }
    let request = HTTPRequest(
      method: method, url: url, headers: headers, body: body.map { Array($0.encoded().utf8) }, timeout: 300)
    let response = try await browser.http.send(request)
    return (response.status, (try? JSON(parsing: response.body)) ?? .null)
  }

  @Test func aRegistrationFromItsBeginningToItsEnd() async throws {
    let endpoint = try #require(try await browser.metadata()["registration_endpoint"]?.string)
    let (status, json) = try await send("POST", endpoint, ["redirect_uris": ["https://app.example/cb"]])
    #expect(status == 201)
    #expect(json["token_endpoint_auth_method"] == "client_secret_basic" && json["client_secret_expires_at"] == 0)
    let address = json["registration_client_uri"]?.string ?? ""
    let token = json["registration_access_token"]?.string ?? ""
    #expect(try await send("GET", address, token: token).json == json)
    let change: JSON = [
      "client_id": json["client_id"] ?? .null, "client_name": "Changed", "token_endpoint_auth_method": "none",
    ]
    let changed = try await send("PUT", address, change, token: token)
    #expect(changed.status == 200 && changed.json["client_name"] == "Changed")
    #expect(changed.json["client_secret"] == nil && changed.json["redirect_uris"] == nil)
    #expect(try await send("DELETE", address, token: token).status == 204)
    let gone = try await send("GET", address, token: token)
    #expect(gone.status == 401 && gone.json["error"] == "invalid_token")
  }

  @Test func aRegistrationNeedsItsOwnToken() async throws {
    let endpoint = "\(browser.base)/oauth2/v2.0/register"
    let one = try await send("POST", endpoint, [:]).json
    let other = try await send("POST", endpoint, [:]).json
    for token in ["", "wrong", other["registration_access_token"]?.string ?? ""] {
      for method in ["GET", "PUT", "DELETE"] {
        let answer = try await send(
          method, one["registration_client_uri"]?.string ?? "", method == "PUT" ? [:] : nil, token: token)
        #expect(answer.status == 401, "\(method)")
      }
    }
    let web = try await send("GET", "\(endpoint)?client_id=\(LocalTenant.webApplication.id)", token: "")
    #expect(web.status == 401)
  }

  @Test(
    arguments: [
      (["redirect_uris": ["no url"]], "invalid_redirect_uri", "\"no url\" is not an absolute URL without a fragment"),
      (["redirect_uris": ["https://a.example/#x"]], "invalid_redirect_uri", nil),
      (
        ["token_endpoint_auth_method": "magic"], "invalid_client_metadata",
        "the tenant knows no token_endpoint_auth_method \"magic\""
      ), ([], "invalid_client_metadata", "The request must be a JSON object (application/json)."),
    ] as [(JSON, String, String?)])
  func refusals(_ body: JSON, _ error: String, _ text: String?) async throws {
    let answer = try await send("POST", "\(browser.base)/oauth2/v2.0/register", body)
    #expect(answer.status == 400 && answer.json["error"]?.string == error, "\(answer)")
    if let text { #expect(answer.json["error_description"]?.string == text) }
  }
}
