import Conform
import Core
import HTTPServer
import JSON

/// Lies and truths of an MCP server and in its metadata.
enum MCPLies {
  static let all: [ClientCheck] = wrongResources + missing + truths + servers

  private static let t = Topic.clientMCPResource
  private static let a = Topic.clientMCPServer

  private static let resourceRule = Rule.must(
    "resource in the metadata is the server that was asked; else the metadata is not used.", "RFC 9728, 3.3")
  private static let serverRule = Rule.must(
    "authorization_servers names the servers, and the client uses no others.",
    "MCP 2026-07-28, authorization: server location")

  private static let wrongResources = [
    wrong("other", "Metadata of another resource", resourceRule, ["mcp:auth/resource-mismatch"]) { members, _ in
      members["resource"] = "https://attacker.example/mcp"
    },
    wrong("host", "Metadata of the same path on another host", resourceRule) { members, place in
      members["resource"] = .string("\(place.otherOrigin)/mcp")
    },
    wrong("sibling", "Metadata of another path on the same host", resourceRule) { members, place in
      members["resource"] = .string("\(place.origin)/other")
    },
    wrong("prefix", "Metadata whose resource is the beginning of the text", resourceRule) { members, place in
      members["resource"] = .string("\(place.origin)/mc")
    },
    wrong("longer", "Metadata whose resource is longer than the text", resourceRule) { members, place in
      members["resource"] = .string("\(place.origin)/mcp/attacker")
    },
    wrong("missing", "Metadata without resource", .must("resource is required.", "RFC 9728, 2")) { members, _ in
      members["resource"] = nil
    },
    wrong("list", "Metadata with a list of resources", .must("resource is one text.", "RFC 9728, 2")) {
      members, place in
      members["resource"] = ["https://attacker.example/mcp", .string("\(place.origin)/mcp")]
    },
  ]

  private static let missing = [
    wrong("no-servers", "Metadata without authorization_servers", serverRule) { members, _ in
      members["authorization_servers"] = nil
    },
    wrong("empty-servers", "Metadata with an empty list of servers", serverRule) { members, _ in
      members["authorization_servers"] = []
    },
    t.taken(
      "page", "Resource metadata that is a web page", .must("The metadata is a JSON object.", "RFC 9728, 3.2"),
      .page(.resource)),
    t.taken(
      "failure", "Resource metadata with status 500", .must("Success is status 200.", "RFC 9728, 3.2"),
      .response(.resource) { response, _ in response.status = 500 }),
  ]

  private static let placeRule = Rule.must(
    "Clients take the address of the challenge, else the well-known ones in their order.",
    "MCP 2026-07-28, authorization: protected resource metadata discovery")
  private static let optionalRule = Rule.must("This member is optional.", "RFC 9728, 2")
  private static let unknownRule = Rule.must("Members that are not understood are ignored.", "RFC 9728, 3.2")

  private static let truths = [
    t.truth(
      "no-address", "Challenge without resource_metadata", placeRule, peers: ["mcp:auth/metadata-var1"],
      .challenge { text, _ in withoutAddress(text) }),
    t.truth(
      "root", "Resource metadata at the root alone", placeRule, peers: ["mcp:auth/metadata-var2"],
      Lie.challenge { text, _ in withoutAddress(text) }.and(atRootAlone)),
    t.truth(
      "named", "Resource metadata where the challenge says, and nowhere else", placeRule, named { $0 }),
    t.truth(
      "no-scopes", "Resource metadata without scopes_supported", optionalRule,
      .resource { $0["scopes_supported"] = nil }),
    t.truth(
      "no-methods", "Resource metadata without bearer_methods_supported", optionalRule,
      .resource { $0["bearer_methods_supported"] = nil }),
    t.truth(
      "extra", "Resource metadata with unknown members", unknownRule, .resource { $0["conform"] = ["a": [1, nil]] }),
    t.truth(
      "scheme-case", "Challenge with its scheme in lower case",
      .must("Schemes are case-insensitive.", "RFC 9110, 11.1"), named { $0.replacing("Bearer ", with: "bearer ") }),
    t.truth(
      "parameters", "Challenge with unknown parameters first", .must("Unknown parameters are ignored.", "RFC 6750, 3"),
      named { $0.replacing("Bearer ", with: "Bearer realm=\"tasks, \\\"all\\\"\", conform=x, ") }),
    t.truth(
      "two-schemes", "Challenge with another scheme first",
      .must("A challenge may name several schemes.", "RFC 9110, 11.6.1"), named { "Basic realm=\"tasks\", \($0)" }),
  ]

  private static let pkce = Rule.must(
    "A client refuses a server that does not promise S256.", "MCP 2026-07-28, authorization: code protection")
  private static let order = Rule.must(
    "Clients ask for the document of RFC 8414 first, then for those of OpenID Connect.",
    "MCP 2026-07-28, authorization: server metadata discovery")

  private static let servers = [
    a.taken(
      "no-pkce", "Metadata without code_challenge_methods_supported", pkce,
      .metadata { members, _ in members["code_challenge_methods_supported"] = nil }),
    a.taken(
      "plain-pkce", "Metadata with the challenge method plain alone", pkce,
      .metadata { members, _ in members["code_challenge_methods_supported"] = ["plain"] }),
    a.taken(
      "issuer", "Metadata of another issuer",
      .must("issuer is identical to the issuer that the server names.", "RFC 8414, 3.3"),
      peers: ["mcp:auth/metadata-issuer-mismatch"],
      .metadata { members, place in
        members["issuer"] = .string((members["issuer"]?.string ?? "").replacing(place.origin, with: place.otherOrigin))
      }),
    a.truth(
      "openid-place", "Metadata at the first place of OpenID Connect alone", order, peers: ["mcp:auth/metadata-var1"],
      .absent { $0.hasPrefix("/.well-known/oauth-authorization-server") }),
    a.truth(
      "appended-place", "Metadata at the second place of OpenID Connect alone", order,
      peers: ["mcp:auth/metadata-var3"],
      .absent { $0.hasPrefix("/.well-known/") }),
    a.truth(
      "standard-place", "Metadata at the place of RFC 8414 alone", order, peers: ["mcp:auth/metadata-var2"],
      .absent { $0.contains("openid-configuration") }),
  ]

  private static func wrong(
    _ name: String, _ title: String, _ rule: Rule, _ peers: [String] = [],
    _ edit: @escaping @Sendable (inout [String: JSON], LiePlace) -> Void
  ) -> ClientCheck { t.taken(name, title, rule, peers: peers, .json(.resource) { edit(&$0, $1) }) }

  @Sendable static func withoutAddress(_ text: String) -> String {
    text.replacing(#/resource_metadata="[^"]*",? ?/#, with: "")
  }

  /// The metadata is where the challenge says alone: a program that does not read the challenge finds nothing.
  private static func named(_ edit: @escaping @Sendable (String) -> String) -> Lie {
    let name = "oauth-protected-resource/conform"
    return Lie.challenge { text, _ in edit(text.replacing("oauth-protected-resource/mcp", with: name)) }.and(
      .response(.resource) { response, place in
        guard place.request.path.hasSuffix(name) else {
          response = ServerResponse(status: 404)
          return
        }
        let json: JSON = [
          "resource": .string("\(place.origin)/mcp"),
          "authorization_servers": [.string("\(place.origin)/contoso.onmicrosoft.com/v2.0")],
        ]
        response = ServerResponse(text: json.encoded(), type: "application/json")
      })
  }

  private static let atRootAlone = Lie.response(.resource) { response, place in
    guard place.request.path.hasSuffix("/mcp") else { throw NoLie() }
    response = ServerResponse(status: 404)
  }
}

extension Topic {
  /// A lie in a document: an authorization request after it shows that the program took it.
  func taken(_ name: String, _ title: String, _ rule: Rule, peers: [String] = [], _ lie: Lie) -> ClientCheck {
    proven(name, title, rule, peers: peers, lie) { run in
      run.afterLie.first { [.authorize, .par, .token, .device].contains($0.part) }
    }
  }
}

extension Lie {
  /// Changes the challenge of the MCP server.
  static func challenge(_ edit: @escaping @Sendable (String, LiePlace) -> String) -> Lie {
    response(.mcp) { response, place in
      guard response.status == 401 || response.status == 403 else { throw NoLie() }
      response.headers = response.headers.map { name, value in
        (name, name == "WWW-Authenticate" ? edit(value, place) : value)
      }
    }
  }

  /// Changes the metadata of the MCP server.
  static func resource(_ edit: @escaping @Sendable (inout [String: JSON]) -> Void) -> Lie {
    json(.resource) { members, _ in edit(&members) }
  }

  /// Has no metadata of the authorization server at these paths.
  static func absent(_ isAbsent: @escaping @Sendable (String) -> Bool) -> Lie {
    response(.metadata) { response, place in
      guard isAbsent(place.request.path) else { throw NoLie() }
      response = ServerResponse(status: 404)
    }
  }
}
