import Conform
import JSON

/// The members of the metadata about the authentication of clients, and about algorithms.
enum StrengthChecks {
  private static let rfc8414 = "RFC 8414, 2"
  private static let discovery = "OpenID Connect Discovery 1.0, 3"

  static let strengths: [ProviderCheck] = methods + strength + algorithmLists.map(unsigned) + algorithms

  private static let authenticationMembers = [
    "token_endpoint", "revocation_endpoint", "introspection_endpoint",
  ]

  private static let knownMethods: Set = [
    "none", "client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "tls_client_auth",
    "self_signed_tls_client_auth", "attest_jwt_client_auth",
  ]

  private static let methods: [ProviderCheck] = authenticationMembers.flatMap { endpoint -> [ProviderCheck] in
    let methods = "\(endpoint)_auth_methods_supported"
    let algorithms = "\(endpoint)_auth_signing_alg_values_supported"
    let name = endpoint.prefix { $0 != "_" }
    return [
      .init(
        FeatureChecks.topic, "\(name)-methods", "The \(name) endpoint's client authentication is known",
        "reads \(methods)",
        .should("the methods are registered ones", rfc8414), needs: [methods]
      ) { try $0.values(methods, among: knownMethods) },
      .init(
        FeatureChecks.topic, "\(name)-algorithms", "The \(name) endpoint lists algorithms of assertions",
        "reads \(algorithms)",
        .must("the member is there if assertions are supported", rfc8414), needs: [methods]
      ) { trial in
        let list = trial.provider.list(methods) ?? []
        guard list.contains("private_key_jwt") || list.contains("client_secret_jwt") else {
          return .notUsed("no assertions")
        }
        return trial.required(algorithms)
      },
      .init(
        FeatureChecks.topic, "\(name)-none", "The \(name) endpoint takes no unsigned assertions", "reads \(algorithms)",
        .must("the value none is not used", rfc8414), needs: [algorithms]
      ) { try $0.values(algorithms, without: ["none"]) },
    ]
  }

  private static let strength: [ProviderCheck] = [
    .init(
      FeatureChecks.topic, "strong-client", "Clients can authenticate without a shared secret",
      "reads token_endpoint_auth_methods_supported",
      .should("clients authenticate by asymmetric methods", "RFC 9700, 2.5"),
      needs: ["token_endpoint_auth_methods_supported"]
    ) {
      try $0.list("token_endpoint_auth_methods_supported") { methods in
        let strong = ["private_key_jwt", "tls_client_auth", "self_signed_tls_client_auth"]
        return methods.contains(where: strong.contains) ? nil : "has only \(methods.joined(separator: ", "))"
      }
    },
    .init(
      FeatureChecks.topic, "fapi-client", "Clients authenticate by a key or a certificate alone",
      "reads token_endpoint_auth_methods_supported",
      .must("clients authenticate by mutual TLS or private_key_jwt", "FAPI 2.0 Security Profile, 5.3.2.1"), [.fapi2]
    ) { trial in
      let finding = trial.required("token_endpoint_auth_methods_supported")
      guard finding.kind == .kept else { return finding }
      return try trial.values(
        "token_endpoint_auth_methods_supported",
        among: ["private_key_jwt", "tls_client_auth", "self_signed_tls_client_auth"])
    },
    .init(
      FeatureChecks.topic, "public-clients", "The provider takes public clients",
      "reads token_endpoint_auth_methods_supported",
      .should("programs on a machine of a user have no secret", "RFC 8252, 8.4; MCP 2026-07-28, authorization"),
      [.mcp, .oauth21],
      needs: ["token_endpoint_auth_methods_supported"]
    ) { try $0.values("token_endpoint_auth_methods_supported", with: "none") },
    .init(
      FeatureChecks.topic, "sender-constrained", "Access tokens can be bound to a key", "looks for DPoP and mutual TLS",
      .should("sender-constrained tokens are of no use to a thief", "RFC 9700, 2.2.1"), [.oauth21]
    ) { trial in
      let has =
        trial.provider.metadata["dpop_signing_alg_values_supported"] != nil
        || trial.provider.metadata["tls_client_certificate_bound_access_tokens"] == .bool(true)
      return trial.finding(has, "they can", "neither DPoP nor mutual TLS is announced")
    },
    .init(
      FeatureChecks.topic, "fapi-constrained", "Access tokens are bound to a key", "looks for DPoP and mutual TLS",
      .must("tokens are sender-constrained by mutual TLS or DPoP", "FAPI 2.0 Security Profile, 5.3.2.1"), [.fapi2]
    ) { trial in
      let has =
        trial.provider.metadata["dpop_signing_alg_values_supported"] != nil
        || trial.provider.metadata["tls_client_certificate_bound_access_tokens"] == .bool(true)
      return trial.finding(has, "they can be", "neither DPoP nor mutual TLS is announced")
    },
  ]

  // MARK: Algorithms

  private static let algorithmLists: [(member: String, source: String)] = [
    ("id_token_signing_alg_values_supported", discovery),
    ("userinfo_signing_alg_values_supported", discovery),
    ("request_object_signing_alg_values_supported", "RFC 9101, 10.1"),
    ("authorization_signing_alg_values_supported", "JARM, 4"),
    ("introspection_signing_alg_values_supported", "RFC 9701, 7"),
    ("dpop_signing_alg_values_supported", "RFC 9449, 5.1"),
    ("backchannel_authentication_request_signing_alg_values_supported", "CIBA Core 1.0, 4"),
  ]

  private static func unsigned(_ list: (member: String, source: String)) -> ProviderCheck {
    let name = list.member.replacing("_signing_alg_values_supported", with: "").replacing("_", with: "-")
    let isToken = name == "id-token"
    return ProviderCheck(
      FeatureChecks.topic, "\(name)-unsigned", "No none for \(name.replacing("-", with: " "))", "reads the list",
      isToken
        ? .must("none is only for a response type without an ID token in the redirect", list.source)
        : .must("none is not an algorithm of signatures", list.source), needs: [list.member]
    ) { try $0.values(list.member, without: ["none"]) }
  }

  private static let algorithms: [ProviderCheck] = [
    .init(
      FeatureChecks.topic, "id-token-list", "The algorithms of ID tokens are listed",
      "looks for id_token_signing_alg_values_supported",
      .must("the member is required", discovery), .openID
    ) { $0.required("id_token_signing_alg_values_supported") },
    .init(
      FeatureChecks.topic, "id-token-rs256", "RS256 is among the algorithms of ID tokens",
      "reads id_token_signing_alg_values_supported",
      .must("RS256 is included", discovery), .openID, needs: ["id_token_signing_alg_values_supported"]
    ) { try $0.values("id_token_signing_alg_values_supported", with: "RS256") },
    .init(
      FeatureChecks.topic, "id-token-symmetric", "ID tokens are not signed by a client's secret",
      "reads id_token_signing_alg_values_supported",
      .may(
        "a symmetric signature can be made by everybody who checks it", "RFC 8725, 3.5; OpenID Connect Core 1.0, 10.1"),
      needs: ["id_token_signing_alg_values_supported"]
    ) { try $0.values("id_token_signing_alg_values_supported", without: ["HS256", "HS384", "HS512"]) },
    .init(
      FeatureChecks.topic, "dpop-symmetric", "DPoP proofs are signed by asymmetric keys",
      "reads dpop_signing_alg_values_supported",
      .must("a proof is signed by an asymmetric algorithm", "RFC 9449, 4.2 and 5.1"),
      needs: ["dpop_signing_alg_values_supported"]
    ) { try $0.values("dpop_signing_alg_values_supported", without: ["HS256", "HS384", "HS512", "none"]) },
    .init(
      FeatureChecks.topic, "fapi-algorithms", "Signatures are PS256, ES256 or EdDSA",
      "reads the algorithms of ID tokens, proofs and assertions",
      .must("JWTs are signed by PS256, ES256 or EdDSA with Ed25519", "FAPI 2.0 Security Profile, 5.4.1"), [.fapi2]
    ) { trial in
      let members = [
        "id_token_signing_alg_values_supported", "dpop_signing_alg_values_supported",
        "token_endpoint_auth_signing_alg_values_supported",
      ]
      let wrong = members.filter { member in
        trial.provider.list(member).map { !Set($0).isSubset(of: ["PS256", "ES256", "EdDSA", "Ed25519"]) } ?? false
      }
      return trial.finding(wrong.isEmpty, "they are", "others in \(wrong.joined(separator: ", "))")
    },
    .init(
      FeatureChecks.topic, "rsa1_5", "No encryption by RSA1_5", "reads the algorithms of encryption",
      .should("RSA1_5 has known attacks and is not used", "RFC 8725, 3.2")
    ) { trial in
      let lists = trial.provider.metadata.filter { $0.key.hasSuffix("_encryption_alg_values_supported") }
      guard !lists.isEmpty else { return .notUsed("no encryption") }
      let wrong = lists.filter { $0.value.array?.contains("RSA1_5") == true }.keys.sorted()
      return trial.finding(wrong.isEmpty, "none", "RSA1_5 in \(wrong.joined(separator: ", "))")
    },
    .init(
      FeatureChecks.topic, "encryption-pairs", "Lists of alg and enc come together", "compares the lists of encryption",
      .should("an algorithm for keys needs one for contents", discovery)
    ) { trial in
      let names = trial.provider.metadata.keys.filter { $0.hasSuffix("_encryption_alg_values_supported") }
      guard !names.isEmpty else { return .notUsed("no encryption") }
      let wrong = names.filter {
        trial.provider.metadata[$0.replacing("_alg_values", with: "_enc_values")] == nil
      }.sorted()
      return trial.finding(wrong.isEmpty, "they do", "no enc for \(wrong.joined(separator: ", "))")
    },
    .init(
      FeatureChecks.topic, "jarm", "JWT response modes name their algorithms", "compares two members",
      .should("the algorithms of signed responses are listed", "JARM, 4"), needs: ["response_modes_supported"]
    ) { trial in
      guard trial.provider.list("response_modes_supported")?.contains(where: { $0.hasSuffix("jwt") }) == true else {
        return .notUsed("no signed responses")
      }
      return trial.required("authorization_signing_alg_values_supported")
    },
    .init(
      FeatureChecks.topic, "jar", "Request objects name their algorithms", "compares two members",
      .should("a server with request objects lists their algorithms", "RFC 9101, 9.2; \(discovery)"),
      needs: ["request_parameter_supported"]
    ) { trial in
      guard trial.provider.metadata["request_parameter_supported"] == .bool(true) else {
        return .notUsed("no request objects")
      }
      return trial.required("request_object_signing_alg_values_supported")
    },
  ]
}
