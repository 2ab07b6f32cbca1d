import Conform
import Core
import HTTPClient
import HostLoop
import JSON

/// Requests without a token.
enum MCPChallengeChecks {
  private static let t = Topic.mcpChallenge
  private static let deny = Rule.must(
    "A request without a valid token gets 401.", "MCP 2026-07-28, authorization: token handling")

  static let all: [MCPCheck] = [
    t.mcp("status", "A request without a token is refused with 401", deny, peers: ["mcp:auth/metadata-default"]) {
      .refusedWith401($0.documents.challenge)
    },
    t.mcp(
      "header", "The refusal has a challenge of the scheme Bearer",
      .must("401 comes with WWW-Authenticate.", "RFC 6750, 3")
    ) { server in
      try denied(server.documents.challenge)
      return .when(
        server.documents.bearer != nil, "the challenge is there", "WWW-Authenticate is missing, or of another scheme")
    },
    t.mcp(
      "resource-metadata", "The challenge names the resource metadata",
      .should("The challenge has resource_metadata.", "RFC 9728, 5.1"), peers: ["mcp:auth/metadata-default"]
    ) { server in
      try denied(server.documents.challenge)
      let address = server.documents.bearer?.parameters["resource_metadata"]
      return .when(
        address != nil, "resource_metadata is \(address ?? "")",
        "the challenge has no resource_metadata: clients have to try the well-known addresses")
    },
    t.mcp(
      "resource-metadata-address", "The resource metadata is on the server's own origin",
      .must("resource_metadata is the address of the server's metadata, by https.", "RFC 9728, 3")
    ) { server in
      guard let address = server.documents.bearer?.parameters["resource_metadata"] else {
        throw EndOfProbe(.notUsed("the challenge has no resource_metadata"))
      }
      guard let origin = Origin(address) else {
        return .broken("resource_metadata is not an absolute address: \(address)")
      }
      return .when(
        origin == Origin(server.api.settings.url), "it is at \(origin.authority)",
        "it is at another origin, \(origin.scheme)://\(origin.authority)")
    },
    t.mcp(
      "scope", "The challenge names the scopes that are needed",
      .should("The challenge has scope.", "MCP 2026-07-28, authorization: scope selection"),
      peers: ["mcp:auth/scope-from-www-authenticate"]
    ) { server in
      try denied(server.documents.challenge)
      let scope = server.documents.bearer?.parameters["scope"]
      return .when(scope != nil, "scope is \(scope ?? "")", "the challenge has no scope")
    },
    t.mcp(
      "no-error", "The challenge to a request without a token has no error",
      .should("Without a token there is no error code.", "RFC 6750, 3.1")
    ) { server in
      try denied(server.documents.challenge)
      let error = server.documents.bearer?.parameters["error"]
      return .when(error == nil, "there is no error", "the challenge has error=\(error ?? "")")
    },
    t.mcp(
      "no-offline-access", "The server does not ask for offline_access",
      .should(
        "Refresh tokens are between client and authorization server.", "MCP 2026-07-28, authorization: refresh tokens"),
      peers: ["mcp:auth/offline-access-scope"]
    ) { server in
      .when(
        !server.documents.scopes.contains("offline_access"), "offline_access is not among the scopes",
        "offline_access is among the scopes of the server")
    },
    method("list", "Listing the tools without a token is refused", "tools/list"),
    method("call", "Calling a tool without a token is refused", "tools/call"),
    method("ping", "A ping without a token is refused", "ping"),
    verb("get", "GET without a token opens no stream", "GET"),
    verb("delete", "DELETE without a token ends no session", "DELETE"),
    t.mcp("empty", "An empty token is refused", deny) { .refused(try await $0.ask(["Bearer "])) },
    t.mcp("basic", "Credentials of another scheme are refused", deny) {
      .refused(try await $0.ask(["Basic Y29uZm9ybTpjb25mb3Jt"]))
    },
  ]

  private static func method(_ name: String, _ title: String, _ method: String) -> MCPCheck {
    t.mcp(name, title, deny) { .refused(try await $0.open(method)) }
  }

  private static func verb(_ name: String, _ title: String, _ verb: String) -> MCPCheck {
    t.mcp(name, title, deny) { server in
      .refused(
        try await server.open { request in
          request.method = verb
          request.body = nil
          if verb == "GET" { request.headers["Accept"] = "text/event-stream" }
        })
    }
  }

  /// Ends a check about the challenge of a server that refuses nothing.
  static func denied(_ answer: APIUnderTest.Answer) throws {
    guard answer.isDenied else {
      throw EndOfProbe(.unclear("the server does not refuse the request: \(answer.status)"))
    }
  }
}

extension Finding {
  static func refusedWith401(_ answer: APIUnderTest.Answer) -> Finding {
    .when(answer.status == 401, "the server answers 401", "the server answers \(answer.status)")
  }
}
