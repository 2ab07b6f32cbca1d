import Conform
import Core
import Crypto
import HTTPClient
import JOSE
import JSON

/// Request objects.
enum RequestObjectChecks {
  private static let objectTopic = Topic(
    "provider.request-object", "Request objects", wrong: .provider,
    means: "Somebody else can make or change the client's request.",
    change: [
      "In general": "Accept signed request objects of registered keys alone, and take no parameter from beside them."
    ])

  private static let rfc9101 = "RFC 9101, 6"

  private typealias Change = @Sendable (inout [String: JSON]) -> Void

  private static let wrongObjects: [(name: String, title: String, rule: Rule, change: Change)] = [
    (
      "audience", "A request object for another audience is refused",
      .must("aud is the provider", "\(rfc9101).1 and 4"), { $0["aud"] = "https://other.example" }
    ),
    (
      "issuer", "A request object of another issuer is refused",
      .must("iss is the client", "RFC 9101, 4; OpenID Connect Core 1.0, 6.1"), { $0["iss"] = "conform" }
    ),
    (
      "expired", "An expired request object is refused",
      .must("an expired JWT is refused", "\(rfc9101).1; RFC 7519, 4.1.4"),
      { $0["exp"] = .integer(Int64(UnixTime.now.seconds) - 3600) }
    ),
    (
      "future", "A request object of the future is refused", .must("a JWT is not used before nbf", "RFC 7519, 4.1.5"),
      { $0["nbf"] = .integer(Int64(UnixTime.now.seconds) + 7200) }
    ),
    (
      "client", "A request object of another client is refused",
      .must("client_id in the object is that beside it", "RFC 9101, 5 and 6.3"), { $0["client_id"] = "conform-other" }
    ),
    (
      "nested", "A request object in a request object is refused",
      .must("request and request_uri are not in the object", "RFC 9101, 4"), { $0["request_uri"] = "urn:conform" }
    ),
    (
      "redirect", "A wrong redirect URI in the object is refused",
      .must("the parameters are checked as without an object", "RFC 9101, 6.3"),
      { $0["redirect_uri"] = "https://attacker.example/callback" }
    ),
  ]

  static let objects: [ProviderCheck] =
    wrongObjects.map { wrong in
      ProviderCheck(
        objectTopic, wrong.name, wrong.title, "opens a request object that is wrong there", wrong.rule,
        needs: ["request_object_signing_alg_values_supported"]
      ) { trial in
        try await trial.openObject(wrong.change).refused()
      }
    } + otherObjects

  private static let otherObjects: [ProviderCheck] = [
    .init(
      objectTopic, "right", "A right request object gives a code", "opens a signed request object",
      .must("the parameters come from the object", "RFC 9101, 5 and 6.3"), [.fapi2MessageSigning, .oidc],
      needs: ["request_object_signing_alg_values_supported"]
    ) { try await $0.openObject { _ in }.accepted() },
    .init(
      objectTopic, "none", "An unsigned request object is refused", "opens a request object with alg none",
      .must("the object is signed", "RFC 9101, 4 and 10.1; RFC 8725, 3.1"),
      needs: ["request_object_signing_alg_values_supported"],
      peers: ["oidf:oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported"]
    ) { trial in
      try await trial.openObject(sign: { claims, _ in Trial.unsigned(claims) }) { _ in }.refused()
    },
    .init(
      objectTopic, "key", "A request object of another key is refused", "signs the object by a new key",
      .must("the signature is checked by the client's key", "\(rfc9101).2"),
      needs: ["request_object_signing_alg_values_supported"]
    ) { trial in
      let other = try PrivateKey.generate(try PrivateKey.Kind(type: nil, curve: nil, bits: nil, algorithm: "ES256"))
      return try await trial.openObject(sign: { claims, _ in try JWT.sign(.object(claims), key: other) }) { _ in }
        .refused()
    },
    .init(
      objectTopic, "changed", "A changed request object is refused", "changes the payload of a signed object",
      .must("the signature is checked", "\(rfc9101).2"), needs: ["request_object_signing_alg_values_supported"]
    ) { trial in
      try await trial.openObject(sign: { claims, key in Trial.tampered(try JWT.sign(.object(claims), key: key)) }) {
        _ in
      }.refused()
    },
    .init(
      objectTopic, "beside", "A state beside the object does not count", "sends another state beside the object",
      .must("parameters beside the object are ignored", "RFC 9101, 5 and 6.3"),
      needs: ["request_object_signing_alg_values_supported"]
    ) { trial in
      let landing = try await trial.openObject(beside: ["state": "conform-beside"]) { $0["state"] = "conform-inside" }
      return trial.finding(landing["state"] != "conform-beside", landing.shown, "the state beside the object came back")
    },
    .init(
      objectTopic, "garbage", "A text that is not a request object is refused", "sends request=conform",
      .must("the error is invalid_request_object", "RFC 9101, 7"),
      needs: ["request_object_signing_alg_values_supported"]
    ) { trial in
      try await trial.openObject(sign: { _, _ in "conform" }) { _ in }.refused(
        "invalid_request_object", "invalid_request")
    },
  ]
}
