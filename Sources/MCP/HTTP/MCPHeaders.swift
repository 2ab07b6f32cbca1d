import Crypto
import FoundationEssentials
import HTTPServer
import JSON

/// The headers that repeat parts of the body, for whoever routes requests. A request whose headers say something else is refused.
struct MCPHeaders {
  private let version: String?
  private let method: String?
  private let name: String?

  init(_ request: ServerRequest) {
    version = request.header("MCP-Protocol-Version")
    method = request.header("Mcp-Method")
    name = request.header("Mcp-Name")
  }

  /// True for a request of a version without sessions, or of one that this program does not know.
  func isStateless(_ params: [String: JSON]) -> Bool {
    if params["_meta"]?[MCPMeta.version] != nil { return true }
    return version.map { MCPVersion(rawValue: $0)?.isStateless ?? true } ?? false
  }

  func check(_ method: String, _ params: [String: JSON]) throws(RPCError) {
    guard let version else { throw missing("MCP-Protocol-Version") }
    guard MCPVersion(rawValue: version)?.isStateless == true else { throw MCPVersion.unsupported(version) }
    guard let stated = params["_meta"]?[MCPMeta.version] else {
      throw RPCError(.invalidParams, "_meta: \(MCPMeta.version) is missing")
    }
    try compare("MCP-Protocol-Version", version, with: stated.string ?? stated.encoded())
    guard let sent = self.method else { throw missing("Mcp-Method") }
    try compare("Mcp-Method", sent, with: method)
    let source = method == "resources/read" ? "uri" : "name"
    guard ["tools/call", "resources/read", "prompts/get"].contains(method) else { return }
    guard let name else { throw missing("Mcp-Name") }
    guard let decoded = MCPHeaderText.decoded(name) else {
      throw RPCError(.headerMismatch, "Header mismatch: Mcp-Name is not valid Base64 of UTF-8")
    }
    try compare("Mcp-Name", decoded, with: params[source]?.string ?? "")
  }

  private func missing(_ name: String) -> RPCError {
    RPCError(.headerMismatch, "Header mismatch: \(name) is missing")
  }

  private func compare(_ name: String, _ header: String, with body: String) throws(RPCError) {
    guard header == body else {
      throw RPCError(.headerMismatch, "Header mismatch: \(name) is '\(header)', and the body has '\(body)'")
    }
  }
}

/// Texts in header fields: as they are, or as `=?base64?…?=`.
package enum MCPHeaderText {
  /// The field for a text, which may have any characters.
  package static func encoded(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !text.hasPrefix("=?base64?")
    return isPlain ? text : "=?base64?\(Data(text.utf8).base64EncodedString())?="
  }

  /// The text of a field; nil if it is wrong.
  static func decoded(_ value: String) -> String? {
    guard value.hasPrefix("=?base64?"), value.hasSuffix("?="), value.utf8.count >= 11 else { return value }
    let text = value.dropFirst(9).dropLast(2).replacing("+", with: "-").replacing("/", with: "_").replacing(
      "=", with: "")
    return Base64URL.decode(text).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
