import Core
import Crypto
import Files
import HostLoop
import JSON
import MCP
import Permissions

/// A script of the folder as a tool: its options are the arguments, and it runs with the permissions that its first comment names.
struct ScriptTool: Sendable {
  private static let mostBytes = 4 << 20

  let name: String
  let path: String
  /// True if the person who started the server says that it changes nothing: it runs without an approval.
  let onlyReads: Bool
  private let declared: DeclaredOptions
  private let sources: SealedSources
  /// The flags of its permissions.
  private let permissions: [String]

  /// Nil for a script that declares no options.
  @HostActor
  init?(_ path: String, onlyReads: Bool, _ runner: ToolRunner, in folder: ToolFolder) async throws {
    let source = try Self.source(path)
    // Before anything is read: what changes meanwhile is noticed.
    let sources = try Self.sources(path, source, in: folder)
    guard let declared = try await runner.declaredOptions(of: path, in: folder.current) else { return nil }
    self.path = path
    self.onlyReads = onlyReads
    self.declared = declared
    name = Self.name(of: path)
    self.sources = sources
    permissions = ScriptHeader(source).flags
  }

  /// The name of the tool of a script: `weekly-report` of `weekly-report.lua`.
  static func name(of path: String) -> String {
    let name = path.lastName
    return String(
      name.dropLast(name.hasSuffix(".lua") ? 4 : 0).unicodeScalars.map { scalar in
        scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789_-".unicodeScalars.contains(scalar))
          ? Character(scalar) : "_"
      }.prefix(64))
  }

  var description: MCPToolDescription {
    let grants = permissions.isEmpty ? "none" : permissions.joined(separator: " ")
    let way =
      onlyReads
      ? "It changes nothing, and runs at once." : "Each call needs the approval of a person, who sees its arguments."
    let parts = [declared.summary, declared.notes ?? "", "Permissions: \(grants).", way]
    return MCPToolDescription(
      name, ToolText.plain(parts.filter { !$0.isEmpty }.joined(separator: "\n")), inputSchema: declared.schema,
      hints: .init(isReadOnly: onlyReads, isDestructive: !onlyReads))
  }

  func words(_ call: MCPCall) throws(ToolError) -> [String] { try declared.words(call.arguments) }

  /// The call of the script as a change to approve.
  func change(_ words: [String], _ call: MCPCall) -> ApprovalDesk.Change {
    let facts: JSON = [
      "script": .string(path), "source": .string(Self.hash(Array(sources.json.encoded().utf8))),
      "permissions": .array(permissions.map(JSON.string)),
      "words": .array(words.map(JSON.string)),
    ]
    let shown = call.arguments.sorted { $0.key < $1.key }.map { name, value in
      "  \(name.displayable): \(value.encoded().displayable)\n"
    }.joined()
    return ApprovalDesk.Change(
      digest: "sha256:\(SHA256.hash(facts.encoded().utf8).hexadecimal)", title: "Run the script \(name)",
      text: """
        script: \(path.displayable)
        permissions: \(permissions.isEmpty ? "none" : permissions.map(\.displayable).joined(separator: " "))
        arguments:
        \(shown.isEmpty ? "  none\n" : shown)
        """)
  }

  /// Runs the script. Throws if its file, or one that it may require, has changed since the server has described it.
  @HostActor
  func run(_ words: [String], _ runner: ToolRunner, in folder: ToolFolder) async throws -> ToolReply {
    // The process compares what it loads once more, since files may change until then.
    guard try Self.sources(path, Self.source(path), in: folder) == sources else {
      throw ToolError(
        "script_changed", "the script \(name), or a module in its folder, was changed after the server started",
        hint: "start the server again")
    }
    let output = try await runner.run(
      path, words, permissions: permissions, in: folder.current, sources: sources, level: "warn")
    var reply = ToolReply(ToolText.data(output.text))
    if output.status != 0 {
      reply.problem = "the script ended with the status \(output.status)"
    }
    return reply
  }

  private static func source(_ path: String) throws -> [UInt8] {
    try FileSystem.contents(of: path, limit: mostBytes)
  }

  /// The digests of a script and of all Lua files of the folder: any of them may be a module of the script.
  private static func sources(_ path: String, _ source: [UInt8], in folder: ToolFolder) throws -> SealedSources {
    func real(_ path: String) -> String { FileSystem.realPath(path) ?? path }
    var digests = [real(path): hash(source)]
    for file in try folder.luaFiles() where real(file) != real(path) {
      digests[real(file)] = hash(try Self.source(file))
    }
    return SealedSources(folder: real(folder.path), digests: digests)
  }

  private static func hash(_ bytes: [UInt8]) -> String { SHA256.hash(bytes).hexadecimal }
}
