import Core

/// Settings that cannot be used: what is wrong, where it stands, and what to put there.
package struct SettingsError: Failure {
  package enum Kind: String, Sendable {
    /// There is no settings file, or not the one that was named.
    case notFound = "settings_not_found"
    case unreadable = "settings_unreadable"
    /// The file is no property list or no JSON.
    case malformed = "settings_malformed"
    /// A value is still what the template had in its place.
    case placeholder = "settings_placeholder"
    case missingKey = "settings_missing_key"
    case invalidValue = "settings_invalid_value"
    case unknownKey = "settings_unknown_key"
  }

  package var kind: Kind
  package var message: String
  package var hint: String?
  /// As it was named or found; nil where no file is concerned.
  package var file: String?
  /// Counted from 1.
  package var line: Int?
  package var key: String?

  package var code: String { kind.rawValue }

  package var details: [String: String] {
    var facts: [String: String] = [:]
    facts["file"] = file
    facts["line"] = line.map(String.init)
    facts["key"] = key
    return facts
  }

  init(_ kind: Kind, at place: SettingsPlace, key: String? = nil, _ reason: String, hint: String? = nil) {
    self.kind = kind
    self.message = "\(place): \(reason)"
    self.hint = hint
    self.file = place.file
    self.line = place.line
    self.key = key
  }

  init(_ kind: Kind, file: String? = nil, _ message: String, hint: String? = nil) {
    self.kind = kind
    self.message = message
    self.hint = hint
    self.file = file
  }
}

struct SettingsPlace: Sendable, CustomStringConvertible {
  /// A file as it was named, or what else the values came from: `--set`, `settings.with`.
  var file: String
  /// Counted from 1; nil where there are no lines.
  var line: Int?

  var description: String { line.map { "\(file):\($0)" } ?? file }
}
