package import Core
package import JSON

/// The settings of a sign-in and its provider: the contents of `settings.plist`, checked, with defaults.
package struct Settings: Sendable {
  struct Entry: Sendable {
    var value: JSON
    var place: SettingsPlace
  }

  /// The source of the settings, for messages: `settings.plist`.
  package let source: String
  /// Sent to the token endpoint by confidential clients; nil for public ones, also when the setting is empty.
  package internal(set) var clientSecret: Secret?
  /// By canonical name; the client secret is not among them.
  var entries: [String: Entry] = [:]

  /// - Parameters:
  ///   - values: settings by name; `null` and empty strings count as absent.
  ///   - source: what to call them in messages.
  package init(values: [String: JSON], source: String) throws(SettingsError) {
    self.source = source
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      try set(name, to: value, at: SettingsPlace(file: source))
    }
  }

  init(source: String) { self.source = source }

  /// A setting's value or default, known or unknown to this program; nil when there is none.
  ///
  /// Never the client secret, which is a `Secret`.
  package subscript(_ name: String) -> JSON? {
    guard let key = SettingsKey(name: name) else { return entries[name]?.value }
    switch key {
    case .clientSecret: return nil
    case .scopes: return .array(scopes.map(JSON.string))
    case .tasksPath: return .string(tasksPath)
    case .contentType: return .string(contentType)
    case .tokenType: return .string(tokenType)
    default: return entries[key.rawValue]?.value
    }
  }

  /// The names under which there is a value, sorted, the client secret's included.
  package var names: [String] {
    let known = SettingsKey.allCases.map(\.rawValue).filter { self[$0] != nil }
    return Set(known).union(entries.keys).union(clientSecret == nil ? [] : ["clientSecret"]).sorted()
  }

  /// A copy with changes, for an experiment: `null` takes a setting away.
  /// - Throws: `settings_unknown_key` for a name that is new here and looks like a misspelled one.
  package func with(_ changes: [String: JSON]) throws(SettingsError) -> Settings {
    var changed = self
    for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
      try changed.override(name, with: value, from: "settings.with", isGiven: true)
    }
    return changed
  }
}
