import JSON
import MCP
import Testing

@Suite("MCP server")
struct ServerTests {
  private static let stateless: JSON = [
    MCPMeta.version: "2026-07-28", MCPMeta.capabilities: ["elicitation": ["form": [:]]],
    MCPMeta.client: ["name": "test", "version": "1"],
  ]

  /// A server whose tool asks before it writes.
  private static func server() -> MCPServer {
    let schema: JSON = [
      "type": "object", "properties": ["text": ["type": "string", "maxLength": 5]], "required": ["text"],
      "additionalProperties": false,
    ]
    let echo = MCPTool(MCPToolDescription("echo", "Returns the text.", inputSchema: schema)) { call in
      call.report(1, of: 2, "half")
      return MCPResult(call.arguments["text"]?.string ?? "")
    }
    let write = MCPTool(MCPToolDescription("write", "Asks first.", inputSchema: schema)) { call in
      let question = MCPQuestion(
        "approval", "Write \(call.arguments["text"]?.string ?? "")?", schema: ["type": "object"])
      let reply = try await call.ask(question)
      return MCPResult(reply == .accepted(["approve": true]) ? "written" : "not written")
    }
    return MCPServer(MCPImplementation(name: "t", version: "1"), instructions: "", tools: [echo, write])
  }

  private func call(_ tool: String, _ text: JSON, more: [String: JSON] = [:], meta: JSON = stateless) -> [String: JSON]
  {
    ["name": .string(tool), "arguments": ["text": text], "_meta": meta].merging(more) { $1 }
  }

  private func answer(
    _ server: MCPServer, _ method: String, _ params: [String: JSON], in session: MCPSession = MCPSession(id: "s")
  ) async -> JSON {
    await server.answer(.number(1), method, params, in: session) { _ in }.json
  }

  @Test("answers requests of the version without sessions, with its own name in each result")
  func statelessCall() async {
    let answer = await answer(Self.server(), "tools/call", call("echo", "hi"))
    #expect(answer["result"]?["resultType"] == "complete")
    #expect(answer["result"]?["content"]?.array?.first?["text"] == "hi")
    #expect(answer["result"]?["_meta"]?[MCPMeta.server]?["name"] == "t")
    let list = await self.answer(Self.server(), "tools/list", ["_meta": Self.stateless])
    #expect(list["result"]?["ttlMs"] == 0)
    #expect(list["result"]?["tools"]?.array?.count == 2)
  }

  @Test("refuses what is no request of a version that it speaks, with the code of the specification")
  func refusals() async {
    let server = Self.server()
    let old: JSON = [MCPMeta.version: "1900-01-01", MCPMeta.capabilities: [:]]
    #expect(await answer(server, "tools/list", ["_meta": old])["error"]?["code"] == -32022)
    #expect(await answer(server, "tools/list", ["_meta": [MCPMeta.version: "2026-07-28"]])["error"]?["code"] == -32602)
    #expect(await answer(server, "tools/list", [:])["error"]?["code"] == -32602)
    #expect(await answer(server, "no/such", ["_meta": Self.stateless])["error"]?["code"] == -32601)
    #expect(await answer(server, "tools/call", call("none", "hi"))["error"]?["code"] == -32602)
  }

  @Test("begins sessions of the two older versions by initialize")
  func sessions() async {
    for version in ["2025-11-25", "2025-06-18"] {
      let (server, session) = (Self.server(), MCPSession())
      let begun = await answer(
        server, "initialize", ["protocolVersion": .string(version), "capabilities": [:], "clientInfo": ["name": "c"]],
        in: session)
      #expect(begun["result"]?["protocolVersion"] == .string(version))
      let result = await answer(server, "tools/call", ["name": "echo", "arguments": ["text": "hi"]], in: session)
      #expect(result["result"]?["content"]?.array?.first?["text"] == "hi")
      #expect(result["result"]?["resultType"] == nil)
    }
  }

  @Test(
    "checks arguments by the schema of the tool before the tool gets them",
    arguments: [
      (["text": "too long"], "text: expected at most 5 characters, got 8"), (["text": 5], "text: expected a text"),
      ([:], "text is missing"), (["text": "a", "more": true], "there is no argument 'more'"),
    ] as [([String: JSON], String)])
  func arguments(_ arguments: [String: JSON], _ problem: String) async {
    let params: [String: JSON] = ["name": "echo", "arguments": .object(arguments), "_meta": Self.stateless]
    let answer = await answer(Self.server(), "tools/call", params)
    #expect(answer["result"]?["isError"] == true)
    #expect(answer["result"]?["content"]?.array?.first?["text"]?.string?.contains(problem) == true)
  }

  @Test("takes the answer to a question once, for the same call of the same session")
  func questions() async {
    let server = Self.server()
    func state(_ text: JSON) async -> JSON {
      let asked = await answer(server, "tools/call", call("write", text))
      #expect(asked["result"]?["resultType"] == "input_required")
      return asked["result"]?["requestState"] ?? .null
    }
    func reply(_ state: JSON) -> [String: JSON] {
      ["requestState": state, "inputResponses": ["approval": ["action": "accept", "content": ["approve": true]]]]
    }
    let first = await state("a")
    // For other arguments, in another session, or with a made-up state.
    #expect(await answer(server, "tools/call", call("write", "b", more: reply(first)))["error"]?["code"] == -32602)
    let other = MCPSession(id: "other")
    #expect(
      await answer(server, "tools/call", call("write", "a", more: reply(first)), in: other)["error"]?["code"] == -32602)
    #expect(await answer(server, "tools/call", call("write", "a", more: reply("x")))["error"]?["code"] == -32602)
    // An answer without the state is none.
    let bare: [String: JSON] = ["inputResponses": ["approval": ["action": "accept", "content": ["approve": true]]]]
    #expect(
      await answer(server, "tools/call", call("write", "a", more: bare))["result"]?["resultType"] == "input_required")
    let done = await answer(server, "tools/call", call("write", "a", more: reply(first)))
    #expect(done["result"]?["content"]?.array?.first?["text"] == "written")
    #expect(await answer(server, "tools/call", call("write", "a", more: reply(first)))["error"]?["code"] == -32602)
  }

  @Test("asks no client that cannot ask its person")
  func noElicitation() async {
    let meta: JSON = [MCPMeta.version: "2026-07-28", MCPMeta.capabilities: [:]]
    let answer = await answer(Self.server(), "tools/call", call("write", "a", meta: meta))
    #expect(answer["error"]?["code"] == -32021)
  }

  @Test("reads messages of JSON-RPC 2.0, and nothing else")
  func messages() throws {
    for text in ["[]", "{}", "{\"jsonrpc\":\"2.0\"}", "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"a\"}", "x"] {
      #expect(throws: RPCError.self) { try RPCMessage(parsing: Array(text.utf8)) }
    }
    let message = RPCMessage.request(.text("a"), method: "m", params: ["x": 1])
    #expect(try RPCMessage(message.json) == message)
  }
}
