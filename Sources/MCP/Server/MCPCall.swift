package import JSON

/// The client of a request.
package struct MCPCaller: Sendable, Equatable {
  /// The session: a process on standard input, a session of HTTP, or the person who has signed in where there are no sessions.
  package var session: String
  /// The subject of the token; nil without a sign-in.
  package var principal: String?
  /// As the client names itself: nothing may depend on it.
  package var client: MCPImplementation?
  package var version: MCPVersion
  /// True if the client can show a question to its person (elicitation with a form).
  package var canAsk: Bool
}

/// A question to the person in front of the client.
package struct MCPQuestion: Sendable, Equatable {
  /// The name of the question among those of a call.
  package var key: String
  package var message: String
  /// A JSON schema of an object with plain values.
  package var schema: JSON

  package init(_ key: String, _ message: String, schema: JSON) {
    self.key = key
    self.message = message
    self.schema = schema
  }

  /// The parameters of `elicitation/create`.
  var params: [String: JSON] { ["mode": "form", "message": .string(message), "requestedSchema": schema] }
}

/// The answer of the person.
package enum MCPReply: Sendable, Equatable {
  case accepted([String: JSON])
  case declined
  case canceled

  package init(_ json: JSON) {
    switch json["action"]?.string {
    case "accept": self = .accepted(json["content"]?.object ?? [:])
    case "decline": self = .declined
    default: self = .canceled
    }
  }

  package var json: [String: JSON] {
    switch self {
    case .accepted(let content): ["action": "accept", "content": .object(content)]
    case .declined: ["action": "decline"]
    case .canceled: ["action": "cancel"]
    }
  }
}

/// The call of a tool.
package struct MCPCall: Sendable {
  package let tool: String
  package let arguments: [String: JSON]
  package let caller: MCPCaller
  let asking: @Sendable (MCPQuestion) async throws -> MCPReply
  let reporting: @Sendable (_ done: Double, _ total: Double?, _ message: String?) -> Void

  package init(
    tool: String, arguments: [String: JSON], caller: MCPCaller,
    asking: @escaping @Sendable (MCPQuestion) async throws -> MCPReply,
    reporting: @escaping @Sendable (_ done: Double, _ total: Double?, _ message: String?) -> Void
  ) {
    self.tool = tool
    self.arguments = arguments
    self.caller = caller
    self.asking = asking
    self.reporting = reporting
  }

  /// Asks the person in front of the client. In the stateless version, the first call ends here, and the client calls again with the
  /// answer: nothing may have happened before.
  package func ask(_ question: MCPQuestion) async throws -> MCPReply { try await asking(question) }

  /// Tells the client how far the call has come, if it wants to know.
  package func report(_ done: Double, of total: Double? = nil, _ message: String? = nil) {
    reporting(done, total, message)
  }
}

/// The result of a tool.
package struct MCPResult: Sendable, Equatable {
  package var text: String
  /// An object; nil without structured data.
  package var data: JSON?
  package var isError: Bool

  package init(_ text: String, data: JSON? = nil, isError: Bool = false) {
    self.text = text
    self.data = data
    self.isError = isError
  }

  package var json: JSON {
    var members: [String: JSON] = [
      "content": [["type": "text", "text": .string(text)]], "isError": .bool(isError),
    ]
    members["structuredContent"] = data
    return .object(members)
  }
}

/// A tool with its work.
package struct MCPTool: Sendable {
  package let description: MCPToolDescription
  package let call: @Sendable (MCPCall) async throws -> MCPResult

  package init(
    _ description: MCPToolDescription, _ call: @escaping @Sendable (MCPCall) async throws -> MCPResult
  ) {
    self.description = description
    self.call = call
  }
}

/// A resource with its text.
package struct MCPResource: Sendable {
  package let description: MCPResourceDescription
  package let read: @Sendable (MCPCaller) async throws -> String

  package init(
    _ description: MCPResourceDescription, _ read: @escaping @Sendable (MCPCaller) async throws -> String
  ) {
    self.description = description
    self.read = read
  }
}

/// A prompt with its text.
package struct MCPPrompt: Sendable {
  package let description: MCPPromptDescription
  package let text: @Sendable ([String: JSON]) async throws -> String

  package init(
    _ description: MCPPromptDescription, _ text: @escaping @Sendable ([String: JSON]) async throws -> String
  ) {
    self.description = description
    self.text = text
  }
}
