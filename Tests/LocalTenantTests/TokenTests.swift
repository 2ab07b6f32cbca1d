import Crypto
import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Testing

@HostActor @Suite struct TokenTests {
  let tenant: LocalTenant
  let browser: Browser

  init() throws {
    tenant = try LocalTenant()
    browser = Browser(tenant)
  }

  @Test func theResponseHasWhatB2CSends() async throws {
    let body = try await browser.tokens()
    #expect(browser.response.headers["Cache-Control"] == "no-store")
    #expect(browser.response.headers["Pragma"] == "no-cache")
    #expect(
      Set((body.object ?? [:]).keys) == [
        "access_token", "id_token", "token_type", "not_before", "expires_in", "expires_on", "resource",
        "id_token_expires_in", "profile_info", "client_info", "scope", "refresh_token", "refresh_token_expires_in",
      ])
    #expect(body["token_type"] == "Bearer")
    #expect(body["expires_in"] == 3600)
    #expect(body["resource"]?.string == browser.clientID)
    let profile = try JSON(parsing: Base64URL.decode(body["profile_info"]?.string ?? "") ?? [])
    #expect(profile["name"] == "Alice Liddell")
  }

  @Test func theTokensVerify() async throws {
    let body = try await browser.tokens()
    let keys = try JWKSet(JSON(parsing: try await browser.get(browser.base + "/discovery/v2.0/keys").body))
    let access = try #require(body["access_token"]?.string)
    let id = try #require(body["id_token"]?.string)
    for token in [access, id] {
      let header = try JWT(decoding: token).header
      #expect(header["alg"] == "RS256")
      #expect(header["typ"] == "JWT")
      let key = try #require(keys.keys.first { $0.keyID == header["kid"]?.string })
      #expect(key.json["d"] == nil)
      _ = try JWS.verify(token, key: key, algorithms: ["RS256"])
    }
    let claims = try JWT(decoding: id).claims
    #expect(claims["iss"]?.string == browser.base + "/v2.0")
    #expect(claims["aud"]?.string == browser.clientID)
    #expect(claims["nonce"] == "n-1")
    #expect(claims["tfp"] == "b2c_1_susi")
    #expect(claims["name"] == "Alice Liddell")
    #expect(claims["emails"] == ["alice@contoso.example"])
    #expect(claims["sub"] == claims["oid"])
    #expect(claims["ver"] == "1.0")
    #expect(claims["at_hash"]?.string == Base64URL.encode(SHA256.hash(access.utf8).prefix(16)))
    let accessClaims = try JWT(decoding: access).claims
    #expect(accessClaims["azp"]?.string == browser.clientID)
    #expect(accessClaims["jti"]?.string?.isEmpty == false)
    #expect(accessClaims["jti"] != claims["jti"])
  }

  @Test func scopesDecideWhichTokensThereAre() async throws {
    let plain = try await browser.tokens("alice", "Wonderland-1", ["scope": "openid"])
    #expect(plain["id_token"] != nil)
    #expect(plain["access_token"] == nil)
    #expect(plain["refresh_token"] == nil)
    let read = "https://contoso.onmicrosoft.com/tasks/read"
    let api = try await browser.tokens("alice", "Wonderland-1", ["scope": read, "prompt": "login"])
    #expect(api["id_token"] == nil)
    #expect(try JWT(decoding: api["access_token"]?.string ?? "").claims["scp"] == "read")
    #expect(api["scope"]?.string == read)
  }

  @Test func aCodeWorksOnceAndItsReplayRevokes() async throws {
    try await browser.signIn()
    let code = try #require(browser.redirected["code"])
    let first = try await browser.redeem(code: code)
    #expect(first.status == 200)
    let second = try await browser.redeem(code: code)
    #expect(second.status == 400)
    #expect(second.body["error"] == "invalid_grant")
    #expect(second.body["error_description"]?.string?.hasPrefix("AADB2C90129: ") == true)
    #expect(try await browser.refresh(first.body["refresh_token"]?.string ?? "").status == 400)
  }

  @Test func aCodeExpires() async throws {
    try await browser.signIn()
    try tenant.advance(seconds: 601)
    let answer = try await browser.redeem(code: browser.redirected["code"] ?? "")
    #expect(answer.body["error"] == "invalid_grant")
    #expect(answer.body["error_description"]?.string?.hasPrefix("AADB2C90080: ") == true)
  }

  @Test(
    arguments: [
      (["code_verifier": "0123456789-0123456789-0123456789-012345678X"], "AADB2C90182"),
      (["code_verifier": nil], "AADB2C90183"), (["code_verifier": "short"], "AADB2C90183"),
      (["redirect_uri": nil], "AADB2C90083"), (["redirect_uri": "http://127.0.0.1:49152/other"], "AADB2C90006"),
      (["code": "nonsense"], "AADB2C90080"), (["code": nil], "AADB2C90083"),
      (["grant_type": nil], "AADB2C90083"), (["grant_type": "magic"], "AADB2C90086"),
      (["client_id": nil], "AADB2C90008"), (["client_id": "x"], "AADB2C90018"), (["client_secret": "x"], "AADB2C90084"),
    ] as [([String: String?], String)])
  func aWrongRequestIsRefusedAndTheCodeStaysGood(changes: [String: String?], code: String) async throws {
    let browser = try Browser.ofSharedTenant()
    try await browser.signIn()
    let granted = try #require(browser.redirected["code"])
    let answer = try await browser.redeem(code: granted, changes)
    #expect(answer.status == 400)
    #expect(answer.body["error_description"]?.string?.hasPrefix("\(code): ") == true)
    #expect(try await browser.redeem(code: granted, ["client_secret": "", "unknown": "parameter"]).status == 200)
  }

  @Test func plainChallengesAndNoneAtAll() async throws {
    try await browser.signIn(
      "alice", "Wonderland-1", ["code_challenge": Browser.verifier, "code_challenge_method": nil])
    #expect(try await browser.redeem(code: browser.redirected["code"] ?? "").status == 200)
    try await browser.authorize(["code_challenge": nil, "code_challenge_method": nil])
    let code = try #require(browser.redirected["code"])
    #expect(try await browser.redeem(code: code).body["error_description"]?.string?.hasPrefix("AADB2C90183") == true)
    #expect(try await browser.redeem(code: code, ["code_verifier": nil]).status == 200)
  }

  @Test func refreshTokensRotateAndReuseRevokes() async throws {
    let first = try await browser.tokens()["refresh_token"]?.string ?? ""
    let second = try await browser.refresh(first)
    #expect(second.status == 200)
    let rotated = try #require(second.body["refresh_token"]?.string)
    #expect(rotated != first)
    #expect(second.body["access_token"] != nil)
    #expect(try JWT(decoding: second.body["id_token"]?.string ?? "").claims["nonce"] == nil)
    let reuse = try await browser.refresh(first)
    #expect(reuse.body["error"] == "invalid_grant")
    #expect(reuse.body["error_description"]?.string?.hasPrefix("AADB2C90129: ") == true)
    #expect(try await browser.refresh(rotated).status == 400)
  }

  @Test func aRefreshTokenExpiresAndEndsWithItsUser() async throws {
    let old = try await browser.tokens()["refresh_token"]?.string ?? ""
    try tenant.advance(seconds: 15 * 86_400)
    #expect(try await browser.refresh(old).body["error_description"]?.string?.hasPrefix("AADB2C90080: ") == true)
    let new = try await browser.tokens()["refresh_token"]?.string ?? ""
    try tenant.removeUser("alice")
    #expect(try await browser.refresh(new).body["error_description"]?.string?.hasPrefix("AADB2C90128: ") == true)
  }

  @Test func confidentialClientsProveThemselves() async throws {
    let client = LocalTenant.webApplication
    let basic = "Basic " + base64("\(client.id):\(client.secret ?? "")")
    for method in ["post", "basic"] {
      try await browser.signIn("alice", "Wonderland-1", ["client_id": client.id, "scope": "openid", "prompt": "login"])
      var fields = [
        ("grant_type", "authorization_code"), ("code", browser.redirected["code"] ?? ""),
        ("redirect_uri", Browser.redirectURI), ("code_verifier", Browser.verifier),
      ]
      let missing = try await browser.token(fields + [("client_id", client.id)])
      #expect(missing.body["error"] == "invalid_client")
      #expect(missing.body["error_description"]?.string?.hasPrefix("AADB2C90079: ") == true)
      let wrong = try await browser.token(
        fields, headers: ["Authorization": "Basic " + base64("\(client.id):wrong")])
      #expect(wrong.status == 401)
      #expect(browser.response.headers["WWW-Authenticate"]?.hasPrefix("Basic ") == true)
      #expect(wrong.body["error_description"]?.string?.hasPrefix("AADB2C90081: ") == true)
      if method == "post" { fields += [("client_id", client.id), ("client_secret", client.secret ?? "")] }
      let answer = try await browser.token(fields, headers: method == "basic" ? ["Authorization": basic] : [:])
      #expect(answer.status == 200)
    }
  }

  @Test func theRequestMustBeAForm() async throws {
    let json = HTTPRequest(
      method: "POST", url: browser.tokenURL, headers: ["Content-Type": "application/json"], body: Array("{}".utf8))
    let answer = try JSON(parsing: try await browser.http.send(json).body)
    #expect(
      answer["error_description"]?.string?.hasPrefix(
        "The request's Content-Type must be application/x-www-form-urlencoded, not application/json.") == true)
    #expect(try await browser.get(browser.tokenURL).status == 405)
  }

  private func base64(_ text: String) -> String {
    let encoded = Base64URL.encode(text.utf8).replacing("-", with: "+").replacing("_", with: "/")
    return encoded + String(repeating: "=", count: (4 - encoded.utf8.count % 4) % 4)
  }
}
