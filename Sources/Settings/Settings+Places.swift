extension Settings {
  /// The words of hints in whose place the places of settings come.
  package static let placeWords = "in the settings"

  /// A hint about settings with the places that they come from. The parts of the program that give hints know the names of
  /// settings, and not their files: `check scopes in the settings` becomes `check scopes (settings.plist:4)`.
  package func located(_ hint: String) -> String {
    hint.replacing(#/((?:[A-Za-z]+(?:, | and ))*[A-Za-z]+) in the settings/#) { match in
      let names = match.1.replacing(" and ", with: ", ").split(separator: ", ").map(String.init)
      // Such as: the address in the settings.
      guard names.allSatisfy(isName) else { return "\(match.1) in \(source)" }
      let placed = names.compactMap { name in place(of: name).map { "\(name) (\($0))" } }
      return placed.isEmpty ? "\(match.1), which \(source) does not set" : Self.list(placed)
    }
  }

  private func isName(_ name: String) -> Bool {
    SettingsKey(name: name) != nil || entries[name] != nil
  }

  /// Nil for a setting that is not set.
  private func place(of name: String) -> String? {
    if name == SettingsKey.clientSecret.rawValue { return clientSecret == nil ? nil : source }
    return entries[SettingsKey(name: name)?.rawValue ?? name]?.place.description
  }

  private static func list(_ parts: [String]) -> String {
    let last = parts.last.map { parts.count > 1 ? " and \($0)" : $0 } ?? ""
    return parts.dropLast().joined(separator: ", ") + last
  }
}
