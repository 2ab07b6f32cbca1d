package import JSON

extension LocalTenant {
  /// The settings of a client of this tenant, with the keys of `settings.plist`: the tutorial's keys, with endpoints in
  /// the tutorial's form, and also `authority`, `logoutURL` and `policies`.
  package var settings: [String: JSON] {
    let texts = ClientSettings(url: url).texts
    var settings = Dictionary(uniqueKeysWithValues: texts.map { ($0.key, JSON.string($0.value)) })
    settings["policies"] = .object(
      Dictionary(uniqueKeysWithValues: Contoso.policyRoles.map { ($0.0, JSON.string($0.1)) }))
    return settings
  }

  /// The settings as an XML property list, ready to be saved as `settings.plist`.
  package var settingsFile: String { ClientSettings(url: url).file }

  /// The names and passwords of the users of a new directory.
  package static var seededUsers: [(username: String, email: String, password: String)] {
    Contoso.seeds.map { ($0.username, $0.email ?? "", $0.password) }
  }

  /// The public client, which has no secret.
  package static var nativeApplication: TenantApplication { TenantApplication(Contoso.publicApplication) }
  /// The confidential client, which has a secret.
  package static var webApplication: TenantApplication { TenantApplication(Contoso.confidentialApplication) }
}
