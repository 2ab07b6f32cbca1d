import Conform
import Core
import HTTPClient
import HostLoop
import JSON
import MCP

/// Sessions of the versions that begin with `initialize`.
enum MCPSessionChecks {
  private static let t = Topic.mcpSessions
  private static let authentication = Rule.must(
    "A session does not authenticate anybody.", "MCP 2025-11-25, security best practices: session hijacking")

  static let all: [MCPCheck] = [
    t.mcp("made-up", "A made-up session without a token is refused", authentication, danger: .passive) { server in
      .refused(try await server.open("tools/list") { $0.headers["Mcp-Session-Id"] = "conform-session" })
    },
    begun("without-token", "A session without the token that began it is refused", authentication) { server, id in
      .refused(try await server.open("tools/list") { $0.headers["Mcp-Session-Id"] = id })
    },
    begun("other-user", "A session with the token of another user is refused", authentication) { server, id in
      let token = try server.token { token in
        for name in ["sub", "oid"] { token.claims[name] = "5b0c6f3e-0000-4000-8000-0000000b0b0b" }
      }
      return .refused(try await server.ask(bearer: token, "tools/list") { $0.headers["Mcp-Session-Id"] = id })
    },
    begun("wrong-token", "A session with a wrong token is refused", authentication) { server, id in
      .refused(try await server.ask(["Bearer conform.wrong.token"], "tools/list") { $0.headers["Mcp-Session-Id"] = id })
    },
    begun(
      "unknown", "An unknown session is answered with 404",
      .must("A session that has ended is answered with 404.", "MCP 2025-11-25, transports: session management")
    ) { server, _ in
      .with(404, try await server.ask(bearer: nil, "tools/list") { $0.headers["Mcp-Session-Id"] = "conform-session" })
    },
    begun(
      "random", "IDs of sessions cannot be guessed",
      .should("IDs are secure random values.", "MCP 2025-11-25, security best practices: session hijacking")
    ) { server, id in
      if id == (try await begin(server)) { return .broken("two sessions have the same ID") }
      return .when(
        id.utf8.count >= 16, "they have \(id.utf8.count) characters", "they have \(id.utf8.count) characters")
    },
    begun(
      "characters", "IDs of sessions have visible characters of ASCII",
      .must("An ID has the characters 0x21 to 0x7E.", "MCP 2025-11-25, transports: session management")
    ) { _, id in
      .when(id.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "they have", "an ID has other characters")
    },
  ]

  /// A check of a session that a right token has begun.
  private static func begun(
    _ name: String, _ title: String, _ rule: Rule,
    _ probe: @escaping @HostActor @Sendable (MCPUnderTest, _ id: String) async throws -> Finding
  ) -> MCPCheck {
    t.mcp(name, title, rule) { server in
      let version = server.version
      server.version = .newestWithSessions
      defer { server.version = version }
      return try await probe(server, try await begin(server))
    }
  }

  /// Begins a session with the right token. Returns its ID; the check ends without one.
  @HostActor private static func begin(_ server: MCPUnderTest) async throws -> String {
    let answer = try await server.ask(bearer: nil, "initialize")
    guard answer.isAccepted else { throw EndOfProbe(.notUsed("the server begins no session: \(answer.status)")) }
    guard let id = answer.headers["Mcp-Session-Id"] else { throw EndOfProbe(.notUsed("the server has no sessions")) }
    return id
  }
}
