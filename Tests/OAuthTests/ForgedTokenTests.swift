import Crypto
import HostLoop
import JOSE
import JSON
import OAuth
import Testing

/// Tests of tokens that are forged, changed, or written in a way that no provider uses.
@Suite struct ForgedTokenTests {
  @Test @HostActor func aTokenOfAnotherKeyIsRefused() async throws {
    let provider = try Provider()
    let forged = try provider.idToken(key: Provider.otherKey, header: ["kid": "key-1"])
    let error = await oauthError { _ = try await IDTokenValidator(provider.client()).validate(idToken: forged) }
    #expect(error?.code == "signature_mismatch")
    #expect(
      error?.message == "the ID token cannot be believed: the token's signature was not made by the key \"key-1\"")
  }

  @Test @HostActor func changedClaimsAreRefused() async throws {
    let provider = try Provider()
    let honest = try provider.idToken().split(separator: ".")
    let forged = try provider.idToken(["sub": "bob"]).split(separator: ".")
    let error = await oauthError {
      _ = try await IDTokenValidator(provider.client()).validate(idToken: "\(honest[0]).\(forged[1]).\(honest[2])")
    }
    #expect(error?.code == "signature_mismatch")
  }

  @Test @HostActor func unsignedTokensAndPublicKeysAsSecretsAreRefused() async throws {
    let provider = try Provider()
    let claims = try provider.idToken().split(separator: ".")[1]
    let none = Base64URL.encode(Array("{\"alg\":\"none\"}".utf8)) + ".\(claims)."
    var error = await oauthError { _ = try await IDTokenValidator(provider.client()).validate(idToken: none) }
    #expect(error?.code == "algorithm_not_allowed")
    #expect(
      error?.message == "the ID token is signed in a way that is not allowed (alg): expected RS256, got \"none\"")
    let publicKey = try #require(Provider.key).publicKey
    let secret = try JWK.symmetric(Array(publicKey.json.encoded().utf8), keyID: "key-1")
    let hmac = try provider.idToken(key: secret, header: ["alg": "HS256"])
    error = await oauthError { _ = try await IDTokenValidator(provider.client()).validate(idToken: hmac) }
    #expect(
      error?.message == "the ID token is signed in a way that is not allowed (alg): expected RS256, got \"HS256\"")
    provider.change { $0.metadata = ["id_token_signing_alg_values_supported": ["HS256", "none"]] }
    error = await oauthError { _ = try await IDTokenValidator(provider.client()).validate(idToken: hmac) }
    #expect(error?.code == "algorithm_not_allowed")
  }

  @Test(arguments: [
    ("", "the ID token cannot be believed: the token is not in compact form: it has 1 parts between dots instead of 3"),
    ("a.b.c", "the ID token cannot be believed: the token's header is not base64url"),
    ("e30.W10.", "the ID token cannot be believed: the token's payload is not a JSON object"),
  ])
  @HostActor func whatIsNoTokenIsSaidToBeNone(_ text: String, _ message: String) async throws {
    let provider = try Provider()
    let error = await oauthError { _ = try await IDTokenValidator(provider.client()).validate(idToken: text) }
    #expect(error?.message == message)
    #expect(error?.code == "malformed_token")
  }

  @Test(
    arguments: [
      (["alg": nil], "the ID token's header does not say how it is signed: alg is missing"),
      (["alg": 5], "the ID token's header does not say how it is signed: alg is not a string: 5"),
      (["alg": ["RS256"]], "the ID token's header does not say how it is signed: alg is not a string: [\"RS256\"]"),
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
    let error = await oauthError {
      _ = try await IDTokenValidator(provider.client()).validate(idToken: token, nonce: "n-1")
    }
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
    let error = await oauthError {
      _ = try await IDTokenValidator(provider.client()).validate(idToken: forged, nonce: "n-1")
    }
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
    let error = await oauthError {
      _ = try await IDTokenValidator(provider.client()).validate(idToken: token, nonce: "n-1")
    }
    #expect(error?.message == message)
  }

  /// One token has one spelling.
  @Test(arguments: ["=", "\n", " ", "A", "%3D"]) @HostActor
  func otherSpellingsAreRefused(_ end: String) async throws {
    let provider = try Provider()
    let token = try provider.idToken()
    for spoiled in [token + end, token.replacing(".", with: end + "."), end + token] {
      let error = await oauthError {
        _ = try await IDTokenValidator(provider.client()).validate(idToken: spoiled, nonce: "n-1")
      }
      #expect(error?.code == "malformed_token" || error?.code == "signature_mismatch")
    }
  }
}
