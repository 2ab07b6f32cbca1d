import Core
import JSON

/// A name that no setting has, and so nearly one of them that it must be misspelled.
struct SettingsSlip {
  let name: String
  let meant: String
  let place: SettingsPlace

  init?(_ name: String, at place: SettingsPlace) {
    guard SettingsKey(name: name) == nil, let nearest = nearestName(to: name, in: SettingsKey.names) else { return nil }
    self.name = name
    meant = nearest
    self.place = place
  }

  /// A policy may go by any name, so that only the letter case can be wrong.
  init?(policy name: String, at place: SettingsPlace) {
    guard let role = Settings.roles.first(where: { $0 != name && $0.lowercased() == name.lowercased() }) else {
      return nil
    }
    self.name = "policies.\(name)"
    meant = "policies.\(role)"
    self.place = place
  }

  var error: SettingsError {
    SettingsError(.unknownKey, at: place, key: name, "there is no setting \"\(name)\"; did you mean \"\(meant)\"?")
  }
}

extension Settings {
  /// The misspelled names, in the order of the file. They are no error: other programs or scripts may read them.
  package var misspelled: [SettingsError] { slips.map(\.error) }

  /// The other names that are no settings, for scripts alone, sorted.
  package var others: [String] {
    entries.keys.filter { SettingsKey(name: $0) == nil && SettingsSlip($0, at: SettingsPlace(file: source)) == nil }
      .sorted()
  }

  var slips: [SettingsSlip] {
    var slips = entries.compactMap { SettingsSlip($0.key, at: $0.value.place) }
    if let policies = entries[SettingsKey.policies.rawValue] {
      slips += policies.value.object?.keys.compactMap { SettingsSlip(policy: $0, at: policies.place) } ?? []
    }
    return slips.sorted { ($0.place.line ?? 0, $0.name) < ($1.place.line ?? 0, $1.name) }
  }
}
