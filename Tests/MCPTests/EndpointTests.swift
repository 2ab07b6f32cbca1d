import HTTPServer
import JSON
import MCP
import Synchronization
import Testing

@Suite("MCP over HTTP")
struct EndpointTests {
  private let endpoint: MCPEndpoint

  init() {
    let schema: JSON = ["type": "object", "properties": [:]]
    let tool = MCPTool(MCPToolDescription("größe", "Answers.", inputSchema: schema)) { call in
      call.report(1, of: 1, "done")
      return MCPResult("ok \(call.caller.principal ?? "")")
    }
    endpoint = MCPEndpoint(
      MCPServer(MCPImplementation(name: "t", version: "1"), instructions: "", tools: [tool]), port: 80)
  }

  private func send(
    _ body: JSON, _ headers: [(String, String)] = [], host: String = "localhost:80", by principal: String? = nil,
    method: String = "POST"
  ) async -> ServerResponse {
    let request = ServerRequest(
      method: method, target: "/mcp", headers: [("Host", host), ("Content-Type", "application/json")] + headers,
      body: Array(body.encoded().utf8))
    return await withCheckedContinuation { continuation in
      endpoint.answer(request, principal: principal) { continuation.resume(returning: $0) }
    }
  }

  private func json(_ response: ServerResponse) throws -> JSON { try JSON(parsing: response.body) }

  private func header(_ response: ServerResponse, _ name: String) -> String? {
    response.headers.first { $0.0 == name }?.1
  }

  private func call(_ meta: [String: JSON] = [:]) -> JSON {
    let all: [String: JSON] = [MCPMeta.version: "2026-07-28", MCPMeta.capabilities: [:]]
    return [
      "jsonrpc": "2.0", "id": 1, "method": "tools/call",
      "params": ["name": "größe", "_meta": .object(all.merging(meta) { $1 })],
    ]
  }

  private static let headers = [
    ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "=?base64?Z3LDtsOfZQ==?="),
  ]

  @Test("refuses pages of other sites, whatever name they have led to this machine (DNS rebinding)")
  func rebinding() async throws {
    for host in ["evil.example", "evil.example:80", "127.0.0.1:81", "localhost.evil.example:80", ""] {
      #expect(await send(call(), Self.headers, host: host).status == 403)
    }
    for origin in [
      "http://evil.example", "null", "http://localhost:8080", "file://", "http://localhost:80.evil.example",
    ] {
      #expect(await send(call(), Self.headers + [("Origin", origin)]).status == 403)
    }
    for host in ["localhost:80", "127.0.0.1:80", "[::1]:80", "LOCALHOST:80"] {
      #expect(await send(call(), Self.headers + [("Origin", "http://localhost:80")], host: host).status == 200)
    }
  }

  @Test("answers a call, and sends its progress as events before the answer")
  func events() async throws {
    #expect(
      try json(await send(call(), Self.headers, by: "ann"))["result"]?["content"]?.array?.first?["text"] == "ok ann")
    let response = await send(call([MCPMeta.progressToken: 7]), Self.headers)
    #expect(header(response, "Content-Type") == "text/event-stream")
    let text = String(decoding: response.body, as: UTF8.self)
    #expect(text.hasPrefix("event: message\ndata: {"))
    #expect(text.contains("notifications/progress") && text.hasSuffix("\n\n"))
  }

  @Test("refuses headers that say something else than the body")
  func headers() async throws {
    for name in ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"] {
      let response = await send(call(), Self.headers.filter { $0.0 != name })
      #expect(response.status == 400)
      #expect(try json(response)["error"]?["code"] == -32020)
    }
    let wrong = Self.headers.map { $0.0 == "Mcp-Name" ? ($0.0, "other") : $0 }
    #expect(try json(await send(call(), wrong))["error"]?["code"] == -32020)
    let unknown = await send(
      call([MCPMeta.version: "1900-01-01"]),
      Self.headers.map { ($0.0, $0.0 == "MCP-Protocol-Version" ? "1900-01-01" : $0.1) })
    #expect(unknown.status == 400)
    #expect(try json(unknown)["error"]?["code"] == -32022)
  }

  @Test("keeps a session for the person who began it")
  func sessions() async throws {
    let begin: JSON = [
      "jsonrpc": "2.0", "id": 1, "method": "initialize",
      "params": ["protocolVersion": "2025-06-18", "capabilities": [:], "clientInfo": ["name": "c", "version": "1"]],
    ]
    let begun = await send(begin, by: "ann")
    let id = try #require(header(begun, "Mcp-Session-Id"))
    let list: JSON = ["jsonrpc": "2.0", "id": 2, "method": "tools/list"]
    let session = [("Mcp-Session-Id", id), ("MCP-Protocol-Version", "2025-06-18")]
    #expect(await send(list, session, by: "ann").status == 200)
    #expect(await send(list, session, by: "bob").status == 404)
    #expect(await send(list, by: "ann").status == 400)
    #expect(await send(.null, session, by: "bob", method: "DELETE").status == 404)
    #expect(await send(.null, session, by: "ann", method: "DELETE").status == 204)
    #expect(await send(list, session, by: "ann").status == 404)
    #expect(await send(.null, by: "ann", method: "GET").status == 405)
  }
}
