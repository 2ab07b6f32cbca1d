import Core
import JSON

extension Settings {
  /// Sets what a file says. Names this program does not know are kept for scripts.
  mutating func set(_ name: String, to value: JSON, at place: SettingsPlace) throws(SettingsError) {
    guard let key = SettingsKey(name: name) else {
      entries[name] = Entry(value: value, place: place)
      return
    }
    if let earlier = entries[key.rawValue], earlier.place.file == place.file {
      throw SettingsError(
        .invalidValue, at: place, key: name, "\(key.rawValue) is set twice, the first time at \(earlier.place)",
        hint: name == "bhh" ? "bhh and redirectURL are two names of one setting" : nil)
    }
    try assign(key, name, value, place)
  }

  /// Sets over what a file says. A name that is new and near to a known one is taken for a slip.
  /// - Parameter isGiven: true if a script sets it, whose client secret is no secret of the host's.
  mutating func override(
    _ name: String, with value: JSON, from origin: String, isGiven: Bool = false
  ) throws(SettingsError) {
    let place = SettingsPlace(file: origin)
    if let key = SettingsKey(name: name) {
      try assign(key, name, value, place, isGiven: isGiven)
    } else if value == .null {
      entries[name] = nil
    } else {
      try refuseSlip(name, place)
      entries[name] = Entry(value: value, place: place)
    }
  }

  func refuseSlip(_ name: String, _ place: SettingsPlace) throws(SettingsError) {
    if entries[name] == nil, let slip = SettingsSlip(name, at: place) { throw slip.error }
  }

  private mutating func assign(
    _ key: SettingsKey, _ name: String, _ value: JSON, _ place: SettingsPlace, isGiven: Bool = false
  ) throws(SettingsError) {
    if key == .clientSecret {
      clientSecret = try SettingsCheck(key: key, name: name, place: place).text(value).map {
        isGiven ? Secret(given: $0) : Secret($0)
      }
    } else if let checked = try SettingsCheck(key: key, name: name, place: place).value(value) {
      entries[key.rawValue] = Entry(value: checked, place: place)
    } else {
      entries[key.rawValue] = nil
    }
  }
}
