import Core
import Glibc
package import JSON

extension Settings {
  /// Reads settings: from `file`, else `./settings.plist`, else `$XDG_CONFIG_HOME/b2c-run/settings.plist` (by default
  /// `~/.config/b2c-run/settings.plist`), then puts `overrides` over them.
  ///
  /// - Parameters:
  ///   - file: an XML or binary property list, or JSON when its name ends in `.json`; nil to look for one.
  ///   - overrides: `--set` arguments, in their order. `policies.signIn` reaches into a dictionary.
  ///   - environment: looks up environment variables.
  /// - Throws: `settings_not_found` when there is neither a file nor an override.
  package static func load(
    file: String?, overrides: [(String, String)] = [],
    environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }
  ) throws(SettingsError) -> Settings {
    let candidates = file.map { [$0] } ?? defaultFiles(environment)
    var settings = Settings(source: "--set")
    if let path = file ?? candidates.first(where: { access($0, F_OK) == 0 }) {
      settings = try Settings(file: path)
    } else if overrides.isEmpty {
      throw SettingsError(
        .notFound, "there are no settings: looked for \(candidates.joined(separator: " and "))",
        hint: "write one of them, name a file with --settings FILE, or try the local tenant with --local")
    }
    for (name, value) in overrides { try settings.override(name, with: value) }
    return settings
  }

  /// The file that is read when nobody names one, and the current folder has it.
  package static let fileAtHand = "settings.plist"

  /// Settings at hand instead of a file's, with `overrides` put over them.
  package static func load(values: [String: JSON], source: String, overrides: [(String, String)]) throws(SettingsError)
    -> Settings
  {
    var settings = try Settings(values: values, source: source)
    for (name, value) in overrides { try settings.override(name, with: value) }
    return settings
  }

  init(file path: String) throws(SettingsError) {
    let values = try SettingsFile(path: path).values
    self.init(source: path)
    for entry in values {
      // An unknown setting can be wrong in its name only.
      let line = SettingsKey(name: entry.name) == nil ? entry.nameLine ?? entry.line : entry.line
      try set(entry.name, to: entry.value, at: SettingsPlace(file: path, line: line))
    }
  }

  /// One `--set NAME=VALUE`.
  private mutating func override(_ name: String, with text: String) throws(SettingsError) {
    let path = name.split(separator: ".", maxSplits: 1).map(String.init)
    let place = SettingsPlace(file: "--set")
    func invalid(_ reason: String) -> SettingsError { SettingsError(.invalidValue, at: place, key: name, reason) }
    if path.count == 2, SettingsKey(name: name) == nil, entries[name] == nil {
      let key = SettingsKey(name: path[0])
      if let key {
        guard case .strings = key.kind else { throw invalid("\(path[0]) has no parts, so \(name) is no setting") }
        if key == .policies, let slip = SettingsSlip(policy: path[1], at: place) { throw slip.error }
      } else {
        try refuseSlip(path[0], place)
      }
      var members = entries[key?.rawValue ?? path[0]]?.value.object ?? [:]
      members[path[1]] = .string(text)
      try override(path[0], with: .object(members), from: "--set")
    } else if let key = SettingsKey(name: name), case .strings = key.kind {
      guard let value = try? JSON(parsing: text) else {
        throw invalid("\(name) needs a name, as in \(name).NAME=VALUE, or a JSON object")
      }
      try override(name, with: value, from: "--set")
    } else {
      try override(name, with: .string(text), from: "--set")
    }
  }

  private static func defaultFiles(_ environment: (String) -> String?) -> [String] {
    [fileAtHand] + (UserFolder.config.path(environment).map { ["\($0)/settings.plist"] } ?? [])
  }
}
