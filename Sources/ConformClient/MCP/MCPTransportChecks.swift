import Conform
import Core
import HTTPClient
import HostLoop
import JSON

/// Messages that are wrong, with a right token.
enum MCPTransportChecks {
  private static let t = Topic.mcpTransport

  static let all: [MCPCheck] = [
    t.mcp(
      "version", "An unknown version is answered with 400",
      .must("An unsupported MCP-Protocol-Version gets 400.", "MCP 2025-11-25, transports: protocol version header")
    ) { server in
      .with(
        400, try await server.ask(bearer: nil, "tools/list") { $0.headers["MCP-Protocol-Version"] = "1900-01-01" })
    },
    t.mcp(
      "no-json", "A body that is not JSON is answered with an error",
      .must("A message that cannot be read gets an error.", "JSON-RPC 2.0, 5.1")
    ) { server in
      let answer = try await server.ask { $0.body = Array("{".utf8) }
      return .when(
        (400..<500).contains(answer.status) || answer.json?["error"] != nil, "the server answers \(answer.status)",
        "the server answers \(answer.status) without an error")
    },
    t.mcp(
      "form", "A form is not a message",
      .should("Messages have the type application/json.", "MCP 2025-11-25, transports: sending messages")
    ) { server in
      let answer = try await server.ask { request in
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"
      }
      return .when(
        (400..<500).contains(answer.status), "the server answers \(answer.status)",
        "the server answers \(answer.status)")
    },
    t.mcp(
      "method", "An unknown method is answered with an error",
      .must("An unknown method gets the error -32601.", "JSON-RPC 2.0, 5.1")
    ) { server in
      let answer = try await server.ask(bearer: nil, "conform/unknown")
      let code = answer.json?["error"]?["code"]?.lenientInteger
      return .when(
        code != nil || (400..<500).contains(answer.status),
        "the error is \(code.map(String.init) ?? "status \(answer.status)")",
        "the server answers \(answer.status) without an error")
    },
    t.mcp(
      "plain", "The server is not open without TLS",
      .must("A server is reached by https.", "MCP 2026-07-28, authorization: communication security"), danger: .passive
    ) { server in
      guard let origin = Origin(server.api.settings.url), origin.scheme == "https", !origin.isLoopback else {
        throw EndOfProbe(.notUsed("the server is on this machine"))
      }
      let plain = server.api.settings.url.replacing("https://", with: "http://", maxReplacements: 1)
      guard let answer = try await server.fetch(plain) else { return .kept("nothing answers there") }
      let leads = answer.headers["Location"]?.hasPrefix("https://") == true
      return .when(
        leads || answer.status >= 400, "the server answers \(answer.status)",
        "the server answers \(answer.status) by http")
    },
  ]
}

extension Finding {
  static func with(_ status: Int, _ answer: APIUnderTest.Answer) -> Finding {
    .when(answer.status == status, "the server answers \(status)", "the server answers \(answer.status)")
  }
}
