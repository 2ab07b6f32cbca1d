import Automation
import Core
import FoundationEssentials
import HostLoop
import JSON
package import Lua
import LuaKit
import MCP
import MCPClient

/// A connection to an MCP server as scripts hold it.
package final class LuaConnection: LuaObject {
  private let connection: MCPConnection
  private let context: ScriptContext

  init(_ connection: MCPConnection, _ context: ScriptContext) {
    self.connection = connection
    self.context = context
  }

  package static let luaType = HostType(
    "connection", "A connection to a server of the Model Context Protocol.",
    properties: [
      property("version", .string, optional: true, "The version of the protocol.") {
        .string($0.connection.agreement?.version.rawValue)
      },
      property("server", .string, optional: true, "The name of the server, as it says itself.") {
        .string($0.connection.agreement?.server?.name)
      },
      property("instructions", .string, optional: true, "The text of the server about its use.") {
        .string($0.connection.agreement?.instructions)
      },
    ],
    methods: [tools, call, resources, read, prompts, prompt, close],
    close: { object in
      guard let object = object as? LuaConnection else { return }
      // A variable that closes cannot wait. The server ends a session without requests itself.
      HostActor.task { try await object.connection.close() }
    },
    describe: { object in
      let agreement = (object as? LuaConnection)?.connection.agreement
      return agreement.map { "connection (\($0.version.rawValue))" } ?? "connection (closed)"
    })

  // MARK: Tools

  private static let tools = suspendingMethod(
    "connection:tools", "The tools of the server.",
    returns: .init(.list(of: .record(MCPRecords.tool)), "The tools.")
  ) { object, _ in
    let tools = try await object.connection.list("tools/list", "tools").compactMap { MCPToolDescription($0) }
    return [.list(tools.map { MCPRecords.value($0, object.context.json) })]
  }

  private static let call = suspendingMethod(
    "connection:call",
    "Calls a tool. A tool that failed raises the error tool_failed, unless `raise = false`.",
    Parameter("name", .string, "The name of the tool."),
    .optional("arguments", .map(of: .any), "The arguments of the tool, by name."), options: CallOptions.keys,
    returns: .init(.record(MCPRecords.result), "The result.")
  ) { object, arguments in
    let options = try CallOptions(arguments)
    let json = object.context.json
    let name = arguments.string(1)
    let given = arguments[2].isNil ? JSON.object([:]) : try json.json(arguments[2], at: arguments.place(2))
    guard let members = given.object ?? (given == .array([]) ? [:] : nil) else {
      throw arguments.failure("argument 2: expected the arguments of the tool by name, got a list")
    }
    let result = try await object.connection.request(
      "tools/call", ["name": .string(name), "arguments": .object(members)],
      progress: object.progress(options.onProgress, of: name))
    let text = MCPRecords.text(result)
    guard options.raises, result["isError"] == true else { return [MCPRecords.result(result, json)] }
    var details = ["text": String(text.prefix(4096))]
    details["data"] = result["structuredContent"]?.encoded()
    throw LuaError(
      code: "tool_failed", message: "connection:call: \(name) failed: \(text.prefix(300).description.displayable)",
      hint: "raise = false returns the result instead", details: details)
  }

  /// Calls the function of a script with the progress of a tool.
  private func progress(_ function: LuaFunction?, of tool: String) -> MCPConnection.Progress? {
    guard let function else { return nil }
    return { [context] progress in
      _ = try await context.session.events.call(
        function, [CallOptions.progress.value(progress)], as: "on_progress", tool)
    }
  }

  // MARK: Resources and prompts

  private static let resources = suspendingMethod(
    "connection:resources", "The resources of the server.",
    returns: .init(.list(of: .record(MCPRecords.resource.record)), "The resources.")
  ) { object, _ in
    let found = try await object.connection.list("resources/list", "resources")
    return [.list(found.compactMap { MCPResourceDescription($0) }.map(MCPRecords.resource.value))]
  }

  private static let read = suspendingMethod(
    "connection:read", "Reads a resource.",
    Parameter("uri", .string, "The address of the resource, as the server names it."),
    returns: .init(.list(of: .record(MCPRecords.content.record)), "The contents, often one.")
  ) { object, arguments in
    let result = try await object.connection.request("resources/read", ["uri": .string(arguments.string(1))])
    guard let contents = result["contents"]?.array else {
      throw MCPClientError(.malformed, "resources/read: the result has no list contents")
    }
    return [.list(contents.map(MCPRecords.content.value))]
  }

  private static let prompts = suspendingMethod(
    "connection:prompts", "The prompts of the server.",
    returns: .init(.list(of: .record(MCPRecords.prompt.record)), "The prompts.")
  ) { object, _ in
    let found = try await object.connection.list("prompts/list", "prompts")
    return [.list(found.compactMap { MCPPromptDescription($0) }.map(MCPRecords.prompt.value))]
  }

  private static let prompt = suspendingMethod(
    "connection:prompt", "The messages of a prompt.", Parameter("name", .string, "The name of the prompt."),
    .optional("arguments", .map(of: .string), "The arguments of the prompt, by name."),
    returns: .init(.list(of: .record(MCPRecords.message.record)), "The messages.")
  ) { object, arguments in
    var params: [String: JSON] = ["name": .string(arguments.string(1))]
    if !arguments[2].isNil {
      let given = try object.context.json.json(arguments[2], at: arguments.place(2))
      params["arguments"] = given == .array([]) ? [:] : given
    }
    let result = try await object.connection.request("prompts/get", params)
    guard let messages = result["messages"]?.array else {
      throw MCPClientError(.malformed, "prompts/get: the result has no list messages")
    }
    return [.list(messages.map(MCPRecords.message.value))]
  }

  private static let close = suspendingMethod(
    "connection:close", "Ends the connection. A `<close>` variable does the same."
  ) { object, _ in
    try await object.connection.close()
    return []
  }
}

/// The options of `connection:call`.
private struct CallOptions: LuaOptions {
  var onProgress: LuaFunction?
  private var raisesErrors: Bool?

  var raises: Bool { raisesErrors ?? true }

  static let progress = ValueRecord<MCPProgress>(
    "progress of a tool", "The progress of a call, as the server tells it.",
    .init("done", .number, "The work that is done.") { .number($0.done) },
    .init("total", .number, optional: true, "The whole work, if the server knows it.") {
      $0.total.map { .number($0) } ?? .nil
    },
    .init("message", .string, optional: true, "A text of the server.") { .string($0.message) })

  static let fields: [Field] = [
    .init(
      "on_progress", \.onProgress, .callback([Parameter("progress", .record(progress.record), "The progress.")]),
      "Called while the tool works, if the server tells its progress. An error in the function ends the call."),
    .init("raise", \.raisesErrors, "false: return the result of a tool that failed."),
  ]
}
