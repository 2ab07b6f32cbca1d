import Conform
import Core
import HTTPServer
import JSON

/// Lies and truths in the metadata.
enum MetadataLies {
  static let all: [ClientCheck] = wrongMetadata + metadataTruths + metadataForms

  private static let t = Topic.clientMetadata

  private static let issuerRule = Rule.must(
    "issuer is identical to the issuer that the client asked for; else the metadata are not used.", "RFC 8414, 3.3")

  private static let wrongMetadata: [ClientCheck] = [
    wrong(
      "issuer-other", "Metadata of another issuer", issuerRule,
      peers: [
        "oidf:oidcc-client-test-discovery-issuer-mismatch",
        "oidf:fapi2-security-profile-final-client-test-discovery-issuer-mismatch",
      ]
    ) {
      members, _ in members["issuer"] = "https://attacker.example"
    },
    wrong("issuer-missing", "Metadata without issuer", issuerRule) { members, _ in members["issuer"] = nil },
    wrong("issuer-slash", "Metadata with a slash behind issuer", issuerRule) { members, _ in
      members["issuer"] = .string((members["issuer"]?.string ?? "") + "/")
    },
    wrong("issuer-host", "Metadata with the issuer on another host", issuerRule) { members, place in
      members["issuer"] = .string((members["issuer"]?.string ?? "").replacing(place.origin, with: place.otherOrigin))
    },
    wrong("issuer-prefix", "Metadata whose issuer is the beginning of the right one", issuerRule) { members, place in
      members["issuer"] = .string(place.origin)
    },
    wrong("issuer-longer", "Metadata whose issuer is longer than the right one", issuerRule) { members, _ in
      members["issuer"] = .string((members["issuer"]?.string ?? "") + "/attacker")
    },
    wrong("issuer-list", "Metadata with a list of issuers", issuerRule) { members, _ in
      members["issuer"] = [members["issuer"] ?? "", "https://attacker.example"]
    },
    wrong("issuer-empty", "Metadata with an empty issuer", issuerRule) { members, _ in members["issuer"] = "" },
    wrong(
      "no-token-endpoint", "Metadata without token_endpoint",
      .must("token_endpoint is required.", "OpenID Connect Discovery 1.0, 3")
    ) { members, _ in members["token_endpoint"] = nil },
    wrong(
      "no-authorization-endpoint", "Metadata without authorization_endpoint",
      .must("authorization_endpoint is required.", "OpenID Connect Discovery 1.0, 3")
    ) { members, _ in members["authorization_endpoint"] = nil },
    wrong(
      "script", "Metadata whose authorization endpoint is a script",
      .must("An authorization endpoint is an https address.", "RFC 8414, 2")
    ) { members, _ in members["authorization_endpoint"] = "javascript:alert(1)//" },
    wrong(
      "file", "Metadata whose authorization endpoint is a file",
      .must("An authorization endpoint is an https address.", "RFC 8414, 2")
    ) { members, _ in members["authorization_endpoint"] = "file:///etc/passwd" },
    wrong(
      "option", "Metadata whose authorization endpoint is a command option",
      .must("An authorization endpoint is an https address.", "RFC 8414, 2")
    ) { members, _ in members["authorization_endpoint"] = "--help" },
    t.lie(
      "error", "Metadata with status 404", .must("Success is status 200.", "RFC 8414, 3.2"),
      .error(.metadata, 404, ["error": "not_found"])),
    t.lie(
      "server-error", "Metadata with status 500", .must("Success is status 200.", "RFC 8414, 3.2"),
      .error(.metadata, 500, ["error": "server_error"])),
    t.lie(
      "page", "Metadata that are a web page", .must("Metadata are a JSON object.", "RFC 8414, 3.2"),
      .page(.metadata)),
    t.lie(
      "list", "Metadata that are a list", .must("Metadata are a JSON object.", "RFC 8414, 3.2"),
      .response(.metadata) { response, _ in response.body = Array("[".utf8) + response.body + Array("]".utf8) }),
    t.lie(
      "half", "Metadata that end in their middle", .must("Metadata are a JSON object.", "RFC 8414, 3.2"),
      .response(.metadata) { response, _ in response.body = Array(response.body.prefix(response.body.count / 2)) }),
  ]

  private static func wrong(
    _ name: String, _ title: String, _ rule: Rule, peers: [String] = [],
    _ edit: @escaping @Sendable (inout [String: JSON], LiePlace) throws -> Void
  ) -> ClientCheck { t.lie(name, title, rule, peers: peers, .metadata(edit)) }

  private static let unknownRule = Rule.must(
    "Members that are not understood are ignored.", "OpenID Connect Discovery 1.0, 4.2")
  private static let optionalRule = Rule.must("This member is optional.", "RFC 8414, 2")

  private static let metadataTruths: [ClientCheck] = [
    truth("extra", "Metadata with unknown members", unknownRule) { members, _ in
      members["conform_supported"] = true
      members["conform_nested"] = ["a": [1, ["b": nil]]]
    },
    truth("extra-endpoints", "Metadata with unknown endpoints", unknownRule) { members, place in
      members["conform_endpoint"] = .string("\(place.otherOrigin)/conform")
    },
    truth("unknown-values", "Metadata with unknown values in their lists", unknownRule) { members, _ in
      for name in ["response_types_supported", "grant_types_supported", "token_endpoint_auth_methods_supported"] {
        members[name] = .array(["urn:example:conform"] + (members[name]?.array ?? []))
      }
    },
    truth("unknown-algorithm", "Metadata with an unknown algorithm first", unknownRule) { members, _ in
      members["id_token_signing_alg_values_supported"] = ["ML-DSA-44", "RS256"]
    },
    truth("unicode", "Metadata with texts in other scripts", unknownRule) { members, _ in
      members["op_tos_uri"] = "https://example.com/использование/利用規約"
      members["service_documentation"] = "🙂"
    },
    truth("long", "Metadata with 64 KiB of claims", unknownRule) { members, _ in
      members["claims_supported"] = .array((0..<3000).map { .string("claim_number_\($0)") })
    },
    truth("minimal", "Metadata with required members only", optionalRule) { members, _ in
      let required: Set = [
        "issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "response_types_supported",
        "subject_types_supported", "id_token_signing_alg_values_supported", "userinfo_endpoint",
        "device_authorization_endpoint", "code_challenge_methods_supported",
      ]
      members = members.filter { required.contains($0.key) }
    },
    truth("no-scopes", "Metadata without scopes_supported", optionalRule) { members, _ in
      members["scopes_supported"] = nil
    },
    truth("no-modes", "Metadata without response_modes_supported", optionalRule) { members, _ in
      members["response_modes_supported"] = nil
    },
    truth("no-grants", "Metadata without grant_types_supported", optionalRule) { members, _ in
      members["grant_types_supported"] = nil
    },
    truth("no-claims", "Metadata without claims_supported", optionalRule) { members, _ in
      members["claims_supported"] = nil
    },
    truth("no-logout", "Metadata without end_session_endpoint", optionalRule) { members, _ in
      members["end_session_endpoint"] = nil
    },
    truth("no-userinfo", "Metadata without revocation and introspection endpoints", optionalRule) { members, _ in
      for name in ["revocation_endpoint", "introspection_endpoint", "registration_endpoint"] { members[name] = nil }
    },
    truth("no-iss", "Metadata without the promise of iss", optionalRule) { members, _ in
      members["authorization_response_iss_parameter_supported"] = nil
    },
    truth(
      "scopes-short", "Metadata that leave scopes out",
      .must("A provider may leave scopes out of scopes_supported.", "RFC 8414, 2")
    ) {
      members, _ in members["scopes_supported"] = ["openid"]
    },
  ]

  private static func truth(
    _ name: String, _ title: String, _ rule: Rule,
    _ edit: @escaping @Sendable (inout [String: JSON], LiePlace) throws -> Void
  ) -> ClientCheck { t.truth(name, title, rule, .metadata(edit)) }

  private static let metadataForms: [ClientCheck] = [
    t.truth(
      "type", "Metadata with charset in their type", .must("The type is application/json.", "RFC 8414, 3.2"),
      .response(.metadata) { response, _ in response.replaceType("application/json;charset=UTF-8") }),
    t.truth(
      "type-case", "Metadata with their type in capitals", .must("Media types have no letter case.", "RFC 9110, 8.3.1"),
      .response(.metadata) { response, _ in response.replaceType("Application/JSON") }),
    t.truth(
      "white-space", "Metadata with white space between their parts",
      .must("White space has no meaning.", "RFC 8259, 2"),
      .response(.metadata) { response, _ in
        response.body =
          Array("\r\n\t ".utf8) + Array(try JSON(parsing: response.body).encoded(pretty: true).utf8) + [0x0a]
      }),
    t.truth(
      "escapes", "Metadata with escaped slashes", .must("A character may be escaped.", "RFC 8259, 7"),
      .response(.metadata) { response, _ in
        response.body = Array(String(decoding: response.body, as: UTF8.self).replacing("/", with: "\\/").utf8)
      }),
    t.truth(
      "slow", "Metadata that take a second", .should("A client waits for a slow answer.", "RFC 9110, 9.2"),
      .response(.metadata) { response, _ in response.delay = 1 }),
    t.truth(
      "headers", "Metadata with unknown header fields", .must("Unknown header fields are ignored.", "RFC 9110, 5.1"),
      .response(.metadata) { response, _ in
        response.headers += [("X-Conform", "1"), ("Set-Cookie", "conform=1; Path=/"), ("Vary", "Origin")]
      }),
  ]
}

extension ServerResponse {
  mutating func replaceType(_ type: String) {
    headers = headers.filter { $0.0.lowercased() != "content-type" } + [("Content-Type", type)]
  }
}
