import CommandLineSupport
import Foundation
import HTTPServer
import JSON
import Testing

@Suite("b2c.mcp.connect")
struct MCPConnectTests {
  private let program: Program

  init() throws { program = try Program() }

  private func run(_ script: String, flags: [String] = ["--allow-net"]) throws -> Program.Result {
    try program.run(list: flags + ["-e", script])
  }

  // MARK: The tenant

  @Test(
    "the address of a server is enough: the sign-in, the tools, and more scopes for a tool that needs them",
    arguments: ["2026-07-28", "2025-11-25", "2025-06-18"])
  func tenant(version: String) throws {
    let tenant = try RunningTenant(flags: ["--mcp"])
    let address = try String(#require(tenant.settings.firstMatch(of: #/http://127\.0\.0\.1:\d+/#)).output)
    let result = try run(
      """
      local b2c = require "b2c"
      local server <close> = b2c.mcp.connect("\(address)/mcp", {
        version = "\(version)", sign_in = { agent = "headless", username = "alice", password = "Wonderland-1" },
      })
      print(server.version, server.server)
      for _, tool in ipairs(server:tools()) do print(tool.name, tool.read_only) end
      print(table.concat(b2c.accounts.current().scopes, " "))
      print(server:call("add_task", { text = "Pack" }).data.Text)
      print(table.concat(b2c.accounts.current().scopes, " "))
      print(#server:call("list_tasks").data.tasks)
      local _, problem = pcall(server.call, server, "complete_task", { id = 4711 })
      print(problem.code, problem.details.text)
      print(server:call("complete_task", { id = 4711 }, { raise = false }).failed)
      _, problem = pcall(server.call, server, "unknown")
      print(problem.code, problem.details.rpc_code)
      """)
    #expect(
      result.output == """
        \(version)\tlocal-tenant
        list_tasks\ttrue
        add_task\tfalse
        complete_task\tfalse
        https://contoso.onmicrosoft.com/tasks/read offline_access
        Pack
        https://contoso.onmicrosoft.com/tasks/read offline_access https://contoso.onmicrosoft.com/tasks/write
        1
        tool_failed\t{"code":"task_not_found","message":"there is no task 4711"}
        true
        server_error\t-32602

        """, "\(result)")
  }

  @Test("the tenant of a script is an MCP server with --set mcp=true, and tenant.fault breaks its parts")
  func faults() throws {
    let result = try run(
      """
      local url = b2c.tenant.url .. "/mcp"
      local options = { sign_in = { agent = "headless", username = "alice", password = "Wonderland-1" } }
      local server = b2c.mcp.connect(url, options)
      b2c.tenant.fault {
        path = "/mcp", status = 403, times = 1,
        headers = { ["WWW-Authenticate"] = 'Bearer error="insufficient_scope", scope="https://contoso.onmicrosoft.com/tasks/write"' },
      }
      print(#server:tools(), #b2c.accounts.current().scopes)
      b2c.tenant.fault { path = "/mcp", status = 503 }
      print(select(2, pcall(server.tools, server)).status)
      b2c.tenant.fault {
        path = "/.well-known/oauth-protected-resource*", status = 200, times = 1,
        body = '{ "resource": "https://other.example/mcp", "authorization_servers": ["https://other.example"] }',
      }
      b2c.accounts.sign_out(b2c.accounts.current())
      print(select(2, pcall(b2c.mcp.connect, url, options)).code)
      """, flags: ["--local", "--set", "mcp=true"])
    #expect(result.output == "3\t3\n503\nresource_mismatch\n", "\(result)")
    let wrong = try run("print(1)", flags: ["--local", "--set", "mcp=yes"])
    #expect(wrong.status == 2 && wrong.errors.contains("--set mcp: expected true or false, got 'yes'"), "\(wrong)")
  }

  // MARK: Sign-ins

  /// Connects, and prints the code and the message of the error.
  private func failure(_ server: ProtectedServer, _ options: String) throws -> String {
    let result = try run(
      """
      local ok, problem = pcall(b2c.mcp.connect, "\(server.url)", { \(options) })
      print(problem.code, problem.details.scope, problem.message)
      """)
    #expect(result.status == 0, "\(result)")
    return result.output
  }

  @Test("a server that refuses each token gets three sign-ins, and then nothing more")
  func refusedTokens() throws {
    let server = try ProtectedServer()
    let text = try failure(server, "sign_in = { agent = \"headless\" }")
    #expect(text.hasPrefix("sign_in_required\tnil\t"), "\(text)")
    #expect(text.contains("demands a sign-in again, after 3 sign-ins"))
    #expect(server.requests("/authorize").count == 3)
  }

  @Test("a server that never has enough scopes gets three sign-ins with the union of the scopes, and then nothing more")
  func refusedScopes() throws {
    let server = try ProtectedServer()
    server.change {
      $0.answers["/mcp"] = ServerResponse(
        status: 403,
        headers: [("WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"files:write\"")])
    }
    let text = try run(
      """
      local account = b2c.accounts.sign_in { mcp = "\(server.url)", agent = "headless", scopes = { "files:read" } }
      local ok, problem = pcall(b2c.mcp.connect, "\(server.url)", { sign_in = { agent = "headless" } })
      print(problem.code, problem.details.scope, problem.message)
      """)
    #expect(text.output.hasPrefix("insufficient_scope\tfiles:write\t"), "\(text)")
    #expect(text.output.contains("after 3 sign-ins with the scopes files:write"))
    let asked = server.requests("/authorize").map { Dictionary($0.query) { $1 }["scope"] }
    #expect(asked == ["files:read"] + Array(repeating: "files:read files:write", count: 3))
  }

  @Test("sign_in = false raises the demand, and signs nobody in; wrong options are refused before anything is sent")
  func forbidden() throws {
    let server = try ProtectedServer { $0.challenge = ["scope": "files:read"] }
    let text = try failure(server, "sign_in = false")
    #expect(text.hasPrefix("sign_in_required\tfiles:read\t"), "\(text)")
    #expect(server.requests("/authorize").isEmpty)
    let result = try run("b2c.mcp.connect(\"\(server.url)\", { sign_in = { agnet = \"headless\" } })")
    #expect(result.errors.contains("'agent'"), "\(result)")
    #expect(server.requests("/mcp").count == 1)
  }

  @Test("an account that has signed in for the server is taken, and its token is sent to this server alone")
  func knownAccount() throws {
    let (one, other) = (try ProtectedServer(), try ProtectedServer())
    let result = try run(
      """
      b2c.accounts.sign_in { mcp = "\(one.url)", agent = "headless" }
      pcall(b2c.mcp.connect, "\(one.url)", { sign_in = false })
      pcall(b2c.mcp.connect, "\(other.url)", { sign_in = false })
      """)
    #expect(result.status == 0, "\(result)")
    #expect(one.requests("/mcp").last?.header("Authorization") == "Bearer token-for-the-server")
    #expect(other.requests("/mcp").allSatisfy { $0.header("Authorization") == nil })
  }

  @Test("a script without the permission for the host does not connect, and http is for this machine alone")
  func permission() throws {
    let server = try ProtectedServer()
    let denied = try run("b2c.mcp.connect(\"\(server.url)\")", flags: [])
    #expect(denied.status == 4 && denied.errors.contains("--allow-net"), "\(denied)")
    #expect(server.log.isEmpty)
    let plain = try run("b2c.mcp.connect(\"http://mcp.example/mcp\")")
    #expect(plain.errors.contains("mcp.connect: argument 1: \"http://mcp.example/mcp\" is not the https address"))
  }

  // MARK: Questions, progress, time

  /// A server without a sign-in that speaks 2026-07-28. Its tool `greet` asks first and tells its progress, and `wait` never ends.
  private func openServer() throws -> (server: HTTPServer, url: String) {
    let server = try HTTPServer { request in
      guard let message = try? JSON(parsing: request.body), let params = message["params"] else {
        return ServerResponse(status: 400)
      }
      func answer(_ result: JSON) -> JSON { ["jsonrpc": "2.0", "id": message["id"] ?? .null, "result": result] }
      func response(_ result: JSON) -> ServerResponse {
        ServerResponse(text: answer(result).encoded(), type: "application/json")
      }
      func text(_ text: String, failed: Bool = false) -> JSON {
        ["content": [["type": "text", "text": .string(text)]], "isError": .bool(failed)]
      }
      switch (message["method"]?.string, params["name"]?.string) {
      case ("server/discover", _): return response(["supportedVersions": ["2026-07-28"], "capabilities": [:]])
      case ("tools/list", _):
        return response(["tools": [["name": "greet", "inputSchema": [:]], ["name": "wait", "inputSchema": [:]]]])
      case ("resources/list", _): return response(["resources": [["uri": "note://1", "name": "note"]]])
      case ("resources/read", _): return response(["contents": [["uri": "note://1", "text": "a note"]]])
      case ("prompts/list", _): return response(["prompts": [["name": "greet", "arguments": [["name": "who"]]]]])
      case ("prompts/get", _):
        let who = params["arguments"]?["who"]?.string ?? ""
        return response(["messages": [["role": "user", "content": ["type": "text", "text": .string("Greet \(who)")]]]])
      case ("tools/call", "wait"):
        var late = response(text("late"))
        late.delay = 60
        return late
      default: break
      }
      guard let reply = params["inputResponses"]?["who"] else {
        let schema: JSON = [
          "type": "object", "properties": ["name": ["type": "string"]], "required": ["name"],
        ]
        return response([
          "resultType": "input_required", "requestState": "state-1",
          "inputRequests": [
            "who": [
              "method": "elicitation/create", "params": ["message": "Who is there?", "requestedSchema": schema],
            ]
          ],
        ])
      }
      guard reply["action"] == "accept", params["requestState"] == "state-1" else {
        return response(text("nobody", failed: true))
      }
      let steps = (1...2).map { step -> JSON in
        [
          "jsonrpc": "2.0", "method": "notifications/progress",
          "params": [
            "progressToken": params["_meta"]?["progressToken"] ?? .null, "progress": .integer(Int64(step)), "total": 2,
            "message": .string("step \(step)"),
          ],
        ]
      }
      let messages = steps + [answer(text("Hello \(reply["content"]?["name"]?.string ?? "")"))]
      return ServerResponse(
        text: messages.map { "data: \($0.encoded())\n\n" }.joined(), type: "text/event-stream")
    }
    return (server, "http://127.0.0.1:\(server.port)/mcp")
  }

  @Test("a function answers the questions of a server, and another one gets the progress")
  func questions() throws {
    let (server, url) = try openServer()
    defer { server.stop() }
    let result = try run(
      """
      local server <close> = b2c.mcp.connect("\(url)", {
        on_question = function(question)
          print(question.message, question.schema.required[1])
          return { name = "Lua" }
        end,
      })
      print(server:call("greet", {}, {
        on_progress = function(progress) print(progress.done, progress.total, progress.message) end,
      }).text)
      print(server:resources()[1].name, server:read("note://1")[1].text)
      print(server:prompts()[1].arguments[1].name, server:prompt("greet", { who = "you" })[1].content.text)
      """)
    #expect(
      result.output == """
        Who is there?\tname
        1.0\t2.0\tstep 1
        2.0\t2.0\tstep 2
        Hello Lua
        note\ta note
        who\tGreet you

        """, "\(result)")
  }

  @Test("a question is declined with false and canceled without a value; an answer that does not fit is an error")
  func answers() throws {
    let (server, url) = try openServer()
    defer { server.stop() }
    let result = try run(
      """
      for _, answer in ipairs { "return false", "return nil", "return { age = 3 }", "return 7", "error 'no'" } do
        local server <close> = b2c.mcp.connect("\(url)", { on_question = load(answer) })
        local ok, problem = pcall(server.call, server, "greet")
        print(problem.code, problem.message)
      end
      local server <close> = b2c.mcp.connect("\(url)")
      print(select(2, pcall(server.call, server, "greet")).code)
      """)
    let lines = result.output.split(separator: "\n")
    try #require(lines.count == 6, "\(result)")
    #expect(lines[0].hasPrefix("tool_failed") && lines[1].hasPrefix("tool_failed"))
    #expect(lines[2].contains("the answer of on_question does not fit the question: name is missing"))
    #expect(lines[3].contains("on_question returned a number, expected a table, false or nothing"))
    #expect(lines[4].hasPrefix("script_error"))
    #expect(lines[5] == "question_unanswered")
  }

  @Test("a call ends with async.timeout, and an error in a function of the script ends it, too")
  func endings() throws {
    let (server, url) = try openServer()
    defer { server.stop() }
    let result = try run(
      """
      local server <close> = b2c.mcp.connect("\(url)", { on_question = function() return { name = "Lua" } end })
      print(select(2, pcall(b2c.async.timeout, 0.2, function() server:call("wait") end)).code)
      print(select(2, pcall(server.call, server, "greet", {}, { on_progress = function() error "enough" end })).message)
      print(#server:tools())
      """)
    #expect(result.output.hasPrefix("timeout\n"), "\(result)")
    #expect(result.output.contains("enough") && result.output.hasSuffix("\n2\n"), "\(result)")
  }
}
