import Core
import Crypto
import HTTPClient
import HostLoop
import JOSE
import JSON
import LocalTenant
import Markup
import Testing

/// The tenant's check of request objects (RFC 9101), with objects that are wrong in one thing.
@HostActor @Suite struct RequestObjectTests {
  private let tenant: LocalTenant
  private let browser: Browser
  private let key: PrivateKey
  private let application: Application

  init() throws {
    tenant = try LocalTenant()
    browser = Browser(tenant)
    key = try PrivateKey.generate(.ec(curve: "P-256"))
    application = try tenant.addApplication([
      "token_endpoint_auth_method": "none", "jwks": ["keys": [try key.counterpart.json]],
    ])
  }

  private var issuer: String { "\(tenant.url)/contoso.onmicrosoft.com/b2c_1_susi/v2.0" }

  private func claims(_ changes: [String: JSON] = [:]) -> JSON {
    var claims = JWT.assertion(
      issuer: application.id, subject: application.id, audience: issuer, now: UnixTime.now.seconds)
    claims["sub"] = nil
    for (name, value) in browser.authorizationFields(["client_id": application.id, "scope": "openid"]) {
      claims[name] = .string(value)
    }
    return .object(claims.merging(changes) { $1 }.filter { $0.value != .null })
  }

  private func object(_ changes: [String: JSON] = [:], by other: PrivateKey? = nil) throws -> String {
    try JWT.sign(claims(changes), header: ["typ": "oauth-authz-req+jwt"], key: other ?? key)
  }

  /// Opens the authorization endpoint with an object, and returns the complaint of the page.
  private func open(_ object: String, _ more: [(String, String)] = []) async throws -> String {
    let fields = [("client_id", application.id), ("request", object)] + more
    try await browser.get("\(browser.base)/oauth2/v2.0/authorize?" + URLEncodedForm.encode(fields))
    return browser.page.alerts.joined()
  }

  @Test func theParametersOfTheObjectCount() async throws {
    #expect(try await open(object(), [("state", "other"), ("redirect_uri", "https://evil.example")]) == "")
    try await browser.submit(["logonIdentifier": "alice", "password": "Wonderland-1"], button: "sign_in")
    #expect(browser.redirected["state"] == "a state & more")
    let answer = try await browser.redeem(code: browser.redirected["code"] ?? "", ["client_id": application.id])
    #expect(try JWT(decoding: answer.body["id_token"]?.string ?? "").claims["nonce"] == "n-1")
  }

  @Test func anObjectIsAcceptedOnce() async throws {
    let object = try object()
    #expect(try await open(object) == "")
    #expect(try await open(object).hasPrefix("The request object is refused: it was used already (jti)."))
  }

  @Test(
    arguments: [
      ("iss", "somebody", "its iss is not the client's ID"),
      ("client_id", .null, "its client_id is not the client's ID"),
      ("client_id", "b7d2e8c1-93f4-4a6d-8e05-27c9f1a4d36b", "its client_id is not the client's ID"),
      ("aud", "https://op.example", "its aud is 'https://op.example', not '"), ("exp", .null, "it has no exp"),
      ("exp", 1_000_000_000, "it has expired"), ("exp", 4_000_000_000, "its exp is more than an hour away"),
      ("nbf", 4_000_000_000, "its nbf is in the future"), ("request_uri", "urn:x", "it has a claim 'request_uri'"),
      ("request", "x", "it has a claim 'request'"),
    ] as [(String, JSON, String)])
  func aWrongClaimIsRefused(claim: String, value: JSON, reason: String) async throws {
    let text = try await open(object([claim: value]))
    #expect(text.hasPrefix("The request object is refused: \(reason)"), "\(text)")
    #expect(browser.response.status == 400)
  }

  @Test func aWrongSignatureIsRefused() async throws {
    func refusal(_ object: String, _ more: [(String, String)] = []) async throws -> String {
      String(try await open(object, more).trimmingPrefix("The request object is refused: "))
    }
    let none = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + "." + Base64URL.encode(claims().bytes() ?? []) + "."
    #expect(try await refusal(none).hasPrefix("it is not signed (alg none)."))
    let secret = try PrivateKey.generate(.symmetric(bits: 256))
    #expect(try await refusal(object(by: secret)).hasPrefix("its algorithm 'HS256' is not allowed."))
    let foreign = try PrivateKey.generate(.ec(curve: "P-256"))
    #expect(try await refusal(object(by: foreign)).hasPrefix("no key of the client made its signature."))
    let other = try JWT.sign(claims(), header: ["typ": "dpop+jwt"], key: key)
    #expect(try await refusal(other).hasPrefix("its typ is 'dpop+jwt'."))
    let beside = [("response_type", "code id_token")]
    #expect(try await refusal(object(), beside).hasPrefix("its response_type is not the one beside it."))
    #expect(
      try await refusal(object(), [("request_uri", "https://a.example")]).hasPrefix(
        "The request has both the parameter"))
    // The redirect URI beside the object is a registered one, so that the client hears of it.
    _ = try await open("x", [("redirect_uri", Browser.redirectURI), ("state", "s")])
    #expect(browser.redirected["error"] == "invalid_request_object")
    #expect(browser.redirected["state"] == "s")
    try await browser.authorize(["request": "a.b.c"])
    #expect(browser.redirected["error"] == "invalid_request_object")
  }

  @Test func anEncryptedObjectIsDecrypted() async throws {
    let keys = try JSON(parsing: try await browser.get("\(browser.base)/discovery/v2.0/keys").body)
    let published = try #require(keys["keys"]?.array?.first { $0["use"] == "enc" })
    let sealed = try JWE.encrypt(Array(object().utf8), header: ["cty": "JWT"], key: JWK(published))
    #expect(try await open(sealed) == "")
    #expect(browser.page.forms.count == 1)
    let other = try PrivateKey.generate(.ec(curve: "P-256"))
    let foreign = try JWE.encrypt(Array(object().utf8), header: [:], key: other.counterpart)
    #expect(try await open(foreign).hasPrefix("The request object is refused: it is not encrypted for the key"))
  }

  @Test func anObjectCanBePushed() async throws {
    let url = "\(browser.base)/oauth2/v2.0/par"
    func push(_ object: String) async throws -> JSON {
      try JSON(parsing: try await browser.post(url, [("client_id", application.id), ("request", object)]).body)
    }
    try tenant.require([.par, .requestObject])
    #expect(try await push(object())["request_uri"] != nil)
    #expect(try await push(object(["redirect_uri": "https://evil.example/"])).complaint.hasPrefix("AADB2C90006"))
    #expect(try await push("x")["error"] == "invalid_request_object")
    let plain = browser.authorizationFields(["client_id": application.id, "scope": "openid"])
    let refusal = try JSON(parsing: try await browser.post(url, plain).body)
    #expect(refusal.complaint == "The authorization request must be a signed request object.")
    #expect(try await browser.metadata()["require_signed_request_object"] == true)
  }

  @Test func clientsMayHaveToUseAKey() async throws {
    #expect(try await browser.metadata()["token_endpoint_auth_methods_supported"]?.array?.count == 5)
    try tenant.require([.keyJWT])
    #expect(try await browser.metadata()["token_endpoint_auth_methods_supported"] == ["private_key_jwt"])
    let answer = try await browser.signInAsApplication()
    #expect(answer.body["error"] == "invalid_client")
    #expect(answer.body.complaint == "The client must authenticate by private_key_jwt.")
  }
}
