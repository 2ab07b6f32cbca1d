import Conform
import Core
import HTTPClient
import HostLoop
import JSON

/// The metadata of the authorization server (RFC 8414), as far as clients of MCP need it.
enum MCPAuthorizationChecks {
  private static let t = Topic.mcpAuthorization
  private static let https = Rule.must(
    "Endpoints are https addresses.", "MCP 2026-07-28, authorization: communication security")

  static let all: [MCPCheck] = [
    t.mcp(
      "found", "Clients find the metadata of the authorization server",
      .must(
        "The document is at a place of RFC 8414 or of OpenID Connect.",
        "MCP 2026-07-28, authorization: server metadata discovery"),
      peers: ["mcp:auth/metadata-var1", "mcp:auth/metadata-var2", "mcp:auth/metadata-var3"]
    ) { server in
      let documents = server.documents
      guard !documents.servers.isEmpty else { throw EndOfProbe(.unclear("no authorization server is named")) }
      if let found = documents.server { return .kept("it is at \(WebAddress(found.url).shown)") }
      return .broken("there is no JSON object at \(documents.servers.map(\.shown).joined(separator: ", "))")
    },
    t.mcp(
      "place", "The document is at the place of RFC 8414",
      .may("Clients ask there first.", "RFC 8414, 3.1")
    ) { server in
      guard let first = server.documents.servers.first else {
        throw EndOfProbe(.unclear("no authorization server is named"))
      }
      return .when(first.json != nil, "it is at \(first.shown)", "nothing is at \(first.shown)")
    },
    t.mcp(
      "same", "All places of the document name the same issuer",
      .must("issuer is the issuer that the address was made of.", "RFC 8414, 3.3")
    ) { server in
      let issuers = Set(server.documents.servers.compactMap { $0.json?["issuer"]?.string })
      guard !issuers.isEmpty else { throw EndOfProbe(.unclear("there is no document with issuer")) }
      return .when(
        issuers.count == 1, "it is \(issuers.first ?? "")", "they are \(issuers.sorted().joined(separator: " and "))")
    },
    t.serverMember(
      "issuer", "issuer is the text that the server names",
      .must("issuer is identical, without any normalization.", "RFC 8414, 3.3"),
      "issuer", peers: ["mcp:auth/metadata-issuer-mismatch"]
    ) { value, server in
      let named = server.documents.issuers.first ?? ""
      return value?.string == named ? nil : "is \(value?.string ?? "missing"), and the MCP server names \(named)"
    },
    t.serverMember(
      "s256", "PKCE with S256 is promised",
      .must(
        "Clients refuse a server without code_challenge_methods_supported.",
        "MCP 2026-07-28, authorization: code protection"),
      "code_challenge_methods_supported"
    ) { value, _ in
      guard let value else { return "is missing" }
      return value.texts.contains("S256") ? nil : "has no S256"
    },
    t.serverMember(
      "authorization-endpoint", "The authorization endpoint is there", https, "authorization_endpoint", endpoint),
    t.serverMember("token-endpoint", "The token endpoint is there", https, "token_endpoint", endpoint),
    t.serverMember(
      "code", "Codes are offered", .must("response_types_supported has code.", "RFC 8414, 2"),
      "response_types_supported"
    ) { value, _ in
      guard let value else { return "is missing" }
      return value.texts.contains("code") ? nil : "has no code"
    },
    t.mcp(
      "registration", "There is a way to become a client without a person",
      .should(
        "The server takes client ID metadata documents, or registers clients.",
        "MCP 2026-07-28, authorization: client registration"),
      peers: ["mcp:auth/basic-cimd"]
    ) { server in
      let json = try server.documents.needServer().json
      let documents = json["client_id_metadata_document_supported"] == true
      let registers = json["registration_endpoint"]?.string != nil
      return .when(
        documents || registers, documents ? "client ID metadata documents" : "dynamic registration",
        "neither client_id_metadata_document_supported nor registration_endpoint: each client needs a registration by hand"
      )
    },
    t.serverMember(
      "client-documents", "Client ID metadata documents are taken",
      .should(
        "client_id_metadata_document_supported is true.", "MCP 2026-07-28, authorization: client ID metadata documents"),
      "client_id_metadata_document_supported", peers: ["mcp:auth/basic-cimd"]
    ) { value, _ in value == true ? nil : "is \(value?.encoded() ?? "missing")" },
    t.serverMember(
      "registration-endpoint", "The registration endpoint is an https address", https, "registration_endpoint"
    ) { value, server in value == nil ? nil : endpoint(value, server) },
    t.serverMember(
      "public-clients", "Clients without a secret are taken",
      .should("Programs on a machine of a user have no secret.", "RFC 8252, 8.4"),
      "token_endpoint_auth_methods_supported"
    ) { value, _ in
      guard let value else { return "is missing: the only method is client_secret_basic" }
      return value.texts.contains("none") ? nil : "has no none"
    },
    t.serverMember(
      "iss", "iss is in the redirects",
      .should("The metadata says that authorization responses have iss.", "RFC 9207, 3"),
      "authorization_response_iss_parameter_supported", peers: ["mcp:auth/iss-supported"]
    ) { value, _ in value == true ? nil : "is \(value?.encoded() ?? "missing")" },
    t.serverMember(
      "scopes", "The scopes of the MCP server are scopes of its authorization server",
      .may("The lists agree where both are there.", "RFC 9728, 2"), "scopes_supported"
    ) { value, server in
      guard let value else { return nil }
      let others = server.documents.scopes.filter { !value.texts.contains($0) }
      return others.isEmpty ? nil : "has no \(others.joined(separator: ", "))"
    },
  ]

  @HostActor private static func endpoint(_ value: JSON?, _ server: MCPUnderTest) -> String? {
    guard let text = value?.string else { return "is missing" }
    guard let origin = Origin(text) else { return "is not an absolute address" }
    return origin.scheme == "https" || origin.isLoopback && server.isLoopback
      ? nil : "is not https: \(WebAddress(text).shown)"
  }
}
