extension LocalTenant {
  /// The settings of a client of this tenant, by the keys of `settings.plist`: those of the tutorial, in the tutorial's form
  /// of the endpoints, and `authority`, `logoutURL`.
  package var settings: [String: String] {
    Dictionary(uniqueKeysWithValues: orderedSettings.map { ($0.key, $0.value) })
  }

  /// The same as an XML property list, ready to be saved as `settings.plist`.
  package var settingsFile: String {
    let entries = orderedSettings.map { "  <key>\($0.key)</key>\n  <string>\(Page.escape($0.value))</string>" }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \(entries.joined(separator: "\n"))
      </dict>
      </plist>

      """
  }

  /// The names and passwords of the users that a new directory has.
  package static var seededUsers: [(username: String, email: String, password: String)] {
    Contoso.seeds.map { ($0.username, $0.email ?? "", $0.password) }
  }

  /// The application with a secret, for clients that keep one.
  package static var confidentialClient: (id: String, secret: String) {
    (Contoso.confidentialApplication.id, Contoso.confidentialApplication.secret ?? "")
  }

  private var orderedSettings: [(key: String, value: String)] {
    let old = "\(url)/\(Contoso.domain)/oauth2/v2.0"
    let policy = Contoso.signInPolicy
    return [
      ("accountIdentifier", "B2C_Local_Tasks"),
      ("clientID", Contoso.publicApplication.id),
      ("clientSecret", ""),
      ("authURL", "\(old)/authorize?p=\(policy)"),
      ("loginURL", "\(url)/\(Contoso.domain)/\(policy)/login"),
      ("bhh", "urn:ietf:wg:oauth:2.0:oob"),
      ("tokenURL", "\(old)/token?p=\(policy)"),
      ("keychain", "com.onmicrosoft.contoso.tasks"),
      ("contentType", "application/x-www-form-urlencoded"),
      ("taskAPI", url),
      ("authority", "\(url)/\(Contoso.domain)/\(policy)"),
      ("logoutURL", "\(old)/logout?p=\(policy)"),
    ]
  }
}
