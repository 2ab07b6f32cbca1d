import Conform
import Core
import HTTPClient
import HostLoop
import JSON

/// Right and wrong access tokens.
enum MCPTokenChecks {
  private static let t = Topic.mcpTokens
  private static let audience = Rule.must(
    "A token is for this server alone.", "MCP 2026-07-28, authorization: token audience binding and validation")
  private static let validated = Rule.must(
    "A server validates each token.", "MCP 2026-07-28, authorization: token handling")

  static let all: [MCPCheck] = accepted + audiences + claims + signatures + ways

  private static let accepted: [MCPCheck] = [
    t.mcp("right", "A right token is accepted", validated) { .accepted(try await $0.ask()) },
    t.mcp(
      "scheme-case", "The scheme may be written in lower case", .must("Schemes are case-insensitive.", "RFC 9110, 11.1")
    ) {
      .accepted(try await $0.ask(["bearer \(try $0.right())"]))
    },
    t.mcp(
      "audience-list", "A token for this server and others is accepted", .may("aud may be a list.", "RFC 7519, 4.1.3")
    ) {
      server in
      .accepted(
        try await server.ask(
          bearer: try server.token { token in
            token.claims["aud"] = [token.claims["aud"] ?? "", "https://other.example/mcp"]
          }))
    },
  ]

  private static let audiences: [MCPCheck] = [
    t.mcpRefuses("audience-other", "Token for another server", audience) { token, _ in
      token.claims["aud"] = "https://other.example/mcp"
    },
    t.mcpRefuses("audience-missing", "Token without aud", audience) { token, _ in token.claims["aud"] = nil },
    t.mcpRefuses("audience-empty", "Token with an empty aud", audience) { token, _ in token.claims["aud"] = "" },
    t.mcpRefuses("audience-longer", "Token whose aud begins with this server", audience) { token, server in
      token.claims["aud"] = .string("\(server.api.settings.audience).attacker.example")
    },
    t.mcpRefuses("audience-shorter", "Token whose aud is the beginning of this server", audience) { token, server in
      token.claims["aud"] = .string(String(server.api.settings.audience.dropLast()))
    },
    t.mcpRefuses("audience-path", "Token for another path of this host", audience) { token, server in
      let origin = Origin(server.api.settings.url)
      token.claims["aud"] = .string("\(origin?.scheme ?? "https")://\(origin?.authority ?? "")/conform/mcp")
    },
    t.mcpRefuses("audience-host", "Token for the same path of another host", audience) { token, server in
      token.claims["aud"] = .string("https://other.example\(WebAddress(server.api.settings.url).path)")
    },
    t.mcpRefuses("audience-client", "Token for a client", audience) { token, server in
      let client = token.claims["azp"]?.string ?? "conform-client"
      guard client != server.api.settings.audience else {
        throw EndOfProbe(.notUsed("the tokens of this server are for the client"))
      }
      token.claims["aud"] = .string(client)
    },
  ]

  private static let claims: [MCPCheck] = [
    t.mcpRefuses("issuer-other", "Token of another issuer", validated) { token, _ in
      token.claims["iss"] = "https://attacker.example"
      token.signature = .other
    },
    t.mcpRefuses("expired", "Token from yesterday", validated) { token, _ in token.age(by: 86_400) },
    t.mcpRefuses("no-expiry", "Token without exp", .must("exp is required.", "RFC 9068, 2.2")) { token, _ in
      token.claims["exp"] = nil
    },
    t.mcpRefuses("future", "Token that is not valid before tomorrow", validated) { token, _ in
      token.move("nbf", by: 86_400)
      token.move("exp", by: 2 * 86_400)
    },
  ]

  private static let signatures: [MCPCheck] = [
    t.mcpRefuses("signature-other", "Token with a signature of another key", validated) { token, _ in
      token.signature = .other
    },
    t.mcpRefuses("signature-removed", "Token without its signature", validated) { token, _ in token.signature = .removed
    },
    t.mcpRefuses("signature-none", "Token with alg none", validated) { token, _ in token.signature = .none("none") },
    t.mcpRefuses("signature-changed", "Token with changed claims below an old signature", validated) { token, _ in
      token.signature = .ofOtherClaims
    },
    t.mcpRefuses("key-in-token", "Token that brings its own key", validated) { token, server in
      try token.bringKey(server.api.keys)
    },
  ]

  private static let ways: [MCPCheck] = [
    t.mcp(
      "query", "A token in the query is not taken",
      .must("Tokens are never in the query.", "MCP 2026-07-28, authorization: token requirements")
    ) {
      server in
      let token = try server.right()
      return .refused(
        try await server.open { $0.url = WebAddress($0.url).appending("access_token=\(token)") })
    },
    t.mcp("cookie", "A token in a cookie is not taken", validated) { server in
      let token = try server.right()
      return .refused(try await server.open { $0.headers["Cookie"] = "access_token=\(token); token=\(token)" })
    },
    t.mcp(
      "each-request", "A token opens no request after its own",
      .must("Each request has its token.", "MCP 2026-07-28, authorization: token requirements")
    ) {
      server in
      guard try await server.ask().isAccepted else { throw EndOfProbe(.unclear("the right token is not accepted")) }
      return .refused(try await server.open("tools/list"))
    },
  ]
}
