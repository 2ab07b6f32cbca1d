import Automation
import Core
import HostLoop
import JSON
import Lua
import LuaKit
import MCP

/// The function of a script that answers the questions of a server.
@HostActor
struct QuestionHandler {
  private let function: LuaFunction
  private let context: ScriptContext

  init(_ function: LuaFunction, _ context: ScriptContext) {
    self.function = function
    self.context = context
  }

  /// A question with its schema as a Lua value.
  struct Asked {
    let message: String
    let schema: LuaValue
  }

  nonisolated static let question = ValueRecord<Asked>(
    "question of a server", "A question of an MCP server to the person.",
    .init("message", .string, "The question, as the server words it.") { .string($0.message) },
    .init("schema", .map(of: .any), "The JSON schema of the answer: an object with plain values.") { $0.schema })

  func answer(_ question: MCPQuestion) async throws -> MCPReply {
    let asked = Asked(message: question.message, schema: context.json.value(question.schema))
    let answer = try await context.session.events.call(
      function, [Self.question.value(asked)], as: "on_question", question.message.displayable)
    switch answer {
    case .nil: return .canceled
    case .boolean(false): return .declined
    case .table: break
    default:
      throw LuaError(
        code: "invalid_argument",
        message: "mcp.connect: on_question returned a \(answer.typeName), expected a table, false or nothing",
        hint: "return the values that question.schema names")
    }
    let json = try context.json.json(answer, at: "on_question")
    // An empty table may be a list.
    let content = json.object ?? (json == .array([]) ? [:] : nil)
    guard let content else {
      throw LuaError(
        code: "invalid_argument", message: "mcp.connect: on_question returned a list, expected a table with names")
    }
    if let problem = InputSchema(question.schema).problem(with: content) {
      throw LuaError(
        code: "invalid_argument",
        message: "mcp.connect: the answer of on_question does not fit the question: \(problem)",
        hint: "question.schema names the values")
    }
    return .accepted(content)
  }
}
