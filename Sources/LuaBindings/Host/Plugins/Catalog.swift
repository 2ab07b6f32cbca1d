import Core
package import HostLoop

/// Things of one kind by their names: the stock ones, and those of plugins, each of which takes the place of an earlier
/// one of its name.
@HostActor
package struct Catalog<Value: Sendable> {
  private struct Entry {
    let value: Value
    /// Nil for a stock one.
    let plugin: Plugin?
  }

  /// What messages call one of them: `flow`.
  let kind: String
  /// In the order they came.
  package private(set) var names: [String] = []
  private var entries: [String: Entry] = [:]

  init(_ kind: String, stock: [(name: String, value: Value)]) {
    self.kind = kind
    for thing in stock { put(thing.name, Entry(value: thing.value, plugin: nil)) }
  }

  /// What goes by that name now.
  package subscript(_ name: String) -> Value? { entries[name]?.value }

  /// Adds what a plugin has, and notes that in the plugin.
  /// - Parameter detail: what there is to say of it in lists.
  /// - Returns: the plugin whose own takes no effect any more.
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

  /// For a name that is none of these: the nearest one, else all there are, behind `advice`.
  func hint(for name: String, advice: String) -> String {
    nearestName(to: name, in: names).map { "did you mean '\($0)'?" } ?? "\(advice) \(names.joined(separator: ", "))"
  }

  private mutating func put(_ name: String, _ entry: Entry) {
    if entries.updateValue(entry, forKey: name) == nil { names.append(name) }
  }
}
