import Core
package import JSON

extension Settings {
  /// All values, the client secret too, for a place that seals them.
  package var kept: JSON {
    var values: [String: JSON] = [:]
    for name in names { values[name] = self[name] }
    values[SettingsKey.clientSecret.rawValue] = clientSecret.map { .string($0.reveal()) }
    return .object(values)
  }

  /// The settings of a recorded run; null for a run without any.
  package init(kept: JSON) throws(SettingsError) {
    guard let values = kept.object else {
      throw SettingsError(.notFound, "the recorded run had no settings", hint: "record it again with settings")
    }
    try self.init(values: values, source: "the settings of the trace")
  }
}
