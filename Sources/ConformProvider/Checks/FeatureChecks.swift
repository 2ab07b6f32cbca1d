import Conform
import Core
import HTTPClient
import JSON

/// The members of the metadata about flows.
enum FeatureChecks {
  static let topic = Topic(
    "provider.features", "Features in the metadata", danger: .passive, wrong: .provider,
    means: "A client that configures itself takes a way that is weak, or one that the provider does not offer.",
    change: [
      "In general": "List what the provider does, and switch off what the current best practice forbids.",
      "Entra":
        "code_challenge_methods_supported and authorization_response_iss_parameter_supported are not announced; clients have to know.",
      "B2C": "The implicit grant is switched off for each application, under Authentication.",
    ])

  private static let rfc8414 = "RFC 8414, 2"
  private static let discovery = "OpenID Connect Discovery 1.0, 3"

  static let features: [ProviderCheck] = flows

  private static let flows: [ProviderCheck] = [
    .init(
      topic, "response-types", "response_types_supported is there", "looks for response_types_supported",
      .must("response_types_supported is a required member", "\(rfc8414); \(discovery)")
    ) { $0.required("response_types_supported") { $0.array == nil ? "is not a list" : nil } },
    .init(
      topic, "code", "The provider offers the authorization code flow", "looks for code in response_types_supported",
      .must("clients use the authorization code", "OAuth 2.1 draft, 4.1; RFC 9700, 2.1.2"),
      [.oauth21, .fapi2, .mcp, .oidc]
    ) { try $0.values("response_types_supported", with: "code") },
    .init(
      topic, "no-token", "No response type gives an access token in a redirect", "reads response_types_supported",
      .should("access tokens come from the token endpoint alone", "RFC 9700, 2.1.2"), [.oauth21, .mcp]
    ) {
      try $0.list("response_types_supported") { types in
        let found = types.filter { $0.split(separator: " ").contains("token") }
        return found.isEmpty ? nil : "has \(found.joined(separator: ", "))"
      }
    },
    .init(
      topic, "fapi-code-only", "Code is the only response type", "reads response_types_supported",
      .must("the authorization server refuses other response types than code", "FAPI 2.0 Security Profile, 5.3.2.2"),
      [.fapi2]
    ) { try $0.values("response_types_supported", among: ["code", "none"]) },
    .init(
      topic, "response-types-known", "The response types are known ones", "reads response_types_supported",
      .should("response types are registered", "OAuth 2.0 Multiple Response Type Encoding Practices, 6")
    ) {
      try $0.list("response_types_supported") { types in
        let known: Set<Substring> = ["code", "token", "id_token", "none"]
        let others = types.filter { !Set($0.split(separator: " ")).isSubset(of: known) }
        return others.isEmpty ? nil : "has \(others.joined(separator: ", "))"
      }
    },
    .init(
      topic, "response-modes", "The response modes are known ones", "reads response_modes_supported",
      .should("response modes are registered", "\(rfc8414); JARM, 2.3"), needs: ["response_modes_supported"]
    ) {
      try $0.values(
        "response_modes_supported",
        among: [
          "query", "fragment", "form_post", "jwt", "query.jwt", "fragment.jwt", "form_post.jwt", "web_message",
        ])
    },
    .init(
      topic, "password", "The password grant is not offered", "reads grant_types_supported",
      .must("the resource owner password credentials grant is not used", "RFC 9700, 2.4"), [.oauth21, .fapi2, .mcp],
      needs: ["grant_types_supported"]
    ) { try $0.values("grant_types_supported", without: ["password"]) },
    .init(
      topic, "implicit", "The implicit grant is not offered", "reads grant_types_supported",
      .should("the implicit grant is not used", "RFC 9700, 2.1.2"), [.oauth21, .mcp], needs: ["grant_types_supported"]
    ) { try $0.values("grant_types_supported", without: ["implicit"]) },
    .init(
      topic, "fapi-grants", "Neither implicit nor password is offered", "reads grant_types_supported",
      .must(
        "response types other than code, and the password grant, are refused", "FAPI 2.0 Security Profile, 5.3.2.1"),
      [.fapi2], needs: ["grant_types_supported"]
    ) { try $0.values("grant_types_supported", without: ["implicit", "password"]) },
    .init(
      topic, "device-grant", "The device grant is listed with its endpoint", "compares endpoint and grant",
      .should("a provider with a device endpoint lists the grant", "RFC 8628, 4"),
      needs: ["device_authorization_endpoint", "grant_types_supported"]
    ) { try $0.values("grant_types_supported", with: "urn:ietf:params:oauth:grant-type:device_code") },
    .init(
      topic, "ciba-grant", "The backchannel grant is listed with its endpoint", "compares endpoint and grant",
      .must("grant_types_supported has the CIBA grant", "CIBA Core 1.0, 4"),
      needs: ["backchannel_authentication_endpoint", "grant_types_supported"]
    ) { try $0.values("grant_types_supported", with: "urn:openid:params:grant-type:ciba") },
    .init(
      topic, "ciba-modes", "The modes of backchannel delivery are listed",
      "reads backchannel_token_delivery_modes_supported",
      .must("the member is required, with poll, ping or push", "CIBA Core 1.0, 4"),
      needs: ["backchannel_authentication_endpoint"]
    ) { trial in
      let finding = trial.required("backchannel_token_delivery_modes_supported")
      guard finding.kind == .kept else { return finding }
      return try trial.values("backchannel_token_delivery_modes_supported", among: ["poll", "ping", "push"])
    },
    .init(
      topic, "par-endpoint", "Required pushing has an endpoint", "compares two members",
      .must("the endpoint is there if pushing is required", "RFC 9126, 5"),
      needs: ["require_pushed_authorization_requests"]
    ) { trial in
      guard trial.provider.needsPushing else { return .kept("pushing is not required") }
      return trial.required("pushed_authorization_request_endpoint")
    },
    .init(
      topic, "fapi-par", "Pushed authorization requests are offered", "looks for the endpoint",
      .must("authorization requests are pushed", "FAPI 2.0 Security Profile, 5.3.2.2"), [.fapi2]
    ) { $0.required("pushed_authorization_request_endpoint") },
    .init(
      topic, "fapi-par-required", "Pushing is required", "reads require_pushed_authorization_requests",
      .should(
        "requests that were not pushed are refused, and the metadata says so",
        "FAPI 2.0 Security Profile, 5.3.2.2; RFC 9126, 5"),
      [.fapi2]
    ) { $0.required("require_pushed_authorization_requests") { $0 == .bool(true) ? nil : "is \($0.encoded())" } },
    .init(
      topic, "iss", "The provider promises iss in its redirects",
      "reads authorization_response_iss_parameter_supported",
      .should("iss protects clients of several providers from mix-up attacks", "RFC 9207, 2 and 3; RFC 9700, 4.4.2.1")
    ) {
      $0.required("authorization_response_iss_parameter_supported") { $0 == .bool(true) ? nil : "is \($0.encoded())" }
    },
    .init(
      topic, "iss-fapi", "iss is in the redirects", "reads authorization_response_iss_parameter_supported",
      .must("the authorization response has iss", "FAPI 2.0 Security Profile, 5.3.2.2"), [.fapi2]
    ) {
      $0.required("authorization_response_iss_parameter_supported") { $0 == .bool(true) ? nil : "is \($0.encoded())" }
    },
    .init(
      topic, "pkce", "code_challenge_methods_supported has S256", "reads code_challenge_methods_supported",
      .should("the metadata lets clients see that PKCE is supported", "RFC 9700, 2.1.1"),
      [.oauth21, .oidc, .fapi2, .b2c, .externalID]
    ) { trial in
      let finding = trial.required("code_challenge_methods_supported")
      return finding.kind == .kept ? try trial.values("code_challenge_methods_supported", with: "S256") : finding
    },
    .init(
      topic, "pkce-mcp", "The metadata says that PKCE with S256 is there", "reads code_challenge_methods_supported",
      .must(
        "a client stops without code_challenge_methods_supported",
        "MCP 2026-07-28, authorization: security considerations"),
      [.mcp]
    ) { trial in
      let finding = trial.required("code_challenge_methods_supported")
      return finding.kind == .kept ? try trial.values("code_challenge_methods_supported", with: "S256") : finding
    },
    .init(
      topic, "pkce-plain", "PKCE without a hash (plain) is not offered", "reads code_challenge_methods_supported",
      .should("S256 is the method; with plain the challenge itself redeems the code", "RFC 9700, 2.1.1; RFC 7636, 7.2"),
      needs: ["code_challenge_methods_supported"]
    ) { try $0.values("code_challenge_methods_supported", without: ["plain"]) },
    .init(
      topic, "scopes-openid", "scopes_supported has openid", "reads scopes_supported",
      .must("a provider of OpenID Connect supports the scope openid", discovery), .openID, needs: ["scopes_supported"]
    ) { try $0.values("scopes_supported", with: "openid") },
    .init(
      topic, "scopes", "scopes_supported is there", "looks for scopes_supported",
      .should("scopes_supported is recommended", "\(rfc8414); \(discovery)")
    ) { $0.required("scopes_supported") },
    .init(
      topic, "subject-types", "subject_types_supported is there", "reads subject_types_supported",
      .must("the member is required, with pairwise or public", discovery), .openID
    ) { trial in
      let finding = trial.required("subject_types_supported")
      return finding.kind == .kept
        ? try trial.values("subject_types_supported", among: ["public", "pairwise"]) : finding
    },
    .init(
      topic, "claims", "claims_supported is there", "looks for claims_supported",
      .should("claims_supported is recommended", discovery), .openID
    ) { $0.required("claims_supported") },
    .init(
      topic, "prompt-values", "prompt values are known ones", "reads prompt_values_supported",
      .should("the values are those of prompt", "OpenID Connect Prompt Create 1.0, 4.2"),
      needs: ["prompt_values_supported"]
    ) {
      try $0.values("prompt_values_supported", among: ["none", "login", "consent", "select_account", "create"])
    },
    .init(
      topic, "request-uri", "request_uri of other hosts is switched off", "reads request_uri_parameter_supported",
      .should(
        "a provider that fetches any request_uri can be made to fetch internal addresses",
        "RFC 9101, 10.4; OpenID Connect Discovery 1.0, 3")
    ) { trial in
      let value = trial.provider.metadata["request_uri_parameter_supported"]
      if trial.provider.metadata["require_request_uri_registration"] == .bool(true) {
        return .kept("only registered ones")
      }
      // The default of OpenID Connect is true; without request_parameter_supported the provider may not be one at all.
      return trial.finding(
        value == .bool(false), "it is off", value == nil ? "it is on by default" : "it is on, without registration")
    },
    .init(
      topic, "logout-session", "The logout members are booleans", "reads the members about logout",
      .must(
        "the members are booleans",
        "OpenID Connect Front-Channel Logout 1.0, 3; OpenID Connect Back-Channel Logout 1.0, 2.1")
    ) { trial in
      let names = ["frontchannel", "backchannel"].flatMap {
        ["\($0)_logout_supported", "\($0)_logout_session_supported"]
      }
      let present = names.filter { trial.provider.metadata[$0] != nil }
      guard !present.isEmpty else { return .notUsed("no logout of other sessions") }
      let wrong = present.filter { trial.provider.metadata[$0]?.bool == nil }
      return trial.finding(wrong.isEmpty, "they are", "no booleans: \(wrong.joined(separator: ", "))")
    },
    .init(
      topic, "cimd", "client_id_metadata_document_supported is a boolean", "reads the member",
      .must("the member is a boolean", "OAuth Client ID Metadata Document draft, 5"), [.mcp],
      needs: ["client_id_metadata_document_supported"]
    ) { try $0.member("client_id_metadata_document_supported") { $0.bool == nil ? "is \($0.encoded())" : nil } },
    .init(
      topic, "cimd-mcp", "Clients without registration can name a document",
      "reads client_id_metadata_document_supported",
      .should(
        "authorization servers support client ID metadata documents",
        "MCP 2026-07-28, authorization: client registration"),
      [.mcp]
    ) { $0.required("client_id_metadata_document_supported") { $0 == .bool(true) ? nil : "is \($0.encoded())" } },
  ]
}
