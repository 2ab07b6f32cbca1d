import Core
import HTTPClient
import HostLoop
import JSON
import MCP
import Testing

@testable import MCPClient

/// Connections to servers that a test plays: the function that sends gets each message, and gives parts of the answer.
@Suite("Connections to MCP servers") @HostActor
struct ConnectionTests {
  /// A server by a function from a message to the parts of the answer.
  @HostActor
  final class Server {
    private(set) var requests: [(headers: HTTPHeaders, message: JSON)] = []
    private let answer: (JSON, Server) throws -> HTTPResponse

    init(_ answer: @escaping (JSON, Server) throws -> HTTPResponse) { self.answer = answer }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
      let message = request.body.map { (try? JSON(parsing: $0)) ?? .null } ?? .null
      requests.append((request.headers, message))
      var response = try answer(message, self)
      guard response.status == 200, let onBody = request.onBody else { return response }
      let body = response.body
      response.body = []
      let step = body.count > 4096 ? 1 << 16 : 3
      for start in stride(from: 0, to: body.count, by: step) {
        let isWanted = body[start..<min(start + step, body.count)].withUnsafeBytes { onBody($0) }
        guard isWanted else { throw HTTPError(.canceled, "not wanted") }
        await Task.yield()
      }
      return response
    }

    var methods: [String] { requests.compactMap { $0.message["method"]?.string } }
  }

  private static func json(_ id: JSON?, _ result: JSON, headers: HTTPHeaders = [:]) -> HTTPResponse {
    let message: JSON = ["jsonrpc": "2.0", "id": id ?? .null, "result": result]
    return HTTPResponse(status: 200, headers: headers, body: Array(message.encoded().utf8))
  }

  private static func events(_ messages: [JSON]) -> HTTPResponse {
    let text = messages.map { "event: message\r\nid: 1\r\ndata: \($0.encoded())\r\n\r\n" }.joined()
    return HTTPResponse(status: 200, body: Array(": hello\n\(text)".utf8))
  }

  private static func result(_ id: JSON?, _ result: JSON) -> JSON {
    ["jsonrpc": "2.0", "id": id ?? .null, "result": result]
  }

  private func connect(
    _ server: Server, version: MCPVersion? = nil, question: MCPConnection.Question? = nil
  ) -> MCPConnection {
    MCPConnection(
      "https://mcp.example/mcp", client: MCPImplementation(name: "t", version: "1"), version: version, timeout: 5,
      question: question
    ) { try await server.send($0) }
  }

  /// A server of a version with sessions that knows one tool.
  private func older(_ call: @escaping (JSON, Server) throws -> HTTPResponse) -> Server {
    Server { message, server in
      switch message["method"]?.string {
      case "server/discover": return HTTPResponse(status: 400, body: Array("Bad Request: no session".utf8))
      case "initialize":
        return Self.json(
          message["id"],
          [
            "protocolVersion": message["params"]?["protocolVersion"] ?? .null, "capabilities": ["tools": [:]],
            "serverInfo": ["name": "old", "version": "3"],
          ], headers: ["Mcp-Session-Id": "session-\(server.methods.filter { $0 == "initialize" }.count)"])
      case "tools/call": return try call(message, server)
      case nil, "notifications/initialized", "notifications/cancelled": return HTTPResponse(status: 202)
      default: return HTTPResponse(status: 204)
      }
    }
  }

  private func newer(_ answer: @escaping (JSON) -> JSON) -> Server {
    Server { message, _ in
      guard message["method"] != "server/discover" else {
        return Self.json(
          message["id"],
          [
            "supportedVersions": ["2026-07-28"], "capabilities": ["tools": [:]], "resultType": "complete",
            "_meta": [MCPMeta.server: ["name": "new", "version": "1"]],
          ])
      }
      return Self.json(message["id"], answer(message))
    }
  }

  // MARK: Versions

  @Test("a server without sessions gets its version, the client and the method in each request")
  func stateless() async throws {
    let server = newer { _ in ["resultType": "complete", "content": []] }
    let connection = connect(server)
    _ = try await connection.request("tools/call", ["name": "größe"])
    #expect(connection.agreement?.version == .stateless)
    #expect(connection.agreement?.server?.name == "new")
    let last = try #require(server.requests.last)
    #expect(last.headers["MCP-Protocol-Version"] == "2026-07-28")
    #expect(last.headers["Mcp-Method"] == "tools/call")
    #expect(last.headers["Mcp-Name"] == "=?base64?Z3LDtsOfZQ==?=")
    #expect(last.message["params"]?["_meta"]?[MCPMeta.version] == "2026-07-28")
    #expect(last.message["params"]?["_meta"]?[MCPMeta.capabilities] == [:])
  }

  @Test(
    "a server that does not know the new version gets initialize, its session and its version; close ends the session")
  func sessions() async throws {
    let server = older { message, _ in Self.json(message["id"], ["content": []]) }
    let connection = connect(server)
    _ = try await connection.request("tools/call", ["name": "t"])
    #expect(server.methods == ["server/discover", "initialize", "notifications/initialized", "tools/call"])
    let last = try #require(server.requests.last)
    #expect(last.headers["Mcp-Session-Id"] == "session-1" && last.headers["MCP-Protocol-Version"] == "2025-11-25")
    #expect(last.message["params"]?["_meta"] == nil)
    try await connection.close()
    #expect(server.requests.last?.headers["Mcp-Session-Id"] == "session-1")
    #expect(connection.agreement == nil)
  }

  @Test("a session that the server has forgotten begins anew, once")
  func forgotten() async throws {
    let server = older { message, server in
      guard server.requests.last?.headers["Mcp-Session-Id"] == "session-2" else { return HTTPResponse(status: 404) }
      return Self.json(message["id"], ["content": []])
    }
    _ = try await connect(server, version: .june2025).request("tools/call", ["name": "t"])
    #expect(
      server.methods == [
        "initialize", "notifications/initialized", "tools/call", "initialize", "notifications/initialized",
        "tools/call",
      ])
  }

  @Test("a version that this program does not know is refused")
  func unknownVersion() async throws {
    let server = Server { message, _ in
      Self.json(message["id"], ["protocolVersion": "2030-01-01", "supportedVersions": ["2030-01-01"]])
    }
    await #expect {
      try await connect(server).open()
    } throws: { ($0 as? MCPClientError)?.kind == .version }
  }

  // MARK: Messages before the result

  @Test("progress comes in order, before the result; questions of the server are answered in between")
  func events() async throws {
    let server = older { message, _ in
      let token = message["params"]?["_meta"]?["progressToken"] ?? .null
      func progress(_ done: Double) -> JSON {
        [
          "jsonrpc": "2.0", "method": "notifications/progress",
          "params": ["progressToken": token, "progress": .number(done), "total": 2, "message": "half"],
        ]
      }
      return Self.events([
        progress(1), ["jsonrpc": "2.0", "method": "notifications/message", "params": ["data": "noise"]],
        [
          "jsonrpc": "2.0", "id": "q", "method": "elicitation/create",
          "params": ["message": "Sure?", "requestedSchema": ["type": "object"]],
        ],
        ["jsonrpc": "2.0", "id": "r", "method": "roots/list"], progress(2),
        Self.result(message["id"], ["content": [["type": "text", "text": "done"]]]),
      ])
    }
    var seen: [String] = []
    let connection = connect(server) { question in
      seen.append(question.message)
      return .accepted(["yes": true])
    }
    let result = try await connection.request("tools/call", ["name": "t"]) {
      seen.append("\($0.done) of \($0.total ?? 0)")
    }
    #expect(seen == ["1.0 of 2.0", "Sure?", "2.0 of 2.0"])
    #expect(result["content"]?.array?.first?["text"] == "done")
    let answers = server.requests.map(\.message).filter { $0["method"] == nil && $0["id"] != nil }
    #expect(answers.map { $0["id"] } == ["q", "r"])
    #expect(answers.first?["result"] == ["action": "accept", "content": ["yes": true]])
    #expect(answers.last?["error"]?["code"] == -32601)
  }

  @Test("a result that needs input is asked for again with the answers and the state")
  func inputRequired() async throws {
    var calls: [JSON] = []
    let server = newer { message in
      calls.append(message["params"] ?? .null)
      guard calls.count > 1 else {
        return [
          "resultType": "input_required", "requestState": "opaque",
          "inputRequests": [
            "ok": ["method": "elicitation/create", "params": ["message": "Sure?", "requestedSchema": [:]]]
          ],
        ]
      }
      return ["resultType": "complete", "content": []]
    }
    _ = try await connect(server) { _ in .declined }.request("tools/call", ["name": "t", "arguments": ["a": 1]])
    #expect(calls.count == 2)
    #expect(calls.last?["requestState"] == "opaque" && calls.last?["arguments"] == ["a": 1])
    #expect(calls.last?["inputResponses"] == ["ok": ["action": "decline"]])
  }

  @Test("a server that asks without an end, or for something that was not offered, is refused")
  func endlessQuestions() async throws {
    func server(_ method: JSON) -> Server {
      newer { _ in
        ["resultType": "input_required", "inputRequests": ["k": ["method": method, "params": ["message": "More?"]]]]
      }
    }
    func kind(_ server: Server, _ question: MCPConnection.Question?) async -> MCPClientProblem? {
      do { _ = try await connect(server, question: question).request("tools/call", ["name": "t"]) } catch {
        return (error as? MCPClientError)?.kind
      }
      return nil
    }
    #expect(await kind(server("elicitation/create"), { _ in .accepted([:]) }) == .rounds)
    #expect(await kind(server("elicitation/create"), nil) == .question)
    #expect(await kind(server("sampling/createMessage"), { _ in .accepted([:]) }) == .question)
  }

  // MARK: Bounds

  @Test(
    "answers that are no messages, end too early or are too large are errors",
    arguments: [
      ("no JSON", MCPClientProblem.malformed), ("{\"jsonrpc\": \"1.0\"}", .malformed),
      ("data: {\"jsonrpc\": \"2.0\", \"method\": \"x\"}\n\n", .malformed), ("", .malformed),
      ("{" + String(repeating: "x", count: AnswerReader.largest), .tooLarge),
    ])
  func wrongAnswers(text: String, kind: MCPClientProblem) async throws {
    let server = older { _, _ in HTTPResponse(status: 200, body: Array(text.utf8)) }
    await #expect {
      _ = try await connect(server, version: .november2025).request("tools/call", ["name": "t"])
    } throws: { ($0 as? MCPClientError)?.kind == kind }
  }

  @Test("a list is read page by page, and not without an end")
  func pages() async throws {
    var count = 0
    let server = newer { message in
      count += 1
      let page = message["params"]?["cursor"]?.lenientInteger ?? 0
      return ["tools": [["name": .string("t\(page)")]], "nextCursor": page < 2 ? .string("\(page + 1)") : .null]
    }
    let tools = try await connect(server).list("tools/list", "tools")
    #expect(tools.map { $0["name"] } == ["t0", "t1", "t2"])
    let endless = newer { _ in ["tools": [], "nextCursor": "again"] }
    await #expect {
      _ = try await connect(endless).list("tools/list", "tools")
    } throws: { ($0 as? MCPClientError)?.kind == .tooLarge }
  }

  @Test("a canceled call ends at once, and tells the server of the session")
  func cancellation() async throws {
    let server = older { message, _ in throw CancellationError() }
    await #expect(throws: CancellationError.self) {
      _ = try await connect(server, version: .november2025).request("tools/call", ["name": "t"])
    }
    while server.methods.last != "notifications/cancelled" { await Task.yield() }
    #expect(server.requests.last?.message["params"]?["requestId"] == 2)
  }
}

@Suite("Events of a stream")
struct EventReaderTests {
  @Test("lines end with CR, LF or both; several lines of data are one; comments and other fields are nothing")
  func lines() {
    var reader = EventReader()
    let text = ":c\r\nevent: x\r\ndata: a\r\ndata:b\r\n\r\ndata: c\r\rdata\n\ndataset: d\n\nid: 1\n\ndata: open"
    let events = text.utf8.flatMap { reader.take([$0]) }
    #expect(events.map { String(decoding: $0, as: UTF8.self) } == ["a\nb", "c", ""])
  }
}
