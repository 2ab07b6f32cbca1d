package import Automation
import Core
import Files
package import HostLoop
import ImportFormats
package import Lua
package import Permissions

/// The commands, flows, formats, task services and agents by name: stock ones, and those of plugins, which may replace them.
@HostActor
package final class Registry {
  enum Flow: Sendable {
    /// A Lua file that returns the function.
    case file(String)
    case function(LuaFlow)
  }

  enum Format: Sendable {
    case native(SourceFormat)
    case lua(PluginFormat)
  }

  enum Agent: Sendable {
    case native
    case lua(LuaFunction)
  }

  /// The flows that ship with the program, each a file of that name.
  nonisolated static let stockFlows = [
    "authorization_code", "backchannel", "client_credentials", "device_code", "native", "password", "refresh", "silent",
  ]

  nonisolated package static func isStockFlow(_ name: String) -> Bool { stockFlows.contains(name) }

  private let scriptsFolder: String
  /// In the order of loading; plugins that failed are among them.
  package internal(set) var plugins: [Plugin] = []

  // The folder of stock scripts is read at the first question for a command.
  package internal(set) lazy var commands = Catalog<ScriptCommand>(
    "command", stock: StockScript.all(in: scriptsFolder).map { ($0.name, .stock($0)) })
  lazy var flows = Catalog<Flow>("flow", stock: Self.stockFlows.map { ($0, .file("\(scriptsFolder)/flows/\($0).lua")) })
  lazy var services = Catalog<Service>(
    "task service", stock: Self.stockServices.map { ($0, .file("\(scriptsFolder)/services/\($0).lua")) })
  /// The open task services of this run, by their identities.
  var openServices: [String: LuaTaskService] = [:]
  var formats = Catalog<Format>("format", stock: SourceFormat.allCases.map { ($0.rawValue, .native($0)) })
  var agents = Catalog<Agent>("agent", stock: AgentChoice.Kind.native.map { ($0.rawValue, .native) })

  private let state: LuaState

  init(scriptsFolder: String, _ state: LuaState) {
    self.scriptsFolder = scriptsFolder
    self.state = state
  }

  /// Makes a flow of the script known for this run.
  /// - Throws: `invalid_argument` for the name of a stock flow or of a plugin's flow, which keeps its refresh tokens.
  func add(_ flow: LuaFlow, named name: String) throws(LuaError) {
    let owner = flows.plugin(of: name)
    guard !Self.isStockFlow(name), owner == nil else {
      throw LuaError(
        code: "invalid_argument",
        message:
          "accounts.add_flow: there is a flow named '\(name)' \(owner.map { "of \($0.label)" } ?? "of the program")",
        hint: "take another name")
    }
    flows.define(name, .function(flow))
  }

  /// The flow of that name, and whether it is a stock one. Throws `unknown_flow` with the known names.
  func flow(named name: String) async throws -> (flow: LuaFlow, isStock: Bool) {
    switch flows[name] {
    case .function(let flow)?: return (flow, false)
    case .file(let path)?:
      let name = "flows/\(name).lua"
      let source: [UInt8]
      do { source = try FileSystem.contents(of: path) } catch {
        throw LuaError(
          code: "missing_program_file", message: "cannot read the stock flow \(path): \(error.reason)",
          hint: "install b2c-run with its folder scripts, or run it where it was built")
      }
      let chunk = try state.load(source, name: name)
      guard let flow = LuaFlow(try await chunk.call().first) else {
        throw LuaError(code: "invalid_flow", message: "\(name) returned no function")
      }
      return (flow, true)
    case nil:
      throw LuaError(
        code: "unknown_flow", message: "there is no flow named '\(name)'",
        hint: flows.hint(for: name, advice: "give a function, or one of"))
    }
  }

  /// The format of the option `format`, or else of the file's name; nil if unknown. Throws for an unknown `format`.
  func format(_ arguments: Arguments, path: String) throws -> Format? {
    guard let name = arguments["format"].string else { return format(ofFile: path) }
    guard let format = formats[name] else {
      let names = formatNames
      throw arguments.failure(
        option: "format", "expected one of \(names.map { "\"\($0)\"" }.joined(separator: ", ")), got \"\(name)\"",
        hint: nearestName(to: name, in: names).map { "did you mean \"\($0)\"?" })
    }
    return format
  }

  /// The names of all formats, also of stock formats that are not loaded yet.
  var formatNames: [String] {
    formats.names + ScriptHost.stockFormats.map(\.name).filter { formats[$0] == nil }
  }

  /// The format of a file of that name. The plugin with the longest matching extension wins, the later one of two; then
  /// comes a stock format, unless a plugin has taken its name.
  func format(ofFile path: String) -> Format? {
    var name = path.lowercased()
    for ending in [".gz", ".zst"] where name.hasSuffix(ending) { name.removeLast(ending.count) }
    var best: (format: Format, length: Int)?
    for format in formats.names.compactMap({ formats[$0] }) {
      guard case .lua(let plugin) = format else { continue }
      for ending in plugin.extensions where name.hasSuffix(ending) && ending.count >= best?.length ?? 0 {
        best = (format, ending.count)
      }
    }
    return best?.format ?? SourceFormat(path: path).flatMap { formats[$0.rawValue] }
  }
}

/// Things of one kind by their names: stock things, and those of plugins. A later thing replaces an earlier one of its name.
@HostActor
package struct Catalog<Value: Sendable> {
  /// The kind in messages: `flow`.
  let kind: String
  /// In the order of addition.
  package private(set) var names: [String] = []
  /// A stock thing has no plugin.
  private var entries: [String: (value: Value, plugin: Plugin?)] = [:]

  init(_ kind: String, stock: [(name: String, value: Value)]) {
    self.kind = kind
    for thing in stock { put(thing.name, thing.value, of: nil) }
  }

  /// The thing of that name.
  package subscript(_ name: String) -> Value? { entries[name]?.value }

  /// Adds a thing of a plugin, and notes it in the plugin. Returns the plugin whose thing of that name is replaced.
  mutating func add(_ name: String, _ value: Value, of plugin: Plugin, detail: String? = nil) -> Plugin? {
    let before = entries[name]
    put(name, value, of: plugin)
    let replaced = before.map { before in
      before.plugin.map { "replaces that of \($0.label)" } ?? "replaces the stock \(kind)"
    }
    let part = Plugin.Part(kind: kind, name: name, detail: detail, replaced: replaced)
    plugin.parts.append(part)
    return before?.plugin
  }

  /// The plugin with the thing of that name; nil for others.
  func plugin(of name: String) -> Plugin? { entries[name]?.plugin }

  /// Adds a thing of the script.
  mutating func define(_ name: String, _ value: Value) { put(name, value, of: nil) }

  /// The hint for an unknown name: the nearest name, or else all names, behind `advice`.
  func hint(for name: String, advice: String) -> String {
    nearestName(to: name, in: names).map { "did you mean '\($0)'?" } ?? "\(advice) \(names.joined(separator: ", "))"
  }

  private mutating func put(_ name: String, _ value: Value, of plugin: Plugin?) {
    if entries.updateValue((value, plugin), forKey: name) == nil { names.append(name) }
  }
}

/// A plugin of this run, and the result of loading it.
@HostActor
package final class Plugin {
  /// Something a plugin adds.
  package struct Part: Sendable {
    /// `command`, `flow`, `format`, `task service`, `agent` or `hook`.
    package let kind: String
    package let name: String
    /// More about it: the extensions of a format.
    package let detail: String?
    /// `replaces the stock flow`; nil if nothing had its name.
    package let replaced: String?
  }

  package let file: PluginFile
  /// The name that the plugin gives itself, or else the name of the file.
  package internal(set) var name: String
  package internal(set) var version: String?
  /// The permissions that its header names.
  package internal(set) var needs: [ScriptHeader.Need] = []
  package internal(set) var parts: [Part] = []
  /// True if the plugin is used. A plugin in the current folder is used if a person trusts it.
  package internal(set) var isTrusted = true
  /// The reason why it could not be loaded or used.
  package internal(set) var problem: LuaError?
  /// The file of the plugin of the same name that is used in its place.
  package internal(set) var replacedBy: String?

  init(_ file: PluginFile) {
    self.file = file
    name = file.name.displayable
  }

  var label: String { "\(name) (\(file.shown))" }
}
