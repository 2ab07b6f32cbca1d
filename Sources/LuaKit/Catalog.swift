package import Automation
import Core
package import HostLoop
package import Lua
package import Permissions

/// Things of one kind by their names: stock things, and those of plugins. A later thing replaces an earlier one of its name.
@HostActor
package struct Catalog<Value: Sendable> {
  /// The kind in messages: `flow`.
  package let kind: String
  /// In the order of addition.
  package private(set) var names: [String] = []
  /// A stock thing has no plugin.
  private var entries: [String: (value: Value, plugin: Plugin?)] = [:]

  package init(_ kind: String, stock: [(name: String, value: Value)]) {
    self.kind = kind
    for thing in stock { put(thing.name, thing.value, of: nil) }
  }

  /// The thing of that name.
  package subscript(_ name: String) -> Value? { entries[name]?.value }

  /// Adds a thing of a plugin, and notes it in the plugin. Returns the plugin whose thing of that name is replaced.
  package mutating func add(_ name: String, _ value: Value, of plugin: Plugin, detail: String? = nil) -> Plugin? {
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
  package func plugin(of name: String) -> Plugin? { entries[name]?.plugin }

  /// Adds a thing of the script.
  package mutating func define(_ name: String, _ value: Value) { put(name, value, of: nil) }

  /// The hint for an unknown name: the nearest name, or else all names, behind `advice`.
  package func hint(for name: String, advice: String) -> String {
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

    package init(kind: String, name: String, detail: String?, replaced: String?) {
      self.kind = kind
      self.name = name
      self.detail = detail
      self.replaced = replaced
    }
  }

  package let file: PluginFile
  /// The name that the plugin gives itself, or else the name of the file.
  package var name: String
  package var version: String?
  /// The permissions that its header names.
  package var needs: [ScriptHeader.Need] = []
  package var parts: [Part] = []
  /// True if the plugin is used. A plugin in the current folder is used if a person trusts it.
  package var isTrusted = true
  /// The reason why it could not be loaded or used.
  package var problem: LuaError?
  /// The file of the plugin of the same name that is used in its place.
  package var replacedBy: String?

  package init(_ file: PluginFile) {
    self.file = file
    name = file.name.displayable
  }

  package var label: String { "\(name) (\(file.shown))" }
}
