import HTTPClient
import HTTPServer
import HostLoop
import JOSE
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
      "redirect_uris": ["https://app.example/other"],
    ]
    let changed = try await send("PUT", address, change, token: token)
    #expect(changed.status == 200 && changed.json["client_name"] == "Changed")
    #expect(changed.json["client_secret"] == nil && changed.json["redirect_uris"] == ["https://app.example/other"])
    let without = try await send("PUT", address, ["client_id": json["client_id"] ?? .null], token: token)
    #expect(without.status == 400 && without.json["error"] == "invalid_redirect_uri")
    #expect(try await send("DELETE", address, token: token).status == 204)
    let gone = try await send("GET", address, token: token)
    #expect(gone.status == 401 && gone.json["error"] == "invalid_token")
  }

  @Test func aRegistrationNeedsItsOwnToken() async throws {
    let endpoint = "\(browser.base)/oauth2/v2.0/register"
    let metadata: JSON = ["redirect_uris": ["https://app.example/cb"]]
    let one = try await send("POST", endpoint, metadata).json
    let other = try await send("POST", endpoint, metadata).json
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
      (["redirect_uris": []], "invalid_redirect_uri", nil),
      ([:], "invalid_redirect_uri", "redirect_uris is missing, and the grant type authorization_code needs one"),
      (["redirect_uris": .null], "invalid_redirect_uri", nil),
      (
        ["grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"]], "invalid_redirect_uri",
        nil
      ),
      (["grant_types": ["implicit"], "response_types": ["id_token"]], "invalid_redirect_uri", nil),
      (["redirect_uris": "https://a.example/cb"], "invalid_client_metadata", nil),
      (["redirect_uris": ["javascript:alert(1)"]], "invalid_redirect_uri", nil),
      (["redirect_uris": ["data:text/html,x"]], "invalid_redirect_uri", nil),
      (["redirect_uris": ["http://app.example/cb"]], "invalid_redirect_uri", nil),
      (["redirect_uris": ["http://localhost.example/cb"]], "invalid_redirect_uri", nil),
      (["redirect_uris": ["https://*.example/cb"]], "invalid_redirect_uri", nil),
      (["redirect_uris": ["https://user@app.example/cb"]], "invalid_redirect_uri", nil),
      (["redirect_uris": ["https:///cb"]], "invalid_redirect_uri", nil),
      (["redirect_uris": ["myapp://cb"]], "invalid_redirect_uri", nil),
      (["post_logout_redirect_uris": ["javascript:alert(1)"]], "invalid_client_metadata", nil),
      (["logo_uri": "javascript:alert(1)"], "invalid_client_metadata", nil),
      (["client_name": 7], "invalid_client_metadata", nil),
      (["subject_type": "pairwise"], "invalid_client_metadata", nil),
      (["jwks": ["keys": []]], "invalid_client_metadata", nil),
      (
        ["jwks": ["keys": []], "jwks_uri": "https://a.example/keys"], "invalid_client_metadata",
        "the metadata have both jwks and jwks_uri"
      ),
      (["grant_types": []], "invalid_client_metadata", "grant_types has no grant type that gives a first token"),
      (["grant_types": ["refresh_token"]], "invalid_client_metadata", nil),
      (["grant_types": ["magic"]], "invalid_client_metadata", "the tenant knows no grant type \"magic\""),
      (["response_types": ["magic"]], "invalid_client_metadata", nil),
      (["grant_types": ["implicit"]], "invalid_client_metadata", nil),
      (["grant_types": ["client_credentials"], "response_types": ["code"]], "invalid_client_metadata", nil),
      (["response_types": ["code id_token"]], "invalid_client_metadata", nil),
      (["grant_types": ["authorization_code"], "response_types": []], "invalid_client_metadata", nil),
      (
        ["grant_types": ["client_credentials"], "token_endpoint_auth_method": "none"], "invalid_client_metadata", nil
      ),
      (
        ["grant_types": ["urn:openid:params:grant-type:ciba"], "token_endpoint_auth_method": "none"],
        "invalid_client_metadata", nil
      ),
    ] as [(JSON, String, String?)])
  func refusals(_ body: JSON, _ error: String, _ text: String?) async throws {
    let answer = try await send("POST", "\(browser.base)/oauth2/v2.0/register", body)
    #expect(answer.status == 400 && answer.json["error"]?.string == error, "\(answer)")
    if let text { #expect(answer.json["error_description"]?.string == text) }
  }

  @Test(
    arguments: [
      [
        "redirect_uris": [
          "http://127.0.0.1:7/cb", "http://[::1]/cb", "com.example.app:/cb", "urn:ietf:wg:oauth:2.0:oob",
        ]
      ],
      ["grant_types": ["client_credentials"], "redirect_uris": []],
      ["grant_types": ["client_credentials"]],
      [
        "grant_types": ["authorization_code", "implicit"], "response_types": ["code", "code id_token"],
        "redirect_uris": ["https://a.example/cb"],
      ],
      [
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
        "jwks_uri": "https://a.example/k", "redirect_uris": ["https://a.example/cb"],
      ],
      ["grant_types": ["implicit"], "response_types": ["id_token token"], "redirect_uris": ["https://a.example/cb"]],
    ] as [JSON])
  func whatFitsIsTaken(_ body: JSON) async throws {
    let answer = try await send("POST", "\(browser.base)/oauth2/v2.0/register", body)
    #expect(answer.status == 201, "\(answer)")
  }

  /// A certificate comes as `x5c` (RFC 8705 §2.2), and belongs to its key.
  @Test func certificatesOfKeys() async throws {
    let pem = try TLSIdentity.selfSigned(hosts: ["app"]).certificate
    let key = try JWK(pem: Array(pem.utf8))
    var members = key.json.object ?? [:]
    members["x5t#S256"] = nil
    func register(_ key: [String: JSON]) async throws -> (status: Int, json: JSON) {
      try await send(
        "POST", "\(browser.base)/oauth2/v2.0/register",
        [
          "token_endpoint_auth_method": "self_signed_tls_client_auth", "jwks": ["keys": [.object(key)]],
          "redirect_uris": ["https://a.example/cb"],
        ])
    }
    #expect(try await register(members).status == 201)
    #expect(try await register(key.json.object ?? [:]).status == 201)
    var wrong = members
    wrong["x5t#S256"] = "AAAA"
    var other = try JWK.generateRSA(keyID: "other").publicKey.json.object ?? [:]
    other["x5c"] = members["x5c"]
    var none = members
    none["x5c"] = nil
    for key in [wrong, other, none] {
      let answer = try await register(key)
      #expect(answer.status == 400 && answer.json["error"] == "invalid_client_metadata", "\(answer)")
    }
  }
}
