import HostLoop
import JSON
import MCP

/// A tool of the server. Its work is on the host's thread, and is written into the log.
struct ServedTool: Sendable {
  let description: MCPToolDescription
  let run: @HostActor @Sendable (MCPCall) async throws -> ToolReply

  init(
    _ name: String, _ text: String, _ properties: [String: JSON] = [:], required: [String] = [],
    hints: MCPToolDescription.Hints = .init(isReadOnly: true, isIdempotent: true),
    _ run: @escaping @HostActor @Sendable (MCPCall) async throws -> ToolReply
  ) {
    let schema: JSON = [
      "type": "object", "properties": .object(properties), "required": .array(required.map(JSON.string)),
      "additionalProperties": false,
    ]
    self.init(MCPToolDescription(name, text, inputSchema: schema, hints: hints), run)
  }

  init(
    _ description: MCPToolDescription, _ run: @escaping @HostActor @Sendable (MCPCall) async throws -> ToolReply
  ) {
    self.description = description
    self.run = run
  }
}

/// The parts that tools use.
@HostActor
struct Workshop {
  let runner: ToolRunner
  let folder: ToolFolder
  let plans: PlanDesk
  let approvals: ApprovalDesk
}

/// Pieces of JSON schemas.
enum Schema {
  static func text(_ description: String, most: Int64 = 10_000) -> JSON {
    ["type": "string", "description": .string(description), "maxLength": .integer(most)]
  }

  static func flag(_ description: String) -> JSON { ["type": "boolean", "description": .string(description)] }

  static func number(_ description: String, _ range: ClosedRange<Int64>) -> JSON {
    [
      "type": "integer", "description": .string(description), "minimum": .integer(range.lowerBound),
      "maximum": .integer(range.upperBound),
    ]
  }

  static func list(of items: JSON, _ description: String, most: Int64) -> JSON {
    [
      "type": "array", "description": .string(description), "items": items, "minItems": 1, "maxItems": .integer(most),
    ]
  }

  static func choice(_ words: [String], _ description: String) -> JSON {
    ["type": "string", "enum": .array(words.map(JSON.string)), "description": .string(description)]
  }
}
