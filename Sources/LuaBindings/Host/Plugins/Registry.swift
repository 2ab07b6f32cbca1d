package import HostLoop
import Lua
import TaskImport

/// Where a run's commands, flows, formats and agents come from. What ships with the program is in here like what a plugin
/// brings, so that a plugin can take its place.
@HostActor
package final class Registry {
  enum Flow: Sendable {
    /// A Lua file that returns the function.
    case file(String)
    case function(LuaFunction)
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
    "authorization_code", "client_credentials", "device_code", "password", "refresh", "silent",
  ]

  private let scriptsFolder: String
  /// In the order they are loaded, those that failed among them.
  package internal(set) var plugins: [Plugin] = []

  // The folders of the stock scripts are looked into when somebody asks for one.
  package internal(set) lazy var commands = Catalog<ScriptCommand>(
    "command", stock: StockScript.all(in: scriptsFolder).map { ($0.name, .stock($0)) })
  lazy var flows = Catalog<Flow>("flow", stock: Self.stockFlows.map { ($0, .file("\(scriptsFolder)/flows/\($0).lua")) })
  var formats = Catalog<Format>("format", stock: SourceFormat.allCases.map { ($0.rawValue, .native($0)) })
  var agents = Catalog<Agent>("agent", stock: AgentChoice.Kind.native.map { ($0.rawValue, .native) })

  init(scriptsFolder: String) { self.scriptsFolder = scriptsFolder }
}
