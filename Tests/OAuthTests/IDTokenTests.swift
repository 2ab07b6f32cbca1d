import HTTPClient
import HTTPServer
import HostLoop
import JOSE
import OAuth
import Secrets
import Testing

@Suite struct IDTokenTests {
  private static let time = Int64(Provider.time)

  @Test @HostActor func aTokenInOrderIsBelieved() async throws {
    let provider = try Provider()
    let claims = try await provider.client().validate(idToken: provider.idToken(), nonce: "n-1", maxAge: 60)
    #expect(claims.subject == "alice")
    #expect(claims.objectID == "o-1")
    #expect(claims.name == "Alice")
    #expect(claims.emails == ["alice@example.com"])
    #expect(claims.policy == "B2C_1_in")
    #expect(claims.expiresAt == Provider.time + 3600)
  }

  @Test(
    arguments: [
      ["aud": ["app", "other"], "azp": "app"], ["exp": .integer(time - 299)], ["nbf": .integer(time + 299)],
      ["exp": .number(Double(time) + 10.5)], ["tfp": nil, "acr": "b2c_1_in"], ["tfp": nil], ["nbf": nil],
    ] as [[String: JSON]])
  @HostActor func variantsAreBelievedToo(_ changes: [String: JSON]) async throws {
    let provider = try Provider()
    _ = try await provider.client().validate(idToken: provider.idToken(changes), nonce: "n-1")
  }

  @Test(
    arguments: [
      (
        ["iss": "https://evil.example.com/"], "issuer_mismatch",
        "the ID token is from another issuer (iss): expected \"ISSUER\", got \"https://evil.example.com/\""
      ),
      (
        ["aud": "other"], "audience_mismatch",
        "the ID token is for another application (aud): expected \"app\", got \"other\""
      ),
      (["aud": ["app", "other"]], "missing_claim", "the ID token has no azp"),
      (["aud": nil], "missing_claim", "the ID token has no aud"),
      (
        ["azp": "other"], "audience_mismatch",
        "the ID token was given to another application (azp): expected \"app\", got \"other\""
      ),
      (["sub": nil], "missing_claim", "the ID token has no sub"),
      (
        ["exp": .integer(time - 300)], "token_expired",
        "the ID token has expired (exp): expected a time after 2023-11-14T22:13:20Z, got 2023-11-14T22:08:20Z"
      ),
      (["exp": nil], "missing_claim", "the ID token has no exp"),
      (
        ["exp": "1700003600"], "malformed_token",
        "the ID token's exp has a wrong type: expected a number, got \"1700003600\""
      ),
      (
        ["nbf": .integer(time + 301)], "token_not_yet_valid",
        "the ID token is not valid yet (nbf): expected a time before 2023-11-14T22:13:20Z, got 2023-11-14T22:18:21Z"
      ),
      (
        ["iat": .integer(time + 301)], "token_not_yet_valid",
        "the ID token is from the future (iat): expected a time before 2023-11-14T22:13:20Z, got 2023-11-14T22:18:21Z"
      ),
      (
        ["nonce": "n-2"], "nonce_mismatch",
        "the ID token belongs to another sign-in (nonce): expected \"n-1\", got \"n-2\""
      ),
      (["nonce": nil], "missing_claim", "the ID token has no nonce"),
      (
        ["auth_time": .integer(time - 400)], "authentication_too_old",
        "the user signed in too long ago (auth_time): expected at most 60 seconds before 2023-11-14T22:13:20Z, got "
          + "2023-11-14T22:06:40Z"
      ),
      (["auth_time": nil], "missing_claim", "the ID token has no auth_time"),
      (
        ["tfp": "b2c_1_other"], "policy_mismatch",
        "the ID token is from another policy (tfp): expected \"b2c_1_in\", got \"b2c_1_other\""
      ),
      (
        ["at_hash": "xxx"], "hash_mismatch",
        "the ID token belongs to another access token (at_hash): expected \"77QmUPtjPfzWtF2AnpK9RQ\", got \"xxx\""
      ),
    ] as [([String: JSON], String, String)])
  @HostActor func aWrongClaimIsNamedWithBothSides(
    _ changes: [String: JSON], _ code: String, _ message: String
  ) async throws {
    let provider = try Provider()
    let error = await oauthError {
      _ = try await provider.client().validate(
        idToken: provider.idToken(changes), nonce: "n-1", maxAge: 60,
        accessToken: Secret("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"))
    }
    #expect(error?.code == code)
    #expect(error?.message == message.replacing("ISSUER", with: provider.issuer))
    #expect(error?.stage == .validation)
  }

  /// The access token and its hash are those of OpenID Connect Core, A.3.
  @Test @HostActor func hashesThatMatchAreBelieved() async throws {
    let provider = try Provider()
    let token = try provider.idToken(["at_hash": "77QmUPtjPfzWtF2AnpK9RQ", "c_hash": "LDktKdoQak3Pk0cnXxCltA"])
    _ = try await provider.client().validate(
      idToken: token, nonce: "n-1", accessToken: Secret("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"),
      code: "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk")
  }

  @Test @HostActor func aTokenOfAnotherKeyIsRefused() async throws {
    let provider = try Provider()
    let forged = try provider.idToken(key: Provider.otherKey, header: ["kid": "key-1"])
    let error = await oauthError { _ = try await provider.client().validate(idToken: forged) }
    #expect(error?.code == "signature_mismatch")
    #expect(
      error?.message == "the ID token cannot be believed: the token's signature was not made by the key \"key-1\"")
  }

  @Test @HostActor func changedClaimsAreRefused() async throws {
    let provider = try Provider()
    let honest = try provider.idToken().split(separator: ".")
    let forged = try provider.idToken(["sub": "bob"]).split(separator: ".")
    let error = await oauthError {
      _ = try await provider.client().validate(idToken: "\(honest[0]).\(forged[1]).\(honest[2])")
    }
    #expect(error?.code == "signature_mismatch")
  }

  @Test @HostActor func unsignedTokensAndPublicKeysAsSecretsAreRefused() async throws {
    let provider = try Provider()
    let claims = try provider.idToken().split(separator: ".")[1]
    let none = Base64URL.encode(Array("{\"alg\":\"none\"}".utf8)) + ".\(claims)."
    var error = await oauthError { _ = try await provider.client().validate(idToken: none) }
    #expect(error?.code == "algorithm_not_allowed")
    #expect(
      error?.message == "the ID token is signed in a way that is not allowed (alg): expected RS256, got \"none\"")
    let publicKey = try #require(Provider.key).publicKey
    let secret = try JWK.symmetric(Array(publicKey.json.encoded().utf8), keyID: "key-1")
    let hmac = try provider.idToken(key: secret, header: ["alg": "HS256"])
    error = await oauthError { _ = try await provider.client().validate(idToken: hmac) }
    #expect(
      error?.message == "the ID token is signed in a way that is not allowed (alg): expected RS256, got \"HS256\"")
    provider.change { $0.metadata = ["id_token_signing_alg_values_supported": ["HS256", "none"]] }
    error = await oauthError { _ = try await provider.client().validate(idToken: hmac) }
    #expect(error?.code == "algorithm_not_allowed")
  }

  @Test(arguments: [
    ("", "the ID token cannot be believed: the token is not in compact form: it has 1 parts between dots instead of 3"),
    ("a.b.c", "the ID token cannot be believed: the token's header is not base64url"),
    ("e30.W10.", "the ID token cannot be believed: the token's payload is not a JSON object"),
  ])
  @HostActor func whatIsNoTokenIsSaidToBeNone(_ text: String, _ message: String) async throws {
    let provider = try Provider()
    let error = await oauthError { _ = try await provider.client().validate(idToken: text) }
    #expect(error?.message == message)
    #expect(error?.code == "malformed_token")
  }

  @Test @HostActor func newKeysAreFetchedOnceInAWhile() async throws {
    let provider = try Provider()
    let time = SharedTime()
    let client = OAuthClient(settings: try provider.settings(), http: HTTPClient(), now: { time.now })
    _ = try await client.validate(idToken: provider.idToken(), nonce: "n-1")
    #expect(provider.count("/keys") == 1)
    // The provider changes its keys: the new one is found by asking again.
    let newKey = try #require(Provider.otherKey)
    provider.change { $0.keys = [newKey] }
    _ = try await client.validate(idToken: provider.idToken(key: newKey), nonce: "n-1")
    #expect(provider.count("/keys") == 2)
    // A key nobody knows is not asked for again and again.
    for _ in 0..<3 {
      let error = await oauthError {
        _ = try await client.validate(idToken: provider.idToken(header: ["kid": "key-9"]))
      }
      #expect(
        error?.message == "the ID token is signed by a key that \(provider.issuer) does not publish (kid): expected "
          + "\"key-2\", got \"key-9\"")
    }
    #expect(provider.count("/keys") == 2)
    time.advance(6)
    _ = await oauthError { _ = try await client.validate(idToken: provider.idToken(header: ["kid": "key-9"])) }
    #expect(provider.count("/keys") == 3)
    // A clock that is set back does not end the search.
    time.advance(-3600)
    _ = await oauthError { _ = try await client.validate(idToken: provider.idToken(header: ["kid": "key-9"])) }
    #expect(provider.count("/keys") == 4)
  }

  @Test @HostActor func manyTokensOfUnknownKeysAskOnce() async throws {
    let provider = try Provider()
    let client = try provider.client()
    _ = try await client.validate(idToken: provider.idToken(), nonce: "n-1")
    let tokens = try (0..<20).map { try provider.idToken(header: ["kid": .string("random-\($0)")]) }
    await withTaskGroup(of: String?.self) { group in
      for token in tokens {
        group.addTask { await oauthError { _ = try await client.validate(idToken: token) }?.code }
      }
      for await code in group { #expect(code == "key_not_found") }
    }
    #expect(provider.count("/keys") == 2)
  }

  /// Whoever comes while the new keys are on their way waits for them.
  @Test @HostActor func manyTokensOfANewKeyAskOnceAndAreAllBelieved() async throws {
    let provider = try Provider()
    let client = try provider.client()
    _ = try await client.validate(idToken: provider.idToken(), nonce: "n-1")
    let newKey = try #require(Provider.otherKey)
    provider.change { $0.keys = [newKey] }
    let token = try provider.idToken(key: newKey)
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 { group.addTask { try await client.validate(idToken: token, nonce: "n-1").subject } }
      for try await subject in group { #expect(subject == "alice") }
    }
    #expect(provider.count("/keys") == 2)
  }

  @Test(
    arguments: [
      (["alg": nil], "the ID token's header does not say how it is signed: alg is missing"),
      (["alg": 5], "the ID token's header does not say how it is signed: alg is no string: 5"),
      (["alg": ["RS256"]], "the ID token's header does not say how it is signed: alg is no string: [\"RS256\"]"),
      (["typ": "at+jwt"], "the token is no ID token (typ): expected \"JWT\", got \"at+jwt\""),
      (["typ": "logout+jwt"], "the token is no ID token (typ): expected \"JWT\", got \"logout+jwt\""),
      (
        ["crit": ["exp"]],
        "the ID token cannot be believed: the token's header demands an extension (\"crit\") that is not supported"
      ),
      (
        ["crit": []],
        "the ID token cannot be believed: the token's header demands an extension (\"crit\") that is not supported"
      ),
    ] as [([String: JSON], String)])
  @HostActor func headersThatCannotBeTrustedAreRefused(_ changes: [String: JSON], _ message: String) async throws {
    let provider = try Provider()
    let honest = try provider.idToken().split(separator: ".")
    var header: [String: JSON] = ["alg": "RS256", "kid": "key-1", "typ": "JWT"]
    for (name, value) in changes { header[name] = value == .null ? .none : value }
    let token = "\(Base64URL.encode(JSON.object(header).encoded().utf8)).\(honest[1]).\(honest[2])"
    let error = await oauthError { _ = try await provider.client().validate(idToken: token, nonce: "n-1") }
    #expect(error?.code == "malformed_token")
    #expect(error?.message == message)
  }

  /// `jwk`, `jku` and `x5u` let a token name its own key: they are not looked at (RFC 8725, 3.10).
  @Test @HostActor func keysThatATokenBringsAreNotUsed() async throws {
    let provider = try Provider()
    let forger = try #require(Provider.otherKey)
    let header: [String: JSON] = try [
      "kid": "key-1", "jwk": forger.publicKey.json, "jku": .string("\(provider.url)/evil"),
      "x5u": .string("\(provider.url)/evil"),
    ]
    let forged = try provider.idToken(key: forger, header: header)
    let error = await oauthError { _ = try await provider.client().validate(idToken: forged, nonce: "n-1") }
    #expect(error?.code == "signature_mismatch")
    #expect(provider.count("/evil") == 0)
  }

  @Test(
    arguments: [
      (
        #"{"alg": "RS256", "alg": "none", "kid": "key-1"}"#, nil,
        "the ID token cannot be believed: the token's header is not JSON: duplicate object key near '\"alg\"'"
      ),
      (
        nil, #"{"sub": "alice", "sub": "bob"}"#,
        "the ID token cannot be believed: the token's payload is not JSON: duplicate object key near '\"sub\"'"
      ),
      (
        nil, "{\"a\": " + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}",
        "the ID token cannot be believed: the token's payload is not JSON: arrays and objects nest more than 32 deep"
      ),
      (
        nil, "{\"a\": \"" + String(repeating: "x", count: 300 << 10) + "\"}",
        "the ID token cannot be believed: the token is longer than 256 KiB: 400 KiB"
      ),
    ] as [(String?, String?, String)])
  @HostActor func doubleNamesDepthAndSizeAreRefused(
    _ header: String?, _ claims: String?, _ message: String
  ) async throws {
    let provider = try Provider()
    let honest = try provider.idToken().split(separator: ".").map(String.init)
    let parts = [
      header.map { Base64URL.encode($0.utf8) } ?? honest[0], claims.map { Base64URL.encode($0.utf8) } ?? honest[1],
    ]
    let token = "\(parts[0]).\(parts[1]).\(honest[2])"
    let error = await oauthError { _ = try await provider.client().validate(idToken: token, nonce: "n-1") }
    #expect(error?.message == message)
  }

  /// One token has one spelling.
  @Test(arguments: ["=", "\n", " ", "A", "%3D"]) @HostActor
  func otherSpellingsAreRefused(_ end: String) async throws {
    let provider = try Provider()
    let token = try provider.idToken()
    for spoiled in [token + end, token.replacing(".", with: end + "."), end + token] {
      let error = await oauthError { _ = try await provider.client().validate(idToken: spoiled, nonce: "n-1") }
      #expect(error?.code == "malformed_token" || error?.code == "signature_mismatch")
    }
  }

  @Test @HostActor func withoutAKeyIDTheOnlyKeyIsTaken() async throws {
    let provider = try Provider()
    _ = try await provider.client().validate(idToken: provider.idToken(header: ["kid": nil]), nonce: "n-1")
    let second = try #require(Provider.otherKey)
    provider.change { $0.keys.append(second) }
    let error = await oauthError {
      _ = try await provider.client().validate(idToken: provider.idToken(header: ["kid": nil]))
    }
    #expect(error?.code == "key_not_found")
  }

  @Test @HostActor func keysOfOtherTypesAndUsesMayShareTheID() async throws {
    let provider = try Provider()
    let rsa = try #require(Provider.key)
    let ec = try JWK.generateEC(keyID: "key-1")
    var members = try #require(Provider.otherKey?.json.object)
    (members["kid"], members["use"]) = ("key-1", "enc")
    let encryption = try JWK(.object(members))
    provider.change { $0.keys = [ec, encryption, rsa] }
    for header in [[:], ["kid": nil]] as [[String: JSON]] {
      _ = try await provider.client().validate(idToken: provider.idToken(header: header), nonce: "n-1")
    }
  }

  @Test @HostActor func withoutMetadataNothingIsBelieved() async throws {
    let provider = try Provider()
    let client = try provider.client([
      "authority": nil, "authURL": .string("\(provider.url)/authorize"), "tokenURL": .string("\(provider.url)/token"),
    ])
    let error = await oauthError { _ = try await client.validate(idToken: provider.idToken()) }
    #expect(error?.message == "settings.plist does not tell where the provider's metadata document is")
  }
}
