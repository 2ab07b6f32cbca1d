import Core
package import HostLoop

/// Things of one kind by their names: stock things, and those of plugins. A later thing replaces an earlier one of its name.
@HostActor
package struct Catalog<Value: Sendable> {
  private struct Entry {
    let value: Value
    /// Nil for a stock thing.
    let plugin: Plugin?
  }

  /// The kind in messages: `flow`.
  let kind: String
  /// In the order of addition.
  package private(set) var names: [String] = []
  private var entries: [String: Entry] = [:]

  init(_ kind: String, stock: [(name: String, value: Value)]) {
    self.kind = kind
    for thing in stock { put(thing.name, Entry(value: thing.value, plugin: nil)) }
  }

  /// The thing of that name.
  package subscript(_ name: String) -> Value? { entries[name]?.value }

  /// Adds a thing of a plugin, and notes it in the plugin.
  /// - Parameter detail: more about it, for lists.
  /// - Returns: the plugin whose thing of that name is replaced.
  mutating func add(_ name: String, _ value: Value, of plugin: Plugin, detail: String? = nil) -> Plugin? {
    let before = entries[name]
    put(name, Entry(value: value, plugin: plugin))
    let replaced = before.map { before in
      before.plugin.map { "replaces that of \($0.label)" } ?? "replaces the stock \(kind)"
    }
    let part = Plugin.Part(kind: kind, name: name, detail: detail, replaced: replaced)
    plugin.parts.append(part)
    return before?.plugin
  }

  /// The hint for an unknown name: the nearest name, or else all names, behind `advice`.
  func hint(for name: String, advice: String) -> String {
    nearestName(to: name, in: names).map { "did you mean '\($0)'?" } ?? "\(advice) \(names.joined(separator: ", "))"
  }

  private mutating func put(_ name: String, _ entry: Entry) {
    if entries.updateValue(entry, forKey: name) == nil { names.append(name) }
  }
}
