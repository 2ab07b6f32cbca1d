import Core
import FoundationEssentials
import HostLoop
import JSON
import Lua
import LuaKit
import MCP

/// The values of a server as Lua tables.
enum MCPRecords {
  // MARK: Tools

  static let tool = LuaRecord(
    "tool of a server", "A tool of an MCP server.",
    Parameter("name", .string, "The name."), .optional("title", .string, "The name for people."),
    Parameter("description", .string, "The text of the server about the tool."),
    Parameter("input_schema", .map(of: .any), "The JSON schema of the arguments."),
    .optional("output_schema", .map(of: .any), "The JSON schema of the data of the result."),
    Parameter("read_only", .boolean, "True if the server says that the tool changes nothing. Nothing proves it."),
    Parameter("destructive", .boolean, "True if the tool may destroy something; the server says false if it does not."))

  @HostActor static func value(_ tool: MCPToolDescription, _ json: JSONMarshal) -> LuaValue {
    .record([
      ("name", .string(tool.name)), ("title", .string(tool.title)), ("description", .string(tool.description)),
      ("input_schema", json.value(tool.inputSchema)), ("output_schema", json.optional(tool.outputSchema)),
      ("read_only", .boolean(tool.hints.isReadOnly)), ("destructive", .boolean(tool.hints.isDestructive)),
    ])
  }

  static let result = LuaRecord(
    "result of a tool", "The result of a tool of an MCP server.",
    Parameter("text", .string, "The texts of the content, with line breaks between."),
    .optional("data", .map(of: .any), "The structured content."),
    Parameter("content", .list(of: .record(part)), "The parts of the content."),
    Parameter("failed", .boolean, "True if the tool failed."))

  @HostActor static func result(_ result: JSON, _ json: JSONMarshal) -> LuaValue {
    .record([
      ("text", .string(text(result))), ("data", json.optional(result["structuredContent"])),
      ("content", .list((result["content"]?.array ?? []).map(value))), ("failed", .boolean(result["isError"] == true)),
    ])
  }

  /// The texts of a result.
  static func text(_ result: JSON) -> String {
    (result["content"]?.array ?? []).compactMap { $0["type"] == "text" ? $0["text"]?.string : nil }.joined(
      separator: "\n")
  }

  // MARK: Contents

  private static let part = LuaRecord(
    "part of a content", "A part of the content of an MCP server.",
    Parameter("type", .string, "text, image, audio, resource or resource_link."),
    .optional("text", .string, "The text."), .optional("bytes", .string, "The bytes of an image, a sound or a file."),
    .optional("mime_type", .string, "The media type."), .optional("uri", .string, "The address of a resource."))

  @HostActor private static func value(_ part: JSON) -> LuaValue {
    let inner = part["resource"] ?? part
    return .record([
      ("type", .string(part["type"]?.string ?? "")), ("text", .string(inner["text"]?.string)), ("bytes", bytes(inner)),
      ("mime_type", .string(inner["mimeType"]?.string)), ("uri", .string(inner["uri"]?.string)),
    ])
  }

  private static func bytes(_ part: JSON) -> LuaValue {
    guard let text = part["data"]?.string ?? part["blob"]?.string, let data = Data(base64Encoded: text) else {
      return .nil
    }
    return .bytes(Array(data))
  }

  static let content = ValueRecord<JSON>(
    "content of a resource", "The content of a resource of an MCP server.",
    .init("uri", .string, "The address.") { .string($0["uri"]?.string ?? "") },
    .init("mime_type", .string, optional: true, "The media type.") { .string($0["mimeType"]?.string) },
    .init("text", .string, optional: true, "The text of a text.") { .string($0["text"]?.string) },
    .init("bytes", .string, optional: true, "The bytes of another file.") { bytes($0) })

  static let resource = ValueRecord<MCPResourceDescription>(
    "resource of a server", "A resource of an MCP server.",
    .init("uri", .string, "The address, for connection:read.") { .string($0.uri) },
    .init("name", .string, "The name.") { .string($0.name) },
    .init("description", .string, "The text of the server about it.") { .string($0.description) },
    .init("mime_type", .string, "The media type.") { .string($0.mimeType) })

  // MARK: Prompts

  private static let argument = ValueRecord<MCPPromptDescription.Argument>(
    "argument of a prompt", "An argument of a prompt.",
    .init("name", .string, "The name.") { .string($0.name) },
    .init("description", .string, "The text of the server about it.") { .string($0.description) },
    .init("required", .boolean, "True if it must be given.") { .boolean($0.isRequired) })

  static let prompt = ValueRecord<MCPPromptDescription>(
    "prompt of a server", "A prompt of an MCP server.",
    .init("name", .string, "The name, for connection:prompt.") { .string($0.name) },
    .init("description", .string, "The text of the server about it.") { .string($0.description) },
    .init("arguments", .list(of: .record(argument.record)), "The arguments.") {
      .list($0.arguments.map(argument.value))
    })

  static let message = ValueRecord<JSON>(
    "message of a prompt", "A message of a prompt.",
    .init("role", .string, "user or assistant.") { .string($0["role"]?.string ?? "") },
    .init("content", .record(part), "The content.") { value($0["content"] ?? [:]) })
}
