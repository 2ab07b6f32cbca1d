import Conform
import Core
import Crypto
import HTTPClient
import JOSE
import JSON

/// Client authentication: secrets and assertions, wrong in each way.
extension ProviderCheck {
  private static let topic = Topic(
    "provider.client", "Client authentication", wrong: .provider,
    means: "Somebody who is not the client gets the client's tokens.",
    change: [
      "In general": "Authenticate each confidential client at each endpoint, by the one method that it registered.",
      "Entra": "Prefer a certificate or a federated credential to a secret.",
    ])

  static let clients: [ProviderCheck] = secrets + assertions

  private static let secrets: [ProviderCheck] = [
    .init(
      topic, "wrong-secret", "A wrong secret is refused", "sends another client_secret",
      .must("the error is invalid_client", "RFC 6749, 3.2.1 and 5.2"), danger: .mayLock, peers: ["oauch:ClientSecretVerified"]
    ) { try await $0.withSecret(SecureRandom.token()).refused("invalid_client") },
    .init(
      topic, "empty-secret", "An empty secret is refused", "sends an empty client_secret",
      .must("the error is invalid_client", "RFC 6749, 3.2.1 and 5.2"), danger: .mayLock
    ) { try await $0.withSecret("").refused("invalid_client", "invalid_request") },
    .init(
      topic, "no-secret", "A confidential client without its secret is refused", "sends the client_id alone",
      .must("confidential clients authenticate", "RFC 6749, 3.2.1; RFC 9700, 2.5"), peers: ["oauch:ClientAuthenticationRequired"]
    ) { try await $0.withSecret(nil).refused("invalid_client", "invalid_request") },
    .init(
      topic, "secret-case", "A secret in another letter case is refused", "sends the secret in upper case",
      .must("secrets are compared exactly", "RFC 6749, 2.3.1 and 10.1"), danger: .mayLock
    ) { trial in
      let secret = try trial.secretClient.secret?.reveal() ?? ""
      let changed = secret == secret.uppercased() ? secret.lowercased() : secret.uppercased()
      return try await trial.withSecret(changed).refused("invalid_client")
    },
    .init(
      topic, "secret-space", "A secret with a space at its end is refused", "adds a space to the secret",
      .must("secrets are compared exactly", "RFC 6749, 2.3.1"), danger: .mayLock
    ) { trial in try await trial.withSecret((try trial.secretClient.secret?.reveal() ?? "") + " ").refused("invalid_client") },
    .init(
      topic, "basic-wrong", "A wrong secret in the header is refused by 401", "sends a wrong secret by HTTP Basic",
      .must("the status is 401, with WWW-Authenticate", "RFC 6749, 5.2"), danger: .mayLock
    ) { trial in
      let answer = try await trial.withHeader { Trial.basic($0.id, SecureRandom.token()) }
      guard answer.status == 401 else { return answer.isSuccess ? answer.refused() : .broken("the status is \(answer.shown)") }
      return trial.finding(answer.headers["WWW-Authenticate"] != nil, "401 with WWW-Authenticate", "401 without WWW-Authenticate")
    },
    .init(
      topic, "basic-other", "The secret of another client is refused", "sends another client's ID with this secret",
      .must("a secret belongs to its client", "RFC 6749, 2.3.1"), danger: .mayLock
    ) { trial in
      let other = try trial.client.id
      return try await trial.withHeader { Trial.basic(other == $0.id ? "conform-unknown" : other, $0.secret?.reveal() ?? "") }.refused()
    },
    .init(
      topic, "basic-broken", "A header that is no Base64 is refused", "sends Authorization: Basic %%%",
      .must("a malformed header is an error", "RFC 7617, 2; RFC 6749, 5.2"), danger: .mayLock
    ) { try await $0.withHeader { _ in "Basic %%%" }.refused() },
    .init(
      topic, "two-methods", "Two methods of authentication are refused", "sends the secret in header and form",
      .must("a request has one method of authentication", "RFC 6749, 2.3")
    ) { trial in
      let client = try trial.secretClient
      let (attempt, code) = try await trial.code(as: client)
      var form = attempt.form(code: code)
      form["client_id"] = client.id
      form["client_secret"] = client.secret?.reveal()
      let header = Trial.basic(client.id, client.secret?.reveal() ?? "")
      return try await trial.post(try trial.endpoint("token_endpoint"), form, as: nil, ["Authorization": header]).refused()
    },
    .init(
      topic, "ids-differ", "Another client_id beside the header is refused", "sends another client_id in the form",
      .must("the request names one client", "RFC 6749, 2.3 and 3.2.1")
    ) { trial in
      let client = try trial.secretClient
      let (attempt, code) = try await trial.code(as: client)
      var form = attempt.form(code: code)
      form["client_id"] = "conform-other"
      let header = Trial.basic(client.id, client.secret?.reveal() ?? "")
      return try await trial.post(try trial.endpoint("token_endpoint"), form, as: nil, ["Authorization": header]).refused()
    },
    .init(
      topic, "unknown", "An unknown client is refused", "sends a client_id that never was",
      .must("the error is invalid_client", "RFC 6749, 5.2")
    ) { trial in
      let form: Fields = ["grant_type": "authorization_code", "code": "x", "redirect_uri": try trial.client.redirectURI, "client_id": "conform-unknown"]
      return try await trial.post(try trial.endpoint("token_endpoint"), form, as: nil).refused("invalid_client", "unauthorized_client", "invalid_request")
    },
    .init(
      topic, "none", "A request without a client is refused", "sends no client_id",
      .must("public clients send client_id", "RFC 6749, 3.2.1 and 4.1.3")
    ) { trial in
      let (attempt, code) = try await trial.code()
      return try await trial.post(try trial.endpoint("token_endpoint"), attempt.form(code: code), as: nil)
        .refused("invalid_client", "invalid_request")
    },
    .init(
      topic, "id-twice", "Two client IDs are refused", "sends client_id twice", .must("parameters come once", "RFC 6749, 3.2")
    ) { try await $0.exchange { $0.add("client_id", "conform-first"); $0.add("client_id", "conform-second") }.refused() },
    .init(
      topic, "public-secret", "A public client cannot send a secret", "sends a secret as a public client",
      .should("a client without a secret is not authenticated by one", "RFC 6749, 2.3.1")
    ) { trial in
      guard try trial.client.method == .none else { return .notUsed("a confidential client") }
      return try await trial.exchange { $0["client_secret"] = SecureRandom.token() }.refused()
    },
    .init(
      topic, "query-secret", "A secret in the query is refused", "sends the secret in the address",
      .must("secrets are not in addresses", "RFC 6749, 2.3.1"), danger: .mayLock
    ) { trial in
      let client = try trial.secretClient
      let (attempt, code) = try await trial.code(as: client)
      let secret: Fields = ["client_id": client.id, "client_secret": client.secret?.reveal() ?? ""]
      let url = WebAddress(try trial.endpoint("token_endpoint")).appending(secret.encoded)
      return try await trial.post(url, attempt.form(code: code), as: nil).refused()
    },
    .init(
      topic, "refresh-unauthenticated", "A refresh without the secret is refused", "refreshes as a confidential client without its secret",
      .must("confidential clients authenticate to refresh", "RFC 6749, 6")
    ) { trial in
      let client = try trial.secretClient
      let token = try await trial.refreshToken(as: client).token
      var bare = client
      (bare.method, bare.secret) = (.none, nil)
      return try await trial.refresh(token, as: bare).refused("invalid_client", "invalid_request")
    },
  ]

  // MARK: Assertions

  private static let rfc7523 = "RFC 7523, 3"

  private typealias Change = @Sendable (inout [String: JSON], Trial) throws -> Void

  private static let wrongClaims: [(name: String, title: String, action: String, rule: Rule, change: Change)] = [
    ("issuer", "An assertion of another issuer is refused", "sets another iss", .must("iss is the client", rfc7523), { claims, _ in claims["iss"] = "conform" }),
    ("no-issuer", "An assertion without iss is refused", "leaves iss out", .must("iss is required", rfc7523), { claims, _ in claims["iss"] = nil }),
    ("subject", "An assertion about another subject is refused", "sets another sub", .must("sub is the client", rfc7523), { claims, _ in claims["sub"] = "conform" }),
    ("no-subject", "An assertion without sub is refused", "leaves sub out", .must("sub is required", rfc7523), { claims, _ in claims["sub"] = nil }),
    ("audience", "An assertion for another audience is refused", "sets another aud", .must("aud names this provider", rfc7523), { claims, _ in claims["aud"] = "https://other.example" }),
    ("no-audience", "An assertion without aud is refused", "leaves aud out", .must("aud is required", rfc7523), { claims, _ in claims["aud"] = nil }),
    ("no-expiry", "An assertion without exp is refused", "leaves exp out", .must("exp is required", rfc7523), { claims, _ in claims["exp"] = nil }),
    ("expired", "An expired assertion is refused", "sets exp to an hour ago", .must("an expired assertion is refused", rfc7523), { claims, _ in
      let now = Int64(UnixTime.now.seconds)
      claims["iat"] = .integer(now - 7200)
      claims["exp"] = .integer(now - 3600)
    }),
    ("future", "An assertion of the future is refused", "sets nbf to an hour ahead", .must("an assertion is not used before nbf", rfc7523), { claims, _ in
      claims["nbf"] = .integer(Int64(UnixTime.now.seconds) + 3600)
      claims["exp"] = .integer(Int64(UnixTime.now.seconds) + 3660)
    }),
    ("endless", "An assertion that is valid for years is refused", "sets exp to ten years ahead", .may("an exp that is unreasonably far away may be refused", rfc7523), { claims, _ in
      claims["exp"] = .integer(Int64(UnixTime.now.seconds) + 315_360_000)
    }),
  ]

  private static let assertions: [ProviderCheck] =
    wrongClaims.map { wrong in
      ProviderCheck(topic, "assertion-\(wrong.name)", wrong.title, "\(wrong.action) in a client assertion", wrong.rule, danger: .mayLock) { trial in
        let client = try trial.keyClient
        var claims = try trial.assertionClaims(client)
        try wrong.change(&claims, trial)
        return try await trial.withAssertion(client, try JWT.sign(.object(claims), key: try trial.key(client))).refused()
      }
    } + otherAssertions

  private static let otherAssertions: [ProviderCheck] = [
    .init(topic, "assertion-right", "A right assertion is accepted", "authenticates by private_key_jwt", .must("a registered key authenticates the client", rfc7523)) { trial in
      let client = try trial.keyClient
      return try await trial.withAssertion(client, try trial.assertion(client)).accepted()
    },
    .init(topic, "assertion-endpoint", "The token endpoint as audience", "sets aud to the token endpoint", .may("the token endpoint's address was the usual audience; FAPI 2.0 wants the issuer", "\(rfc7523); FAPI 2.0 Security Profile, 5.3.2.1")) { trial in
      let client = try trial.keyClient
      let url = try trial.endpoint("token_endpoint")
      return try await trial.withAssertion(client, try trial.assertion(client) { $0["aud"] = .string(url) }).accepted()
    },
    .init(topic, "assertion-twice", "An assertion works once", "sends the same assertion twice", .should("jti prevents a second use", "RFC 7523, 3; OpenID Connect Core 1.0, 9"), danger: .mayLock) { trial in
      let client = try trial.keyClient
      let assertion = try trial.assertion(client)
      try await trial.withAssertion(client, assertion).needed("the first use of the assertion")
      return try await trial.withAssertion(client, assertion).refused()
    },
    .init(topic, "assertion-key", "An assertion of another key is refused", "signs by a new key", .must("the signature is checked", rfc7523), danger: .mayLock) { trial in
      let client = try trial.keyClient
      let other = try PrivateKey.generate(try PrivateKey.Kind(type: nil, curve: nil, bits: nil, algorithm: "ES256"))
      let claims = try trial.assertionClaims(client)
      let header = ["kid": try trial.key(client).keyID.map(JSON.string)].compactMapValues(\.self)
      return try await trial.withAssertion(client, try JWT.sign(.object(claims), header: header, key: other)).refused()
    },
    .init(topic, "assertion-none", "An unsigned assertion is refused", "sets alg to none", .must("an assertion is signed", "RFC 7523, 3; RFC 8725, 3.1"), danger: .mayLock) { trial in
      let client = try trial.keyClient
      return try await trial.withAssertion(client, Trial.unsigned(try trial.assertionClaims(client))).refused()
    },
    .init(topic, "assertion-changed", "An assertion with a changed claim is refused", "changes the payload of a signed assertion", .must("the signature is checked", rfc7523), danger: .mayLock) { trial in
      let client = try trial.keyClient
      return try await trial.withAssertion(client, Trial.tampered(try trial.assertion(client))).refused()
    },
    .init(topic, "assertion-hmac", "The public key as a shared secret is refused", "signs by HS256 with the public key", .must("a key is used for its algorithm alone", "RFC 8725, 2.1 and 3.1"), danger: .mayLock) { trial in
      let client = try trial.keyClient
      guard let key = try trial.key(client).publicKey else { return .notUsed("the key has no public half") }
      let secret = try JWK.symmetric(Array(key.json.encoded().utf8))
      let payload = Array(JSON.object(try trial.assertionClaims(client)).encoded().utf8)
      return try await trial.withAssertion(client, try JWS.sign(payload, header: ["alg": "HS256", "typ": "JWT"], key: secret)).refused()
    },
    .init(topic, "assertion-type", "An assertion without its type is refused", "leaves client_assertion_type out", .must("client_assertion_type is required", "RFC 7521, 4.2"), danger: .mayLock) { trial in
      let client = try trial.keyClient
      return try await trial.withAssertion(client, try trial.assertion(client)) { $0["client_assertion_type"] = nil }.refused()
    },
    .init(topic, "assertion-missing", "A client with a key needs an assertion", "sends the client_id alone", .must("the client authenticates by its method", "RFC 7523, 2.2; RFC 7591, 2")) { trial in
      let client = try trial.keyClient
      return try await trial.withAssertion(client, "") {
        $0["client_assertion"] = nil
        $0["client_assertion_type"] = nil
      }.refused()
    },
    .init(topic, "assertion-other-id", "Another client_id beside the assertion is refused", "sends another client_id", .must("client_id is the subject of the assertion", "RFC 7521, 4.2"), danger: .mayLock) { trial in
      let client = try trial.keyClient
      return try await trial.withAssertion(client, try trial.assertion(client)) { $0["client_id"] = "conform-other" }.refused()
    },
  ]
}

extension Trial {
  /// Redeems a code of the client with a secret, which is replaced; nil sends none.
  func withSecret(_ secret: String?) async throws -> Answer {
    let client = try secretClient
    let (attempt, code) = try await code(as: client)
    var form = attempt.form(code: code)
    form["client_id"] = client.id
    form["client_secret"] = secret
    return try await post(try endpoint("token_endpoint"), form, as: nil)
  }

  /// Redeems a code with another `Authorization` field.
  func withHeader(_ header: (ProviderClient) -> String) async throws -> Answer {
    let client = try secretClient
    let (attempt, code) = try await code(as: client)
    return try await post(
      try endpoint("token_endpoint"), attempt.form(code: code), as: nil, ["Authorization": header(client)])
  }

  func key(_ client: ProviderClient) throws -> PrivateKey {
    guard let key = client.key else { throw EndOfProbe(.skipped("the client has no key")) }
    return key
  }

  func assertionClaims(_ client: ProviderClient) throws -> [String: JSON] {
    JWT.assertion(issuer: client.id, subject: client.id, audience: provider.issuer, now: UnixTime.now.seconds)
  }

  /// Redeems a code with this assertion.
  func withAssertion(
    _ client: ProviderClient, _ assertion: String, _ change: (inout Fields) -> Void = { _ in }
  ) async throws -> Answer {
    let (attempt, code) = try await code(as: client)
    var form = attempt.form(code: code)
    form["client_id"] = client.id
    form["client_assertion_type"] = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    form["client_assertion"] = assertion
    change(&form)
    return try await post(try endpoint("token_endpoint"), form, as: nil)
  }

  /// A JWT with `alg: none`.
  static func unsigned(_ claims: [String: JSON]) -> String {
    let parts: [JSON] = [["alg": "none", "typ": "JWT"], .object(claims)]
    return parts.map { Base64URL.encode($0.encoded().utf8) }.joined(separator: ".") + "."
  }

  /// A signed JWT whose payload has one more member.
  static func tampered(_ token: String) -> String {
    var parts = token.split(separator: ".").map(String.init)
    guard parts.count == 3, let bytes = Base64URL.decode(parts[1]), var claims = (try? JSON(parsing: bytes))?.object
    else { return token }
    claims["conform"] = true
    parts[1] = Base64URL.encode(JSON.object(claims).encoded().utf8)
    return parts.joined(separator: ".")
  }
}
