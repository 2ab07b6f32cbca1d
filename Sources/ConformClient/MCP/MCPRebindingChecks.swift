import Conform
import Core
import HTTPClient
import HostLoop
import JSON

/// Requests that a web page sends by a name that it lets point to the server (DNS rebinding).
enum MCPRebindingChecks {
  private static let t = Topic.mcpRebinding
  private static let origin = Rule.must(
    "A wrong Origin gets 403.", "MCP 2025-11-25, transports: security warning")

  static let all: [MCPCheck] = [
    asked("origin", "A page of another site is refused", origin, ["mcp:dns-rebinding-protection"]) { _ in
      ("Origin", "https://attacker.example")
    },
    asked("origin-null", "A page without an origin is refused", origin) { _ in ("Origin", "null") },
    asked("origin-longer", "A page whose origin begins with this server is refused", origin) { url in
      ("Origin", "\(Origin(url)?.scheme ?? "https")://\(Origin(url)?.host ?? "").attacker.example")
    },
    asked("origin-port", "A page of another port of this host is refused", origin) { url in
      ("Origin", "\(Origin(url)?.scheme ?? "https")://\(Origin(url)?.host ?? ""):9")
    },
    asked(
      "host", "A request by another name of the host is refused",
      .should("A server on this machine checks Host.", "MCP 2025-11-25, transports: security warning"),
      ["mcp:dns-rebinding-protection"]
    ) { _ in ("Host", "attacker.example") },
    t.mcp(
      "metadata-host", "The metadata names no host that a request brings",
      .should("resource is the name of the server, whatever Host says.", "RFC 9728, 3.3")
    ) { server in
      let url = try server.documents.needResource().url
      let answer = try await server.api.ask([]) { request in
        request = HTTPRequest(
          url: url, headers: ["Accept": "application/json", "Host": "attacker.example"], timeout: request.timeout,
          followsRedirects: false, maximumBodySize: 256 << 10)
      }
      return .when(
        !answer.text.contains("attacker.example") || answer.status >= 400, "the server answers \(answer.status)",
        "the metadata names attacker.example, the Host of the request")
    },
  ]

  /// A request with the right token, if there is one, and a field that only a page of another site sends.
  private static func asked(
    _ name: String, _ title: String, _ rule: Rule, _ peers: [String] = [],
    _ field: @escaping @Sendable (_ url: String) -> (name: String, value: String)
  ) -> MCPCheck {
    t.mcp(name, title, rule, peers: peers) { server in
      let (name, value) = field(server.api.settings.url)
      guard server.tokens != .none else {
        let answer = try await server.open { $0.headers[name] = value }
        if answer.status == 401 {
          throw EndOfProbe(.unclear("without a token the server answers 401 first; give a right token"))
        }
        return .refused(answer)
      }
      return .refused(try await server.ask { $0.headers[name] = value })
    }
  }
}
