import Conform
import Core
import HTTPClient
import HostLoop
import JSON

/// The metadata of the protected resource (RFC 9728).
enum MCPResourceChecks {
  private static let t = Topic.mcpResource

  static let all: [MCPCheck] = [
    t.mcp(
      "found", "Clients find the resource metadata",
      .must("The metadata is where the challenge says, or at a well-known address.", "RFC 9728, 3"),
      peers: ["mcp:auth/metadata-default", "mcp:auth/metadata-var1", "mcp:auth/metadata-var2"]
    ) { server in
      let documents = server.documents
      if let found = documents.resource { return .kept("it is at \(WebAddress(found.url).shown)") }
      let tried = documents.named.map { [$0] } ?? [documents.atPath, documents.atRoot]
      return .broken("there is no JSON object at \(tried.map(\.shown).joined(separator: " and "))")
    },
    t.mcp(
      "well-known", "The metadata is at the well-known address with the path",
      .should("The well-known part is between host and path.", "RFC 9728, 3.1")
    ) { server in
      let place = server.documents.atPath
      return .when(place.json != nil, "it is at \(place.shown)", "nothing is at \(place.shown)")
    },
    t.mcp(
      "same", "The places of the metadata say the same",
      .should("A resource has one document.", "RFC 9728, 3.1")
    ) { server in
      let documents = server.documents
      guard let named = documents.named?.json, let atPath = documents.atPath.json else {
        throw EndOfProbe(.notUsed("the document is at one place"))
      }
      return .when(named == atPath, "they are the same", "the challenge names another document than the well-known one")
    },
    t.mcp(
      "type", "The metadata has the type application/json",
      .must("The response has the type application/json.", "RFC 9728, 3.2")
    ) { server in
      let answer = try server.documents.needResource().answer
      let type = (answer.headers["Content-Type"] ?? "").prefix { $0 != ";" }.lowercased()
      return .when(type == "application/json", "it is \(type)", "it is \(type.isEmpty ? "missing" : type)")
    },
    t.member(
      "resource", "resource names this server", .must("resource is the address of the server.", "RFC 9728, 3.3"),
      "resource",
      peers: ["mcp:auth/resource-mismatch"]
    ) { value, server in
      guard let text = value?.string else { return "is missing" }
      return isName(text, of: server.api.settings.url)
        ? nil : "is \(text), and the server is \(server.api.settings.url)"
    },
    t.member(
      "canonical", "resource is written as clients write it",
      .should(
        "The name has scheme and host in lower case, no fragment, and no slash alone.",
        "MCP 2026-07-28, authorization: resource parameter"),
      "resource"
    ) { value, _ in
      guard let text = value?.string, let origin = Origin(text) else { return "is not an address" }
      let host = text.dropFirst(origin.scheme.count + 3).prefix { $0 != "/" && $0 != ":" }
      if host.lowercased() != host { return "has upper-case letters in its host" }
      if text.contains("#") { return "has a fragment" }
      return text.hasSuffix("/") ? "ends with a slash" : nil
    },
    t.member(
      "servers", "authorization_servers names at least one",
      .must("authorization_servers has at least one issuer.", "MCP 2026-07-28, authorization: server location"),
      "authorization_servers"
    ) { value, _ in value?.texts.isEmpty == false ? nil : "is missing or empty" },
    t.member(
      "servers-https", "The authorization servers are https addresses",
      .must("An issuer is an https address without query and fragment.", "RFC 8414, 2"), "authorization_servers"
    ) { value, server in
      for text in value?.texts ?? [] {
        guard let origin = Origin(text) else { return "has \(text), which is not an address" }
        guard origin.scheme == "https" || origin.isLoopback && server.isLoopback else {
          return "has \(text), which is not https"
        }
        if text.contains("?") || text.contains("#") { return "has \(text), with a query or a fragment" }
      }
      return nil
    },
    t.member(
      "scopes", "scopes_supported is there", .should("scopes_supported is recommended.", "RFC 9728, 2"),
      "scopes_supported", peers: ["mcp:auth/scope-from-scopes-supported"]
    ) { value, _ in value?.texts.isEmpty == false ? nil : "is missing or empty" },
    t.member(
      "bearer-methods", "Tokens are sent in the header alone",
      .must("Tokens are never in the query.", "MCP 2026-07-28, authorization: token requirements"),
      "bearer_methods_supported"
    ) { value, _ in
      guard let value else { return nil }
      if !value.texts.contains("header") { return "has no header" }
      return value.texts.contains("query") ? "has query" : nil
    },
    t.mcp(
      "cors", "Pages of other origins can read the metadata",
      .may("A client in a browser needs Access-Control-Allow-Origin.", "RFC 9728, 7.10")
    ) { server in
      let answer = try server.documents.needResource().answer
      let allowed = answer.headers["Access-Control-Allow-Origin"]
      return .when(
        allowed != nil, "Access-Control-Allow-Origin is \(allowed ?? "")", "Access-Control-Allow-Origin is missing")
    },
  ]

  /// True if the text names the server, or a path above it.
  private static func isName(_ text: String, of url: String) -> Bool {
    guard let origin = Origin(text), origin == Origin(url), !text.contains("#") else { return false }
    func path(_ text: String) -> String {
      let address = WebAddress(text)
      let path = address.path + (address.query.map { "?\($0)" } ?? "")
      return path.hasSuffix("/") ? String(path.dropLast()) : String(path)
    }
    return path(url) == path(text) || path(url).hasPrefix(path(text) + "/")
  }
}
