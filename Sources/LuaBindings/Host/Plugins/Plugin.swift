package import Automation
import Core
package import HostLoop
package import Lua
package import Permissions

/// A plugin of this run, and the result of loading it.
@HostActor
package final class Plugin {
  /// Something a plugin adds.
  package struct Part: Sendable {
    /// `command`, `flow`, `format`, `agent` or `hook`.
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

  /// The name and file, for messages about several plugins: `todoist (plugins/todoist.lua)`.
  var label: String { "\(name) (\(file.shown))" }
}
