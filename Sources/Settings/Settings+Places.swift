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
      let shown = names.map { "\($0) (\(place(of: $0)))" }
      let last = shown.last.map { shown.count > 1 ? " and \($0)" : $0 } ?? ""
      return shown.dropLast().joined(separator: ", ") + last
    }
  }

  private func isName(_ name: String) -> Bool {
    SettingsKey(name: name) != nil || name == "clientSecret" || entries[name] != nil
  }

  private func place(of name: String) -> String {
    if name == "clientSecret" { return clientSecret == nil ? "not set" : source }
    return entries[SettingsKey(name: name)?.rawValue ?? name]?.place.description ?? "not set in \(source)"
  }
}
