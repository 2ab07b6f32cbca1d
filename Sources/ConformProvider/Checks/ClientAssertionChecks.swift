import Conform
import Core
import Crypto
import HTTPClient
import JOSE
import JSON

/// Client assertions, wrong in each way.
enum ClientAssertionChecks {
  private static let rfc7523 = "RFC 7523, 3"

  private typealias Change = @Sendable (inout [String: JSON], Trial) throws -> Void

  private static let wrongClaims: [(name: String, title: String, action: String, rule: Rule, change: Change)] = [
    (
      "issuer", "An assertion of another issuer is refused", "sets another iss", .must("iss is the client", rfc7523),
      { claims, _ in claims["iss"] = "conform" }
    ),
    (
      "no-issuer", "An assertion without iss is refused", "leaves iss out", .must("iss is required", rfc7523),
      { claims, _ in claims["iss"] = nil }
    ),
    (
      "subject", "An assertion about another subject is refused", "sets another sub",
      .must("sub is the client", rfc7523), { claims, _ in claims["sub"] = "conform" }
    ),
    (
      "no-subject", "An assertion without sub is refused", "leaves sub out", .must("sub is required", rfc7523),
      { claims, _ in claims["sub"] = nil }
    ),
    (
      "audience", "An assertion for another audience is refused", "sets another aud",
      .must("aud names this provider", rfc7523), { claims, _ in claims["aud"] = "https://other.example" }
    ),
    (
      "no-audience", "An assertion without aud is refused", "leaves aud out", .must("aud is required", rfc7523),
      { claims, _ in claims["aud"] = nil }
    ),
    (
      "no-expiry", "An assertion without exp is refused", "leaves exp out", .must("exp is required", rfc7523),
      { claims, _ in claims["exp"] = nil }
    ),
    (
      "expired", "An expired assertion is refused", "sets exp to an hour ago",
      .must("an expired assertion is refused", rfc7523),
      { claims, _ in
        let now = Int64(UnixTime.now.seconds)
        claims["iat"] = .integer(now - 7200)
        claims["exp"] = .integer(now - 3600)
      }
    ),
    (
      "future", "An assertion of the future is refused", "sets nbf to an hour ahead",
      .must("an assertion is not used before nbf", rfc7523),
      { claims, _ in
        claims["nbf"] = .integer(Int64(UnixTime.now.seconds) + 3600)
        claims["exp"] = .integer(Int64(UnixTime.now.seconds) + 3660)
      }
    ),
    (
      "endless", "An assertion that is valid for years is refused", "sets exp to ten years ahead",
      .may("an exp that is unreasonably far away may be refused", rfc7523),
      { claims, _ in
        claims["exp"] = .integer(Int64(UnixTime.now.seconds) + 315_360_000)
      }
    ),
  ]

  static let assertions: [ProviderCheck] =
    wrongClaims.map { wrong in
      ProviderCheck(
        ClientSecretChecks.topic, "assertion-\(wrong.name)", wrong.title, "\(wrong.action) in a client assertion",
        wrong.rule,
        danger: .mayLock
      ) { trial in
        let client = try trial.keyClient
        var claims = try trial.assertionClaims(client)
        try wrong.change(&claims, trial)
        return try await trial.withAssertion(client, try JWT.sign(.object(claims), key: try trial.key(client)))
          .refused()
      }
    } + otherAssertions

  private static let otherAssertions: [ProviderCheck] = [
    .init(
      ClientSecretChecks.topic, "assertion-right", "A right assertion is accepted", "authenticates by private_key_jwt",
      .must("a registered key authenticates the client", rfc7523)
    ) { trial in
      let client = try trial.keyClient
      return try await trial.withAssertion(client, try trial.assertion(client)).accepted()
    },
    .init(
      ClientSecretChecks.topic, "assertion-endpoint", "The token endpoint as audience",
      "sets aud to the token endpoint",
      .may(
        "the token endpoint's address was the usual audience; FAPI 2.0 wants the issuer",
        "\(rfc7523); FAPI 2.0 Security Profile, 5.3.2.1")
    ) { trial in
      let client = try trial.keyClient
      let url = try trial.endpoint("token_endpoint")
      return try await trial.withAssertion(client, try trial.assertion(client) { $0["aud"] = .string(url) }).accepted()
    },
    .init(
      ClientSecretChecks.topic, "assertion-twice", "An assertion works once", "sends the same assertion twice",
      .should("jti prevents a second use", "RFC 7523, 3; OpenID Connect Core 1.0, 9"), danger: .mayLock
    ) { trial in
      let client = try trial.keyClient
      let assertion = try trial.assertion(client)
      try await trial.withAssertion(client, assertion).needed("the first use of the assertion")
      return try await trial.withAssertion(client, assertion).refused()
    },
    .init(
      ClientSecretChecks.topic, "assertion-key", "An assertion of another key is refused", "signs by a new key",
      .must("the signature is checked", rfc7523), danger: .mayLock
    ) { trial in
      let client = try trial.keyClient
      let other = try PrivateKey.generate(try PrivateKey.Kind(type: nil, curve: nil, bits: nil, algorithm: "ES256"))
      let claims = try trial.assertionClaims(client)
      let header = ["kid": try trial.key(client).keyID.map(JSON.string)].compactMapValues(\.self)
      return try await trial.withAssertion(client, try JWT.sign(.object(claims), header: header, key: other)).refused()
    },
    .init(
      ClientSecretChecks.topic, "assertion-none", "An unsigned assertion is refused", "sets alg to none",
      .must("an assertion is signed", "RFC 7523, 3; RFC 8725, 3.1"), danger: .mayLock
    ) { trial in
      let client = try trial.keyClient
      return try await trial.withAssertion(client, Trial.unsigned(try trial.assertionClaims(client))).refused()
    },
    .init(
      ClientSecretChecks.topic, "assertion-changed", "An assertion with a changed claim is refused",
      "changes the payload of a signed assertion", .must("the signature is checked", rfc7523), danger: .mayLock
    ) { trial in
      let client = try trial.keyClient
      return try await trial.withAssertion(client, Trial.tampered(try trial.assertion(client))).refused()
    },
    .init(
      ClientSecretChecks.topic, "assertion-hmac", "The public key as a shared secret is refused",
      "signs by HS256 with the public key",
      .must("a key is used for its algorithm alone", "RFC 8725, 2.1 and 3.1"), danger: .mayLock
    ) { trial in
      let client = try trial.keyClient
      guard let key = try trial.key(client).publicKey else { return .notUsed("the key has no public half") }
      let secret = try JWK.symmetric(Array(key.json.encoded().utf8))
      let payload = Array(JSON.object(try trial.assertionClaims(client)).encoded().utf8)
      return try await trial.withAssertion(
        client, try JWS.sign(payload, header: ["alg": "HS256", "typ": "JWT"], key: secret)
      ).refused()
    },
    .init(
      ClientSecretChecks.topic, "assertion-type", "An assertion without its type is refused",
      "leaves client_assertion_type out",
      .must("client_assertion_type is required", "RFC 7521, 4.2"), danger: .mayLock
    ) { trial in
      let client = try trial.keyClient
      return try await trial.withAssertion(client, try trial.assertion(client)) { $0["client_assertion_type"] = nil }
        .refused()
    },
    .init(
      ClientSecretChecks.topic, "assertion-missing", "A client with a key needs an assertion",
      "sends the client_id alone",
      .must("the client authenticates by its method", "RFC 7523, 2.2; RFC 7591, 2")
    ) { trial in
      let client = try trial.keyClient
      return try await trial.withAssertion(client, "") {
        $0["client_assertion"] = nil
        $0["client_assertion_type"] = nil
      }.refused()
    },
    .init(
      ClientSecretChecks.topic, "assertion-other-id", "Another client_id beside the assertion is refused",
      "sends another client_id",
      .must("client_id is the subject of the assertion", "RFC 7521, 4.2"), danger: .mayLock
    ) { trial in
      let client = try trial.keyClient
      return try await trial.withAssertion(client, try trial.assertion(client)) { $0["client_id"] = "conform-other" }
        .refused()
    },
  ]
}
