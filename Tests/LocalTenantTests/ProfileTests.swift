import Core
import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Testing

/// A tenant that enforces a profile, with requests that keep to it but for one thing.
@HostActor @Suite struct ProfileTests {
  private let tenant: LocalTenant
  private let browser: Browser
  private let key: PrivateKey
  private let issuer: String

  init() throws {
    tenant = try LocalTenant()
    try tenant.setProfile(.fapi2)
    browser = Browser(tenant)
    key = try PrivateKey(jwk: LocalTenant.clientKey)
    issuer = "\(tenant.url)/contoso.onmicrosoft.com/b2c_1_susi/v2.0"
  }

  private func assertion(audience: JSON? = nil, key: PrivateKey? = nil, algorithm: String = "ES256") throws -> String {
    let id = LocalTenant.keyApplication.id
    var claims = JWT.assertion(issuer: id, subject: id, audience: issuer, now: UnixTime.now.seconds)
    if let audience { claims["aud"] = audience }
    return try JWT.sign(.object(claims), header: ["alg": .string(algorithm)], key: key ?? self.key)
  }

  private func push(
    _ changes: [String: String?] = [:], assertion: String? = nil
  ) async throws -> (status: Int, body: JSON) {
    let id = LocalTenant.keyApplication.id
    var all: [String: String?] = [
      "client_id": id, "scope": "openid offline_access \(id)",
      "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      "client_assertion": try assertion ?? self.assertion(),
    ]
    all.merge(changes) { $1 }
    let response = try await browser.post("\(browser.base)/oauth2/v2.0/par", browser.authorizationFields(all))
    return (response.status, try JSON(parsing: response.body))
  }

  @Test func aRequestThatKeepsToTheProfileIsTaken() async throws { #expect(try await push().status == 201) }

  @Test(
    arguments: [
      (["response_type": "code id_token"], "unsupported_response_type"),
      (["response_type": "token"], "unsupported_response_type"),
      (["code_challenge": nil, "code_challenge_method": nil], "invalid_request"),
      (["code_challenge_method": "plain"], "invalid_request"),
      (["client_assertion": nil, "client_assertion_type": nil], "invalid_client"),
      (
        [
          "client_id": LocalTenant.nativeApplication.id, "client_assertion": nil, "client_assertion_type": nil,
          "scope": "openid \(LocalTenant.nativeApplication.id)",
        ], "invalid_client"
      ),
      (
        [
          "client_id": LocalTenant.webApplication.id, "client_secret": LocalTenant.webApplication.secret,
          "client_assertion": nil, "client_assertion_type": nil, "scope": "openid \(LocalTenant.webApplication.id)",
        ], "invalid_client"
      ),
    ] as [([String: String?], String)])
  func aWrongRequestIsRefused(changes: [String: String?], error: String) async throws {
    let answer = try await push(changes)
    #expect(answer.status == 400)
    #expect(answer.body["error"]?.string == error, "\(answer.body)")
  }

  @Test func theAudienceIsTheIssuerAsAString() async throws {
    for audience: JSON in [.array([.string(issuer)]), .string("\(browser.base)/oauth2/v2.0/par")] {
      let answer = try await push(assertion: assertion(audience: audience))
      #expect(answer.body["error"] == "invalid_client")
      #expect(answer.body.complaint.contains("as a string"), "\(answer.body)")
    }
  }

  @Test func anotherAlgorithmIsRefused() async throws {
    let rsa = try PrivateKey.generate(.rsa(bits: 2048))
    let application = try tenant.addApplication([
      "token_endpoint_auth_method": "private_key_jwt", "jwks": ["keys": [try rsa.counterpart.json]],
    ])
    for (algorithm, status) in [("RS256", 400), ("PS256", 201)] {
      let claims = JWT.assertion(
        issuer: application.id, subject: application.id, audience: issuer, now: UnixTime.now.seconds)
      let signed = try JWT.sign(.object(claims), header: ["alg": .string(algorithm)], key: rsa)
      let answer = try await push(
        ["client_id": application.id, "scope": "openid \(application.id)"], assertion: signed)
      #expect(answer.status == status, "\(algorithm) \(answer.body)")
    }
  }

  @Test func aRequestThatWasNotPushedIsRefused() async throws {
    try await browser.authorize(["client_id": LocalTenant.keyApplication.id])
    #expect(browser.redirected["error"] == "invalid_request")
  }

  @Test func tokensNeedAProofAndCodesAreOldAfterAMinute() async throws {
    func redeem(after seconds: Int) async throws -> JSON {
      let uri = try #require(try await push().body["request_uri"]?.string)
      let fields = [("client_id", LocalTenant.keyApplication.id), ("request_uri", uri)]
      let page = try await browser.get("\(browser.base)/oauth2/v2.0/authorize?" + URLEncodedForm.encode(fields))
      if page.status == 200 {
        try await browser.submit(["logonIdentifier": "alice", "password": "Wonderland-1"], button: "sign_in")
      }
      try tenant.advance(seconds: seconds)
      return try await browser.redeem(
        code: browser.redirected["code"] ?? "",
        [
          "client_id": LocalTenant.keyApplication.id, "client_assertion": assertion(),
          "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        ]
      ).body
    }
    #expect(try await redeem(after: 0)["error"] == "invalid_dpop_proof")
    // Without the requirement of a proof, the age alone decides.
    try tenant.setProfile(.oauth21)
    #expect(try await redeem(after: 61)["error"] == nil)
  }

  @Test func theMetadataListsOnlyWhatIsTaken() async throws {
    let document = try await browser.metadata()
    #expect(document["token_endpoint_auth_methods_supported"] == ["private_key_jwt"])
    #expect(document["response_types_supported"] == ["code"])
    #expect(document["code_challenge_methods_supported"] == ["S256"])
    #expect(document["id_token_signing_alg_values_supported"] == ["ES256"])
    #expect(document["require_pushed_authorization_requests"] == true)
    #expect(Set(document["dpop_signing_alg_values_supported"]?.array ?? []) == ["ES256", "EdDSA", "PS256"])
    #expect(document["grant_types_supported"]?.array?.contains("implicit") == false)
    try tenant.setProfile(nil)
    #expect(try await browser.metadata()["response_types_supported"]?.array?.contains("code token") == true)
  }

  @Test func theDraftOfOAuth21HasNoImplicitAndNoPasswordGrant() async throws {
    try tenant.setProfile(.oauth21)
    try await browser.authorize(["response_type": "token"])
    #expect(browser.redirected["error"] == "unsupported_response_type")
    try await browser.authorize(["code_challenge": nil, "code_challenge_method": nil])
    #expect(browser.redirected["error"] == "invalid_request")
    let answer = try await browser.at(policy: "b2c_1_ropc").signInByPassword()
    #expect(answer.body["error"] == "unsupported_grant_type")
    #expect(try await browser.tokens()["access_token"] != nil)
  }
}
