import HTTPServer
import JSON
import MCP
import Synchronization

/// The tasks of the local tenant as tools.
final class TaskTools: Sendable {
  static let list = "list_tasks"

  /// The last request of a user, whose token the task API takes, too.
  private struct Access: Sendable {
    let headers: [(String, String)]
    let tenant: @Sendable (ServerRequest) -> ServerResponse
  }

  private let users = Mutex<[String: Access]>([:])

  func remember(
    _ user: String, _ request: ServerRequest, _ tenant: @escaping @Sendable (ServerRequest) -> ServerResponse
  ) {
    let headers = request.headers.filter { ["host", "authorization"].contains($0.0.lowercased()) }
    users.withLock { $0[user] = Access(headers: headers, tenant: tenant) }
  }

  var all: [MCPTool] {
    let text: JSON = ["type": "string", "maxLength": 4000, "description": "The text of the task."]
    let id: JSON = ["type": "integer", "minimum": 1, "description": "The ID of the task."]
    return [
      MCPTool(
        MCPToolDescription(
          Self.list, "Lists the tasks of the user.", inputSchema: Self.schema([:]),
          hints: .init(isReadOnly: true, isIdempotent: true))
      ) { [self] in self.send("GET", "/api/tasks", nil, $0) },
      MCPTool(MCPToolDescription("add_task", "Adds a task.", inputSchema: Self.schema(["text": text]))) { [self] in
        self.send("POST", "/api/tasks", ["text": $0.arguments["text"] ?? ""], $0)
      },
      MCPTool(
        MCPToolDescription(
          "complete_task", "Marks a task as done.", inputSchema: Self.schema(["id": id]),
          hints: .init(isIdempotent: true))
      ) { [self] in
        self.send("PATCH", "/api/tasks/\($0.arguments["id"]?.lenientInteger ?? 0)", ["completed": true], $0)
      },
    ]
  }

  private static func schema(_ properties: [String: JSON]) -> JSON {
    [
      "type": "object", "properties": .object(properties),
      "required": .array(properties.keys.sorted().map { .string($0) }), "additionalProperties": false,
    ]
  }

  private func send(_ method: String, _ target: String, _ body: JSON?, _ call: MCPCall) -> MCPResult {
    guard let access = users.withLock({ $0[call.caller.principal ?? ""] }) else {
      return MCPResult("nobody is signed in", isError: true)
    }
    let request = ServerRequest(
      method: method, target: target, headers: access.headers + [("Content-Type", "application/json")],
      body: body.map { Array($0.encoded().utf8) } ?? [])
    let response = access.tenant(request)
    let text = String(decoding: response.body, as: UTF8.self)
    guard (200..<300).contains(response.status) else { return MCPResult(text, isError: true) }
    let json = try? JSON(parsing: response.body, maximumDepth: 32)
    return MCPResult(text, data: json.map { $0.array == nil ? $0 : ["tasks": $0] })
  }
}
