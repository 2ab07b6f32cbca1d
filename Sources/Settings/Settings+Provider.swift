package import Core
package import JSON

extension Settings {
  /// The settings that say where somebody signed in, and as which application: kept with an account, so that it stays
  /// that provider's account whatever the settings of a later run say.
  ///
  /// No secret is among them, and no header fields, which may hold some.
  package var provider: JSON {
    .object(
      Dictionary(
        uniqueKeysWithValues: Self.providerKeys.compactMap { key in
          entries[key.rawValue].map { (key.rawValue, $0.value) }
        }))
  }

  /// The settings a provider's description stands for.
  /// - Parameter provider: what `provider` gave.
  package init(provider: JSON, clientSecret: Secret?, source: String) throws(SettingsError) {
    try self.init(values: provider.object ?? [:], source: source)
    self.clientSecret = clientSecret
  }

  /// True if these settings lead to that provider, as the same application.
  package func leads(to provider: JSON) -> Bool {
    // The metadata document is where the authority says, or else authURL.
    let keys = Self.identifyingKeys + (entries[SettingsKey.authority.rawValue] == nil ? [.authURL] : [])
    return keys.allSatisfy { entries[$0.rawValue]?.value == provider[$0.rawValue] }
  }

  /// The addresses to connect to that were read from this file, by the names of their settings.
  package func endpoints(setIn file: String) -> [(name: String, url: String)] {
    SettingsKey.endpoints.compactMap { key in
      guard let entry = entries[key.rawValue], entry.place.file == file, let url = entry.value.string else {
        return nil
      }
      return (key.rawValue, url)
    }
  }

  private static let identifyingKeys: [SettingsKey] = [.clientID, .tokenURL, .authority, .issuer]

  private static let providerKeys =
    identifyingKeys + [
      .authURL, .logoutURL, .loginURL, .redirectURL, .policies, .additionalParameters, .tokenType, .taskAPI,
      .clientAuthentication, .postLogoutRedirectURL,
    ]
}
