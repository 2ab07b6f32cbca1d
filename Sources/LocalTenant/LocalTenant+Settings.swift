package import JSON

extension LocalTenant {
  /// The settings of a client of this tenant, by the keys of `settings.plist`: those of the tutorial, in the tutorial's form
  /// of the endpoints, and `authority`, `logoutURL`, `policies`.
  package var settings: [String: JSON] {
    let texts = ClientSettings(url: url).texts
    var settings = Dictionary(uniqueKeysWithValues: texts.map { ($0.key, JSON.string($0.value)) })
    settings["policies"] = .object(
      Dictionary(uniqueKeysWithValues: Contoso.policyRoles.map { ($0.0, JSON.string($0.1)) }))
    return settings
  }

  /// The same as an XML property list, ready to be saved as `settings.plist`.
  package var settingsFile: String { ClientSettings(url: url).file }

  /// The names and passwords of the users that a new directory has.
  package static var seededUsers: [(username: String, email: String, password: String)] {
    Contoso.seeds.map { ($0.username, $0.email ?? "", $0.password) }
  }

  /// The application of clients that keep no secret.
  package static var nativeApplication: TenantApplication { TenantApplication(Contoso.publicApplication) }
  /// The application with a secret.
  package static var webApplication: TenantApplication { TenantApplication(Contoso.confidentialApplication) }
}
