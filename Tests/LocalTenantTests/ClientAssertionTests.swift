import Core
import Crypto
import HostLoop
import JOSE
import JSON
import LocalTenant
import Testing

/// The tenant's check of client assertions (RFC 7523 §3), with assertions that are wrong in one thing.
@HostActor @Suite struct ClientAssertionTests {
  private let tenant: LocalTenant
  private let browser: Browser
  private let key: PrivateKey
  private let application: Application
  private let issuer: String

  init() throws {
    tenant = try LocalTenant()
    browser = Browser(tenant)
    key = try PrivateKey.generate(.ec(curve: "P-256"))
    application = try tenant.addApplication([
      "token_endpoint_auth_method": "private_key_jwt", "jwks": ["keys": [try key.counterpart.json]],
    ])
    issuer = "\(tenant.url)/contoso.onmicrosoft.com/b2c_1_susi/v2.0"
  }

  private func claims(_ changes: [String: JSON] = [:], audience: String? = nil) -> JSON {
    let claims = JWT.assertion(
      issuer: application.id, subject: application.id, audience: audience ?? issuer, now: UnixTime.now.seconds)
    return .object(claims.merging(changes) { $1 }.filter { $0.value != .null })
  }

  private func token(_ assertion: String, _ fields: [String: String] = [:]) async throws -> (Int, String) {
    let form = [
      "grant_type": "client_credentials", "client_id": application.id,
      "scope": "https://contoso.onmicrosoft.com/tasks/.default",
      "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", "client_assertion": assertion,
    ].merging(fields) { $1 }.filter { !$0.value.isEmpty }
    let answer = try await browser.ask("token", form)
    return (answer.status, answer.body["error_description"]?.string ?? "")
  }

  @Test func anAssertionIsAcceptedOnce() async throws {
    let assertion = try JWT.sign(claims(), key: key)
    #expect(try await token(assertion).0 == 200)
    let (status, text) = try await token(assertion)
    #expect(status == 400)
    #expect(text.hasPrefix("The client assertion is refused: it was used already (jti)."))
  }

  @Test func theClientMayBeNamedByTheAssertionAlone() async throws {
    #expect(try await token(JWT.sign(claims(), key: key), ["client_id": ""]).0 == 200)
  }

  @Test(
    arguments: [
      ("iss", "somebody", "its iss is not the client's ID"), ("sub", "somebody", "its sub is not the client's ID"),
      ("aud", "https://op.example", "its aud is 'https://op.example', not '"), ("aud", .null, "its aud is '', not '"),
      ("exp", .null, "it has no exp"), ("exp", 1_000_000_000, "it has expired"),
      ("exp", 4_000_000_000, "its exp is more than an hour away"), ("iat", 4_000_000_000, "its iat is in the future"),
      ("nbf", 4_000_000_000, "its nbf is in the future"), ("jti", .null, "it has no jti"),
    ] as [(String, JSON, String)])
  func aWrongClaim(_ name: String, _ value: JSON, _ reason: String) async throws {
    let (status, text) = try await token(JWT.sign(claims([name: value]), key: key))
    #expect(status == 400)
    #expect(text.hasPrefix("The client assertion is refused: \(reason)"), "\(text)")
  }

  @Test func aWrongSignature() async throws {
    let foreign = try PrivateKey.generate(.ec(curve: "P-256"))
    var (_, text) = try await token(JWT.sign(claims(), key: foreign))
    #expect(text.hasPrefix("The client assertion is refused: no key of the client made its signature."))
    let header = Base64URL.encode(#"{"alg":"none"}"#.utf8)
    text = try await token("\(header).\(Base64URL.encode(claims().encoded().utf8)).").1
    #expect(text.hasPrefix("The client assertion is refused: its algorithm 'none' is not one of this client."))
    // The public key as the secret of an HMAC.
    let hmac = try PrivateKey(
      jwk: ["kty": "oct", "k": .string(Base64URL.encode(try key.counterpart.json.encoded().utf8))])
    text = try await token(JWT.sign(claims(), key: hmac)).1
    #expect(text.hasPrefix("The client assertion is refused: its algorithm 'HS256' is not one of this client."))
    text = try await token("no.jwt").1
    #expect(text.hasPrefix("The client assertion is refused: it is no JWT."))
  }

  @Test func anotherMethod() async throws {
    let assertion = try JWT.sign(claims(), key: key)
    #expect(try await token("", ["client_secret": "x"]).1.hasPrefix("The client must authenticate by private_key_jwt."))
    #expect(try await token(assertion, ["client_secret": "x"]).1.hasPrefix("The request has more than one method"))
    #expect(
      try await token(assertion, ["client_assertion_type": "saml"]).1.hasPrefix(
        "The client must authenticate by private_key_jwt."))
    let text = try await token(assertion, ["client_id": LocalTenant.nativeApplication.id]).1
    #expect(text.hasPrefix("The client must authenticate by its secret or its ID alone."))
  }

  @Test func theAudienceThatIsConfigured() async throws {
    try tenant.setAssertionAudience(.endpoint)
    #expect(try await token(JWT.sign(claims(), key: key)).0 == 400)
    let endpoint = "\(tenant.url)/contoso.onmicrosoft.com/b2c_1_susi/oauth2/v2.0/token"
    #expect(try await token(JWT.sign(claims(audience: endpoint), key: key)).0 == 200)
    try tenant.setAssertionAudience(.issuer)
    #expect(try await token(JWT.sign(claims(audience: endpoint), key: key)).0 == 400)
    #expect(try await token(JWT.sign(claims(), key: key)).0 == 200)
  }

  @Test(
    arguments: [
      (["token_endpoint_auth_method": "magic"], "the tenant knows no token_endpoint_auth_method \"magic\""),
      (
        ["token_endpoint_auth_method": "private_key_jwt"],
        "an application with private_key_jwt needs the public key of its assertions, in jwks"
      ),
      (
        ["jwks": ["keys": [["kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "d": "AA"]]]],
        "jwks has a private key; only public keys belong there"
      ),
      (
        ["jwks": ["keys": [["kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"]]]],
        "a key in jwks cannot be used: the EC key's x and y have 1 and 1 bytes; on P-256 both have 32"
      ),
    ] as [(JSON, String)])
  func aRegistrationThatIsRefused(_ metadata: JSON, _ message: String) throws {
    let error = #expect(throws: TenantError.self) { try tenant.addApplication(metadata) }
    #expect(error?.code == "invalid_client_metadata")
    #expect(error?.message == message)
  }
}
