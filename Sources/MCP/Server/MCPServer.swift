package import JSON

/// A server of the Model Context Protocol, without a transport: it answers one message at a time, in the version without sessions
/// (2026-07-28) and in the versions that begin with `initialize`.
package final class MCPServer: Sendable {
  package typealias Notify = @Sendable (RPCMessage) -> Void

  package let implementation: MCPImplementation
  /// Guidance for the model of the client.
  let instructions: String
  let tools: [MCPTool]
  let resources: [MCPResource]
  let prompts: [MCPPrompt]
  private let questions = PendingQuestions()

  package init(
    _ implementation: MCPImplementation, instructions: String, tools: [MCPTool], resources: [MCPResource] = [],
    prompts: [MCPPrompt] = []
  ) {
    self.implementation = implementation
    self.instructions = instructions
    self.tools = tools
    self.resources = resources
    self.prompts = prompts
  }

  /// Answers a request.
  /// - Parameter notify: sends messages that belong to the request, before its answer.
  package func answer(
    _ id: RPCID, _ method: String, _ params: [String: JSON], in session: MCPSession, notify: @escaping Notify
  ) async -> RPCMessage {
    do throws(RPCError) {
      if params["_meta"]?[MCPMeta.version] != nil {
        let caller = try self.caller(of: params, in: session)
        return .result(id, finished(try await result(of: method, params, by: caller, session, notify), method))
      }
      if method == "initialize" { return .result(id, try begin(params, session)) }
      if method == "ping" { return .result(id, [:]) }
      guard let caller = session.caller else {
        throw RPCError(
          .invalidParams,
          "expected \(MCPMeta.version) in _meta, or initialize before: this server speaks "
            + MCPVersion.allCases.map(\.rawValue).joined(separator: ", "))
      }
      return .result(id, try await result(of: method, params, by: caller, session, notify))
    } catch { return .error(id, error) }
  }

  /// Takes a notification or a response.
  package func take(_ message: RPCMessage, in session: MCPSession) {
    switch message {
    case .notification("notifications/cancelled", let params):
      if let id = RPCID(params["requestId"]) { session.cancel(id) }
    case .result(let id, let result): session.answer(id, .success(result))
    case .error(let id?, let error): session.answer(id, .failure(error))
    case .error, .notification, .request: break
    }
  }

  // MARK: Versions

  private func caller(of params: [String: JSON], in session: MCPSession) throws(RPCError) -> MCPCaller {
    let meta = params["_meta"]
    guard let text = meta?[MCPMeta.version]?.string else {
      throw RPCError(.invalidParams, "_meta: \(MCPMeta.version): expected a text")
    }
    guard let version = MCPVersion(rawValue: text), version.isStateless else { throw MCPVersion.unsupported(text) }
    guard let capabilities = meta?[MCPMeta.capabilities]?.object else {
      throw RPCError(.invalidParams, "_meta: \(MCPMeta.capabilities) is missing")
    }
    return MCPCaller(
      session: session.id, principal: session.principal, client: MCPImplementation(meta?[MCPMeta.client]),
      version: version, canAsk: Self.canAsk(capabilities))
  }

  /// An empty object stands for forms alone.
  private static func canAsk(_ capabilities: [String: JSON]) -> Bool {
    guard let modes = capabilities["elicitation"]?.object else { return false }
    return modes.isEmpty || modes["form"] != nil
  }

  private func begin(_ params: [String: JSON], _ session: MCPSession) throws(RPCError) -> JSON {
    guard let asked = params["protocolVersion"]?.string else {
      throw RPCError(.invalidParams, "protocolVersion is missing")
    }
    let version = MCPVersion(rawValue: asked).flatMap { $0.isStateless ? nil : $0 } ?? .newestWithSessions
    session.begin(
      version, MCPImplementation(params["clientInfo"]), canAsk: Self.canAsk(params["capabilities"]?.object ?? [:]))
    return [
      "protocolVersion": .string(version.rawValue), "capabilities": capabilities, "serverInfo": implementation.json,
      "instructions": .string(instructions),
    ]
  }

  private var capabilities: JSON {
    var members: [String: JSON] = ["tools": [:]]
    if !resources.isEmpty { members["resources"] = [:] }
    if !prompts.isEmpty { members["prompts"] = [:] }
    return .object(members)
  }

  /// The members that a result of the stateless version has besides.
  private func finished(_ result: JSON, _ method: String) -> JSON {
    var members = result.object ?? [:]
    if members["resultType"] == nil {
      members["resultType"] = "complete"
      if method == "server/discover" || method == "resources/read" || method.hasSuffix("/list") {
        (members["ttlMs"], members["cacheScope"]) = (0, "private")
      }
    }
    members["_meta"] = [MCPMeta.server: implementation.json]
    return .object(members)
  }

  // MARK: Methods

  private func result(
    of method: String, _ params: [String: JSON], by caller: MCPCaller, _ session: MCPSession, _ notify: @escaping Notify
  ) async throws(RPCError) -> JSON {
    switch method {
    case "server/discover" where caller.version.isStateless:
      return [
        "supportedVersions": .array(MCPVersion.allCases.map { .string($0.rawValue) }), "capabilities": capabilities,
        "instructions": .string(instructions),
      ]
    case "ping": return [:]
    case "tools/list": return ["tools": .array(tools.map(\.description.json))]
    case "tools/call": return try await call(params, by: caller, session, notify)
    case "resources/list" where !resources.isEmpty:
      return ["resources": .array(resources.map(\.description.json))]
    case "resources/templates/list" where !resources.isEmpty: return ["resourceTemplates": []]
    case "resources/read" where !resources.isEmpty: return try await read(params, by: caller)
    case "prompts/list" where !prompts.isEmpty: return ["prompts": .array(prompts.map(\.description.json))]
    case "prompts/get" where !prompts.isEmpty: return try await prompt(params)
    default: throw RPCError(.methodNotFound, "there is no method '\(method)'")
    }
  }

  private func call(
    _ params: [String: JSON], by caller: MCPCaller, _ session: MCPSession, _ notify: @escaping Notify
  ) async throws(RPCError) -> JSON {
    let name = params["name"]?.string ?? ""
    guard let tool = tools.first(where: { $0.description.name == name }) else {
      throw RPCError(.invalidParams, "Unknown tool: \(name)")
    }
    let arguments: [String: JSON]
    switch params["arguments"] {
    case nil, .null?: arguments = [:]
    case .object(let object)?: arguments = object
    default: throw RPCError(.invalidParams, "arguments: expected an object")
    }
    if let problem = InputSchema(tool.description.inputSchema).problem(with: arguments) {
      return MCPResult("\(name): \(problem)", isError: true).json
    }
    let token = params["_meta"]?[MCPMeta.progressToken]
    let call = MCPCall(
      tool: name, arguments: arguments, caller: caller,
      asking: { question in try await self.ask(question, for: name, arguments, params, by: caller, session) },
      reporting: { done, total, message in
        guard let token else { return }
        var progress: [String: JSON] = ["progressToken": token, "progress": .number(done)]
        progress["total"] = total.map(JSON.number)
        progress["message"] = message.map(JSON.string)
        notify(.notification(method: "notifications/progress", params: progress))
      })
    do { return try await tool.call(call).json } catch let question as InputRequired {
      return question.json
    } catch let error as RPCError { throw error } catch {
      throw RPCError(.internalError, "\(name): \(error)")
    }
  }

  /// A question that ends the request of the stateless version.
  private struct InputRequired: Error {
    let json: JSON
  }

  private func ask(
    _ question: MCPQuestion, for tool: String, _ arguments: [String: JSON], _ params: [String: JSON],
    by caller: MCPCaller, _ session: MCPSession
  ) async throws -> MCPReply {
    guard caller.canAsk else {
      throw RPCError(
        .missingCapability, "the client cannot ask its person", data: ["requiredCapabilities": ["elicitation": [:]]])
    }
    guard caller.version.isStateless else {
      return MCPReply(try await session.request("elicitation/create", question.params))
    }
    let call = PendingQuestions.Call(
      session: caller.session, principal: caller.principal, tool: tool, arguments: arguments)
    if let token = params["requestState"]?.string {
      guard let asked = questions.take(token, for: call) else {
        throw RPCError(.invalidParams, "requestState is not of this call, or it was used before")
      }
      // A question whose text has changed is a new one.
      if asked.key == question.key, asked.message == question.message,
        let reply = params["inputResponses"]?[question.key]
      {
        return MCPReply(reply)
      }
    }
    throw InputRequired(
      json: [
        "resultType": "input_required", "requestState": .string(questions.keep(question, of: call)),
        "inputRequests": .object([
          question.key: ["method": "elicitation/create", "params": .object(question.params)]
        ]),
      ])
  }

  private func read(_ params: [String: JSON], by caller: MCPCaller) async throws(RPCError) -> JSON {
    let uri = params["uri"]?.string ?? ""
    guard let resource = resources.first(where: { $0.description.uri == uri }) else {
      throw RPCError(
        caller.version.isStateless ? .invalidParams : .resourceNotFound, "there is no resource '\(uri)'",
        data: ["uri": .string(uri)])
    }
    do {
      let text = try await resource.read(caller)
      return [
        "contents": [
          ["uri": .string(uri), "mimeType": .string(resource.description.mimeType), "text": .string(text)]
        ]
      ]
    } catch { throw RPCError(.internalError, "\(uri): \(error)") }
  }

  private func prompt(_ params: [String: JSON]) async throws(RPCError) -> JSON {
    let name = params["name"]?.string ?? ""
    guard let prompt = prompts.first(where: { $0.description.name == name }) else {
      throw RPCError(.invalidParams, "there is no prompt '\(name)'")
    }
    let arguments = params["arguments"]?.object ?? [:]
    for argument in prompt.description.arguments where argument.isRequired && arguments[argument.name] == nil {
      throw RPCError(.invalidParams, "\(name): \(argument.name) is missing")
    }
    do {
      let text = try await prompt.text(arguments)
      return [
        "description": .string(prompt.description.description),
        "messages": [["role": "user", "content": ["type": "text", "text": .string(text)]]],
      ]
    } catch { throw RPCError(.internalError, "\(name): \(error)") }
  }
}
