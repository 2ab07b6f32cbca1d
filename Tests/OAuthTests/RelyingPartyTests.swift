import Core
import Crypto
import HostLoop
import JOSE
import JSON
import OAuth
import Testing

/// The ID-token tests of the OpenID Foundation's conformance suite for relying parties, by their names.
///
/// The tests of userinfo endpoints (`rp-userinfo-*`, `rp-scope-userinfo-claims`) have no counterpart, because this client asks no such endpoint. The
/// tests of dynamic registration, `request_uri` and WebFinger have none either (`rp-registration-*`, `rp-request_uri-*`,
/// `rp-discovery-webfinger-*`).
@Suite struct RelyingPartyTests {
  /// One test of the suite: the change to a valid token, and the expected result.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var claims: [String: JSON] = [:]
    var header: [String: JSON] = [:]
    /// Nil for a token to be believed.
    var refusal: (code: String, message: String)?

    var testDescription: String { name }

    init(
      _ name: String, _ claims: [String: JSON] = [:], header: [String: JSON] = [:], _ code: String? = nil,
      _ message: String? = nil
    ) {
      self.name = name
      self.claims = claims
      self.header = header
      if let code, let message { refusal = (code, message) }
    }
  }

  static let time = Int64(Provider.time)

  @Test(
    arguments: [
      Case("rp-id_token-sig-rs256"),
      Case("rp-nonce-unless-code-flow"),
      Case("rp-id_token-kid-absent-single-jwks", header: ["kid": nil]),
      Case(
        "rp-id_token-issuer-mismatch", ["iss": "https://example.org/"], "issuer_mismatch",
        "the ID token is from another issuer (iss): expected \"ISSUER\", got \"https://example.org/\""),
      Case("rp-id_token-sub", ["sub": nil], "missing_claim", "the ID token has no sub"),
      Case("rp-id_token-sub (empty)", ["sub": ""], "missing_claim", "the ID token has no sub"),
      Case(
        "rp-id_token-sub (number)", ["sub": 5], "malformed_token",
        "the ID token's sub has a wrong type: expected a string, got 5"),
      Case("rp-id_token-sub (255 characters)", ["sub": .string(String(repeating: "s", count: 255))]),
      Case(
        "rp-id_token-sub (256 characters)", ["sub": .string(String(repeating: "s", count: 256))], "malformed_token",
        "the ID token's sub has 256 characters, more than 255"),
      Case(
        "rp-id_token-aud", ["aud": "https://example.com/"], "audience_mismatch",
        "the ID token is for another application (aud): expected \"app\", got \"https://example.com/\""),
      Case("rp-id_token-aud (array)", ["aud": ["app"]]),
      Case("rp-id_token-aud (several, azp)", ["aud": ["other", "app"], "azp": "app"]),
      Case(
        "rp-id_token-aud (several)", ["aud": ["other", "app"]], "missing_claim", "the ID token has no azp"),
      Case(
        "rp-id_token-aud (several, another's azp)", ["aud": ["other", "app"], "azp": "other"], "audience_mismatch",
        "the ID token was given to another application (azp): expected \"app\", got \"other\""),
      Case(
        "rp-id_token-aud (array of others)", ["aud": ["other", "third"], "azp": "app"], "audience_mismatch",
        "the ID token is for another application (aud): expected \"app\", got \"other, third\""),
      Case(
        "rp-id_token-aud (numbers)", ["aud": ["app", 5]], "malformed_token",
        "the ID token's aud has a wrong type: expected a string or an array of strings, got [\"app\",5]"),
      Case(
        "rp-id_token-aud (empty)", ["aud": []], "malformed_token",
        "the ID token's aud has a wrong type: expected a string or an array of strings, got []"),
      Case("rp-id_token-iat", ["iat": nil], "missing_claim", "the ID token has no iat"),
      Case(
        "rp-id_token-iat (future)", ["iat": .integer(time + 301)], "token_not_yet_valid",
        "the ID token is from the future (iat): expected a time before 2023-11-14T22:13:20Z, got 2023-11-14T22:18:21Z"),
      Case("rp-id_token-exp", ["exp": nil], "missing_claim", "the ID token has no exp"),
      Case(
        "rp-id_token-exp (past)", ["exp": .integer(time - 300)], "token_expired",
        "the ID token has expired (exp): expected a time after 2023-11-14T22:13:20Z, got 2023-11-14T22:08:20Z"),
      Case(
        "rp-nonce-invalid", ["nonce": "012345678"], "nonce_mismatch",
        "the ID token belongs to another sign-in (nonce): expected \"n-1\", got \"012345678\""),
      Case("rp-nonce-invalid (absent)", ["nonce": nil], "missing_claim", "the ID token has no nonce"),
      Case(
        "rp-id_token-sig-none", header: ["alg": "none"], "algorithm_not_allowed",
        "the ID token is signed in a way that is not allowed (alg): expected RS256, got \"none\""),
      Case(
        "rp-id_token-sig-none (letter case)", header: ["alg": "nOnE"], "algorithm_not_allowed",
        "the ID token is signed in a way that is not allowed (alg): expected RS256, got \"nOnE\""),
      Case(
        "rp-id_token-bad-sig-hs256", header: ["alg": "HS256"], "algorithm_not_allowed",
        "the ID token is signed in a way that is not allowed (alg): expected RS256, got \"HS256\""),
      Case(
        "rp-id_token-bad-sig-rs256", header: ["alg": "RS256", "sig": "changed"], "signature_mismatch",
        "the ID token cannot be believed: the token's signature was not made by the key \"key-1\""),
    ])
  @HostActor func anIDTokenOfTheCodeFlow(_ test: Case) async throws {
    let provider = try Provider()
    let token: String
    if let algorithm = test.header["alg"] {
      // Claims in order with another header, and with the signature of the usual one where there is to be any.
      let parts = try provider.idToken(test.claims).split(separator: ".")
      let header: JSON = ["alg": algorithm, "kid": "key-1", "changed": .bool(test.header["sig"] != nil)]
      token = "\(Base64URL.encode(header.encoded().utf8)).\(parts[1]).\(algorithm == "RS256" ? parts[2] : "")"
    } else {
      token = try provider.idToken(test.claims, header: test.header)
    }
    let error = await oauthError {
      _ = try await IDTokenValidator(provider.client()).validate(idToken: token, nonce: "n-1")
    }
    #expect(error?.code == test.refusal?.code)
    #expect(error?.message == test.refusal?.message.replacing("ISSUER", with: provider.issuer))
  }

  @Test("rp-id_token-kid-absent-multiple-jwks") @HostActor
  func kidAbsentMultipleKeys() async throws {
    let provider = try Provider()
    let second = try #require(Provider.otherKey)
    provider.change { $0.keys.append(second) }
    let error = await oauthError {
      _ = try await IDTokenValidator(provider.client()).validate(
        idToken: provider.idToken(header: ["kid": nil]), nonce: "n-1")
    }
    #expect(
      error?.message == "the ID token is signed by a key that \(provider.issuer) does not publish (kid): expected "
        + "\"key-1\", \"key-2\", got none")
  }

  @Test("rp-id_token-kid-absent-multiple-jwks: one for the algorithm") @HostActor
  func kidAbsentOneKeyForTheAlgorithm() async throws {
    let provider = try Provider()
    var members = try #require(Provider.otherKey?.json.object)
    members["alg"] = "RS512"
    let second = try JWK(.object(members))
    provider.change { $0.keys.append(second) }
    _ = try await IDTokenValidator(provider.client()).validate(
      idToken: provider.idToken(header: ["kid": nil]), nonce: "n-1")
  }

  @Test("rp-id_token-sig-…, rp-id_token-bad-sig-…", arguments: RelyingPartyKeys.all) @HostActor
  func signatures(_ key: RelyingPartyKeys.Named) async throws {
    let provider = try Provider()
    let honest = try #require(key.key)
    let forger = try #require(key.other)
    provider.change {
      $0.keys = [honest]
      $0.metadata = ["id_token_signing_alg_values_supported": ["RS256", .string(key.algorithm)]]
    }
    let header: [String: JSON] = ["alg": .string(key.algorithm), "kid": "k"]
    _ = try await IDTokenValidator(provider.client()).validate(
      idToken: provider.idToken(key: honest, header: header), nonce: "n-1")
    let forged = try provider.idToken(key: forger, header: header)
    let error = await oauthError {
      _ = try await IDTokenValidator(provider.client()).validate(idToken: forged, nonce: "n-1")
    }
    #expect(
      error?.message == "the ID token cannot be believed: the token's signature was not made by the key \"k\"")
  }

  @Test("rp-key-rotation-op-sign-key, rp-key-rotation-op-sign-key-native") @HostActor
  func keyRotation() async throws {
    let provider = try Provider()
    let client = try provider.client()
    _ = try await IDTokenValidator(client).validate(idToken: provider.idToken(), nonce: "n-1")
    let newKey = try #require(Provider.otherKey)
    provider.change { $0.keys = [newKey] }
    _ = try await IDTokenValidator(client).validate(idToken: provider.idToken(key: newKey), nonce: "n-1")
  }

  @Test("rp-discovery-issuer-not-matching-config") @HostActor
  func issuerNotMatchingTheConfiguration() async throws {
    let provider = try Provider()
    provider.change { $0.metadata = ["issuer": "https://example.com"] }
    let error = await oauthError { _ = try await provider.client().metadata() }
    #expect(error?.code == "issuer_mismatch")
    #expect(
      error?.message.hasSuffix("expected \"\(provider.url)\(Provider.path)\", got \"https://example.com\"") == true)
  }

  @Test("rp-discovery-openid-configuration, rp-discovery-jwks_uri-keys") @HostActor
  func discovery() async throws {
    let provider = try Provider()
    let metadata = try await provider.client().metadata()
    #expect(metadata[.keys]?.hasSuffix("/keys") == true)
  }
}

/// A pair of keys for each algorithm, made once: keys are slow to make.
enum RelyingPartyKeys {
  struct Named: Sendable, CustomTestStringConvertible {
    var algorithm: String
    var key: JWK?
    var other: JWK?
    var testDescription: String { "rp-id_token-sig-\(algorithm.lowercased())" }
  }

  static let all: [Named] = {
    let rsa = (try? JWK.generateRSA(keyID: "k"), try? JWK.generateRSA(keyID: "k"))
    let curves = ["ES256": "P-256", "ES384": "P-384", "ES512": "P-521"]
    return ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"].map { algorithm in
      func edKey() -> JWK? { try? JWK(PrivateKey.generate(.ed25519, keyID: "k").reveal()) }
      if algorithm == "EdDSA" { return Named(algorithm: algorithm, key: edKey(), other: edKey()) }
      guard let curve = curves[algorithm] else { return Named(algorithm: algorithm, key: rsa.0, other: rsa.1) }
      func key() -> JWK? { try? JWK.generateEC(curve: curve, keyID: "k") }
      return Named(algorithm: algorithm, key: key(), other: key())
    }
  }()
}
