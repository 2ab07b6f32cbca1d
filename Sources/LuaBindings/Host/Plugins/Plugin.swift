package import Automation
import Core
package import HostLoop
package import Lua
package import Permissions

/// A plugin of this run: what it calls itself, and what came of loading it.
@HostActor
package final class Plugin {
  /// Something a plugin adds.
  package struct Part: Sendable {
    /// `command`, `flow`, `format`, `agent` or `hook`.
    package let kind: String
    package let name: String
    /// What there is to say of it: the extensions of a format.
    package let detail: String?
    /// `replaces the stock flow`; nil where nothing had its name.
    package let replaced: String?
  }

  package let file: PluginFile
  /// As the plugin calls itself; the file's name where it does not say, or could not be loaded.
  package internal(set) var name: String
  package internal(set) var version: String?
  /// What its header says it needs.
  package internal(set) var needs: [ScriptHeader.Need] = []
  package internal(set) var parts: [Part] = []
  /// Whether it is used; one in the folder at hand is if a person trusts it.
  package internal(set) var isTrusted = true
  /// Why it could not be loaded, or not be used.
  package internal(set) var problem: LuaError?

  /// The file of the plugin that is used in its place, since it has the same name.
  package internal(set) var replacedBy: String?

  init(_ file: PluginFile) {
    self.file = file
    name = file.name.displayable
  }

  /// How messages about more than one tell them apart: `todoist (plugins/todoist.lua)`.
  var label: String { "\(name) (\(file.shown))" }
}
