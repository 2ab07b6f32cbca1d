import Settings

extension ManualPage {
  /// The page of the file with the settings, made of the keys that the program knows.
  package static func settings(_ release: Release) -> ManualPage {
    var page = ManualPage("b2c-run-settings", section: 5, "the settings of b2c-run", release)
    page.begin("DESCRIPTION")
    if let concept = Concept.all.first(where: { $0.name == "settings" }) { page.add(concept) }
    page.addBreak()
    page.add("A file is a property list, or JSON if its name ends in .json.")
    page.begin("KEYS")
    for key in SettingsKey.allCases.sorted(by: { $0.rawValue < $1.rawValue }) {
      let names = SettingsKey.names.filter { SettingsKey(name: $0) == key }
      page.item(
        names.joined(separator: ", "),
        [
          key.sentence, key.kind.form.map { "The value is \($0)." },
          key.hasDefault ? "The key has a default value." : nil,
        ]
        .compactMap(\.self).joined(separator: " "))
    }
    page.begin("EXAMPLES")
    page.add("Settings for a tenant, in the file contoso.json:")
    page.add(
      code: """
        {
         "authority": "https://contoso.b2clogin.com/contoso.onmicrosoft.com",
         "policies": { "signIn": "b2c_1_signin" },
         "clientID": "00000000-0000-0000-0000-000000000000",
         "redirectURL": "http://localhost/signed-in",
         "taskAPI": "https://tasks.example.com"
        }
        """)
    page.addBreak()
    page.add("A check of these settings, with corrections:")
    page.add(code: "b2c-run --settings contoso.json doctor")
    page.begin("FILES")
    page.item("settings.plist", "the settings of the current folder")
    page.item(
      "~/.config/b2c-run/settings.plist", "the settings of the user, unless XDG_CONFIG_HOME names another folder")
    page.seeAlso([("b2c-run", 1), ("b2c-run-doctor", 1)])
    return page
  }
}

extension SettingsKey.Kind {
  /// The form of a value that is more than a text.
  fileprivate var form: String? {
    switch self {
    case .words: "a list of texts"
    case .strings, .services: "a dictionary"
    case .text, .secret, .endpoint, .redirect, .path, .key, .mediaType, .choice, .database: nil
    }
  }
}
