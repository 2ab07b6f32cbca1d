import Core
import Crypto
import HTTPServer
import HostLoop
import JOSE
import JSON
import OAuth
import Testing

/// Client assertions (RFC 7523): `private_key_jwt` and `client_secret_jwt`.
@Suite struct ClientAssertionTests {
  private static let secret = "a secret of more than thirty-two bytes"

  @HostActor private func client(
    _ provider: Provider, _ settings: [String: JSON], _ metadata: [String: JSON] = [:], key: PrivateKey? = nil
  ) throws -> OAuth.Provider {
    let issuer = "\(provider.url)/plain"
    let document: [String: JSON] = [
      "issuer": .string(issuer), "token_endpoint": .string("\(provider.url)/token"),
      "revocation_endpoint": .string("\(provider.url)/revoke"),
    ]
    provider.answer(
      "/plain/.well-known/openid-configuration", JSON.object(document.merging(metadata) { $1 }).encoded())
    provider.token("{\"access_token\": \"access-1\"}")
    provider.answer("/revoke", "{}")
    let client = try provider.client(
      ["authority": .string(issuer), "policies": .null, "clientSecret": .null].merging(settings) { $1 })
    client.credentials.loadKey = { _ in try key ?? .generate(.ec(curve: "P-256")) }
    return client
  }

  private func assertion(_ request: ServerRequest?) throws -> (form: [String: String], jwt: JWT, text: String) {
    let form = Dictionary(uniqueKeysWithValues: try #require(request).form)
    let text = try #require(form["client_assertion"])
    return (form, try JWT(decoding: text), text)
  }

  @Test @HostActor func theKeySignsANewAssertionForEachRequest() async throws {
    let provider = try Provider()
    let key = try PrivateKey.generate(.ec(curve: "P-256"))
    let client = try client(provider, ["clientKey": "stored:mine"], key: key)
    var seen: Set<String> = []
    for send: @HostActor () async throws -> Void in [
      { _ = try await TokenEndpoint(client).token(TokenTests.code) },
      { _ = try await TokenEndpoint(client).token(.refreshToken(Secret("r"))) },
      { _ = try await RevocationEndpoint(client).revoke(Secret("r")) },
    ] {
      try await send()
      let (form, jwt, text) = try assertion(provider.last)
      #expect(form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
      #expect(form["client_secret"] == nil && form["client_id"] == "app")
      #expect(provider.last?.header("Authorization") == nil)
      #expect(jwt.claims["iss"] == "app" && jwt.claims["sub"] == "app")
      #expect(jwt.claims["aud"] == .string("\(provider.url)/plain"))
      #expect(jwt.header["alg"] == "ES256" && jwt.header["kid"]?.string == key.keyID)
      let (issued, expires) = (jwt.claims["iat"]?.lenientInteger ?? 0, jwt.claims["exp"]?.lenientInteger ?? 0)
      #expect(expires - issued == 60)
      _ = try JWS.verify(text, key: key.counterpart, algorithms: ["ES256"])
      seen.insert(jwt.claims["jti"]?.string ?? "")
    }
    #expect(seen.count == 3)
  }

  @Test @HostActor func theSecretAuthenticates() async throws {
    let provider = try Provider()
    let client = try client(
      provider, ["clientSecret": .string(Self.secret), "clientAuthentication": "client_secret_jwt"])
    _ = try await TokenEndpoint(client).token(TokenTests.code)
    let (form, jwt, text) = try assertion(provider.last)
    #expect(form["client_secret"] == nil && jwt.header["alg"] == "HS256")
    _ = try JWS.verify(text, key: .symmetric(Array(Self.secret.utf8)), algorithms: ["HS256"])
  }

  @Test @HostActor func theAudience() async throws {
    let provider = try Provider()
    let settings: [String: JSON] = ["clientKey": "stored:mine", "clientAssertionAudience": "endpoint"]
    _ = try await TokenEndpoint(client(provider, settings)).token(TokenTests.code)
    #expect(try assertion(provider.last).jwt.claims["aud"] == .string("\(provider.url)/token"))
    // Nothing but the address says whom an assertion is for, whatever the setting issuer names.
    let blind: [String: JSON] = [
      "clientKey": "stored:mine", "authority": .null, "issuer": "https://other.example",
      "tokenURL": .string("\(provider.url)/token"), "authURL": .string("\(provider.url)/authorize"),
    ]
    _ = try await TokenEndpoint(client(provider, blind)).token(TokenTests.code)
    #expect(try assertion(provider.last).jwt.claims["aud"] == .string("\(provider.url)/token"))
  }

  @Test @HostActor func theAlgorithmIsOneOfTheProvider() async throws {
    let provider = try Provider()
    let key = try PrivateKey.generate(.rsa(bits: 2048))
    let only = { (algorithm: JSON) in ["token_endpoint_auth_signing_alg_values_supported": JSON.array([algorithm])] }
    _ = try await TokenEndpoint(client(provider, ["clientKey": "stored:mine"], only("PS256"), key: key)).token(
      TokenTests.code)
    #expect(try assertion(provider.last).jwt.header["alg"] == "PS256")
    let client = try client(provider, ["clientKey": "stored:mine"], only("ES256"), key: key)
    let error = await oauthError { _ = try await TokenEndpoint(client).token(TokenTests.code) }
    #expect(error?.code == "algorithm_not_allowed")
    #expect(error?.message.contains("takes no assertion that the new key can sign") == true)
    #expect(error?.details["actual"] == "ES256")
  }

  @Test @HostActor func keysThatCannotBeUsed() async throws {
    let provider = try Provider()
    let symmetric = try client(provider, ["clientKey": "stored:mine"], key: .generate(.symmetric(bits: 256)))
    var error = await oauthError { _ = try await TokenEndpoint(symmetric).token(TokenTests.code) }
    #expect(error?.code == "invalid_key")
    #expect(error?.message == "private_key_jwt needs a private key, and the new key is a symmetric one")
    let short = try client(provider, ["clientSecret": "short", "clientAuthentication": "client_secret_jwt"])
    error = await oauthError { _ = try await TokenEndpoint(short).token(TokenTests.code) }
    #expect(
      error?.message
        == "client_secret_jwt needs a client secret of at least 32 bytes (RFC 7518, 3.2); settings.plist has one of 5")
    let missing = try client(provider, ["clientAuthentication": "private_key_jwt"])
    error = await oauthError { _ = try await TokenEndpoint(missing).token(TokenTests.code) }
    #expect(error?.message == "settings.plist: clientAuthentication is private_key_jwt, and clientKey is missing")
    let weak = try client(provider, ["clientKey": "stored:mine"])
    weak.credentials.loadKey = { _ in
      try PrivateKey(jwk: [
        "kty": "RSA", "n": .string(Base64URL.encode([UInt8](repeating: 255, count: 128))), "e": "AQAB",
      ])
    }
    error = await oauthError { _ = try await TokenEndpoint(weak).token(TokenTests.code) }
    #expect(error?.code == "invalid_key")
    #expect(
      error?.message
        == "clientKey in settings.plist: the JSON Web Key: the RSA key has 1024 bits; at least 2048 are needed")
    #expect(provider.last?.path != "/token")
  }

  @Test(arguments: [(nil, "issuer", "endpoint"), ("endpoint", "endpoint", "issuer")] as [(String?, String, String)])
  @HostActor func aRefusalNamesTheOtherAudience(_ setting: String?, _ used: String, _ other: String) async throws {
    let provider = try Provider()
    let client = try client(
      provider, ["clientKey": "stored:mine", "clientAssertionAudience": setting.map(JSON.string) ?? .null])
    provider.token(#"{"error": "invalid_client"}"#, status: 401)
    let error = await oauthError { _ = try await TokenEndpoint(client).token(TokenTests.code) }
    #expect(
      error?.hint == "check clientID, the key or secret and its registration; the assertion was for the \(used), and "
        + "clientAssertionAudience = \(other) makes one for the \(other)")
  }

  @Test(
    arguments: [
      (["private_key_jwt"], true), (["none"], false), (nil, true), (["client_secret_basic", "private_key_jwt"], true),
    ] as [([String]?, Bool)])
  @HostActor func aKeyIsUsedWhereTheProviderTakesOne(_ methods: [String]?, _ isUsed: Bool) async throws {
    let provider = try Provider()
    var metadata: [String: JSON] = [:]
    metadata["token_endpoint_auth_methods_supported"] = methods.map { .array($0.map(JSON.string)) }
    _ = try await TokenEndpoint(client(provider, ["clientKey": "stored:mine"], metadata)).token(TokenTests.code)
    let form = Dictionary(uniqueKeysWithValues: provider.last?.form ?? [])
    #expect((form["client_assertion"] != nil) == isUsed)
  }
}
