import JSON

extension Settings {
  /// The application's ID; missing is an error.
  package var clientID: String { get throws(SettingsError) { try require(.clientID) } }
  /// The redirect URI (`bhh` or `redirectURL`); missing is an error.
  package var redirectURL: String { get throws(SettingsError) { try require(.redirectURL) } }
  /// The task API's base URL, without a slash at its end; missing is an error.
  package var taskAPI: String {
    get throws(SettingsError) {
      var url = try require(.taskAPI)
      while url.hasSuffix("/") { url.removeLast() }
      return url
    }
  }

  package var accountIdentifier: String? { text(.accountIdentifier) }
  /// The authorize endpoint as it was set; see `authorizationEndpoint(policy:)`.
  package var authURL: String? { text(.authURL) }
  /// The token endpoint as it was set; see `tokenEndpoint(policy:)`.
  package var tokenURL: String? { text(.tokenURL) }
  /// The page where users sign in, by which a browser tells it from other pages.
  package var loginURL: String? { text(.loginURL) }
  /// The logout endpoint as it was set; see `logoutEndpoint(policy:)`.
  package var logoutURL: String? { text(.logoutURL) }
  /// The tenant or issuer whose metadata document names the endpoints.
  package var authority: String? { text(.authority) }
  /// The issuer that the metadata document must name, where it is not the one its URL is made of.
  package var issuer: String? { text(.issuer) }
  /// How the client proves to the provider's endpoints who it is: `none`, `client_secret_basic` or `client_secret_post`;
  /// nil for what the provider's metadata document says.
  package var clientAuthentication: String? { text(.clientAuthentication) }
  /// The address where the provider sends the browser after the session has ended.
  package var postLogoutRedirectURL: String? { text(.postLogoutRedirectURL) }
  /// The name of the group of programs that share a sign-in.
  package var keychain: String? { text(.keychain) }
  /// How request bodies of the task API are written.
  package var contentType: String { text(.contentType) ?? "application/x-www-form-urlencoded" }
  package var tokenType: String { text(.tokenType) ?? "Bearer" }
  /// The vault of the key that seals the tokens: `automatic`, `secret_service` or `key_file`.
  package var vault: String { text(.vault) ?? "automatic" }
  /// Starts with a slash.
  package var tasksPath: String { text(.tasksPath) ?? "/api/tasks" }
  /// Policy names by what they are for: `signIn`, `signUp`, `reset`, `edit`, `ropc`, `mfa`.
  package var policies: [String: String] { strings(.policies) }
  /// Header fields added to every request to the token endpoint and the task API.
  package var customHeaders: [String: String] { strings(.customHeaders) }
  /// Parameters added to every authorization request.
  package var additionalParameters: [String: String] { strings(.additionalParameters) }

  /// The scopes to ask for: as set, else `openid`, the client ID (at B2C a token for the application itself; other providers
  /// know no such scope) and `offline_access` (a refresh token).
  package var scopes: [String] {
    if let words = entries[SettingsKey.scopes.rawValue]?.value.array { return words.compactMap(\.string) }
    return ["openid"] + (isOtherProvider ? [] : text(.clientID).map { [$0] } ?? []) + ["offline_access"]
  }

  /// True if the provider is known, and is not B2C, whose every URL has a policy.
  private var isOtherProvider: Bool { (authority ?? authURL) != nil && defaultPolicy == nil }

  /// The value of a setting that must be there.
  /// - Throws: `settings_missing_key` with the setting's name, the file and what to put there.
  package func require(_ key: SettingsKey) throws(SettingsError) -> String {
    guard let value = text(key) else { throw missing(key.rawValue, key.meaning) }
    return value
  }

  func missing(_ name: String, _ meaning: String) -> SettingsError {
    let slip = slips.first { $0.meant == name }.map { "\($0.place) has \"\($0.name)\": rename it" }
    return SettingsError(
      .missingKey, at: SettingsPlace(file: source), key: name, "\(name) is missing; put \(meaning) there",
      hint: slip ?? "add it to the settings, or give --set \(name)=VALUE")
  }

  func text(_ key: SettingsKey) -> String? { entries[key.rawValue]?.value.string }

  private func strings(_ key: SettingsKey) -> [String: String] {
    entries[key.rawValue]?.value.object?.compactMapValues(\.string) ?? [:]
  }
}
