package import JSON

/// A version of the protocol.
package enum MCPVersion: String, Sendable, CaseIterable {
  case stateless = "2026-07-28"
  case november2025 = "2025-11-25"
  case june2025 = "2025-06-18"

  /// The newest version that begins with `initialize`.
  package static let newestWithSessions = november2025

  /// True if a request has its version and its client in `_meta`; false if a session begins with `initialize`.
  package var isStateless: Bool { self == .stateless }

  /// The error for a version that is not here.
  package static func unsupported(_ requested: String) -> RPCError {
    RPCError(
      .unsupportedVersion, "Unsupported protocol version",
      data: ["supported": .array(allCases.map { .string($0.rawValue) }), "requested": .string(requested)])
  }
}

/// The names of members of `_meta`.
package enum MCPMeta {
  package static let version = "io.modelcontextprotocol/protocolVersion"
  package static let client = "io.modelcontextprotocol/clientInfo"
  package static let capabilities = "io.modelcontextprotocol/clientCapabilities"
  package static let server = "io.modelcontextprotocol/serverInfo"
  package static let progressToken = "progressToken"
}

/// The name and the version of a program, as it tells them itself.
package struct MCPImplementation: Sendable, Equatable {
  package var name: String
  package var version: String

  package init(name: String, version: String) {
    self.name = name
    self.version = version
  }

  /// Nil for an object without a name.
  package init?(_ json: JSON?) {
    guard let name = json?["name"]?.string else { return nil }
    self.init(name: name, version: json?["version"]?.string ?? "")
  }

  package var json: JSON { ["name": .string(name), "version": .string(version)] }
}
