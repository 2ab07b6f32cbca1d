package import HostLoop
package import LuaKit
import LuaSignIn
import LuaTasks

/// The commands, flows, formats, task services and agents by name: stock ones, and those of plugins, which may replace them.
@HostActor
package final class Registry {
  private let scriptsFolder: String
  /// In the order of loading; plugins that failed are among them.
  package internal(set) var plugins: [Plugin] = []
  let signIns: ScriptSignIns
  let tasks: ScriptTasks

  // The folder of stock scripts is read at the first question for a command.
  package internal(set) lazy var commands = Catalog<ScriptCommand>(
    "command", stock: StockScript.all(in: scriptsFolder).map { ($0.name, .stock($0)) })

  init(scriptsFolder: String, _ signIns: ScriptSignIns, _ tasks: ScriptTasks) {
    self.scriptsFolder = scriptsFolder
    self.signIns = signIns
    self.tasks = tasks
  }
}
