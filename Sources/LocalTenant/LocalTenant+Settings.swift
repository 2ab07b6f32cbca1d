package import JOSE

extension LocalTenant {
  /// The settings of a client of this tenant, by the keys of `settings.plist`: those of the tutorial, in the tutorial's form
  /// of the endpoints, and `authority`, `logoutURL`, `policies`.
  package var settings: [String: JSON] {
    var settings = Dictionary(uniqueKeysWithValues: orderedSettings.map { ($0.key, JSON.string($0.value)) })
    settings["policies"] = .object(
      Dictionary(uniqueKeysWithValues: Contoso.policyRoles.map { ($0.0, JSON.string($0.1)) }))
    return settings
  }

  /// The same as an XML property list, ready to be saved as `settings.plist`.
  package var settingsFile: String {
    let policies = Contoso.policyRoles.map(Self.entry).joined(separator: "\n").replacing("\n", with: "\n  ")
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \(orderedSettings.map(Self.entry).joined(separator: "\n"))
        <key>policies</key>
        <dict>
        \(policies)
        </dict>
      </dict>
      </plist>

      """
  }

  /// The names and passwords of the users that a new directory has.
  package static var seededUsers: [(username: String, email: String, password: String)] {
    Contoso.seeds.map { ($0.username, $0.email ?? "", $0.password) }
  }

  /// The application of clients that keep no secret.
  package static var nativeApplication: TenantApplication { TenantApplication(Contoso.publicApplication) }
  /// The application with a secret.
  package static var webApplication: TenantApplication { TenantApplication(Contoso.confidentialApplication) }

  private static func entry(_ key: String, _ value: String) -> String {
    "  <key>\(key)</key>\n  <string>\(Page.escape(value))</string>"
  }

  private var orderedSettings: [(key: String, value: String)] {
    let old = "\(url)/\(Contoso.domain)/oauth2/v2.0"
    let policy = Contoso.policies[0].name
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
