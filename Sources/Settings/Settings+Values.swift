import Core
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
  /// The address of the metadata document, in place of the one that `authority` makes.
  package var givenMetadataURL: String? { text(.metadataURL) }
  /// The address of the document that describes the application to authorization servers, and its client ID there.
  package var clientIDDocument: String? { text(.clientIDDocument) }
  /// The issuer that the metadata document must name, where it is not the one its URL is made of.
  package var issuer: String? { text(.issuer) }
  /// How the client proves to the provider's endpoints who it is, such as `client_secret_post`; nil for what the
  /// provider's metadata document says.
  package var clientAuthentication: String? { text(.clientAuthentication) }
  /// The key that signs client assertions: the absolute path of a file, or `stored:NAME`.
  package var clientKey: String? { text(.clientKey) }
  package var clientCertificate: String? { text(.clientCertificate) }
  package var clientCertificateKey: String? { text(.clientCertificateKey) }
  /// `issuer` or `endpoint`: `aud` of client assertions.
  package var clientAssertionAudience: String { text(.clientAssertionAudience) ?? "issuer" }
  /// The address where the provider sends the browser after the session has ended.
  package var postLogoutRedirectURL: String? { text(.postLogoutRedirectURL) }
  /// The name of the group of programs that share a sign-in.
  package var keychain: String? { text(.keychain) }
  /// How request bodies of the task API are written.
  package var contentType: String { text(.contentType) ?? "application/x-www-form-urlencoded" }
  package var tokenType: String { text(.tokenType) ?? "Bearer" }
  /// The vault of the key that seals the tokens: `automatic`, `secret_service` or `key_file`.
  package var vault: String { text(.vault) ?? "automatic" }
  /// The address of the database with the accounts; nil for the store of this machine. It has no password.
  package var store: String? { text(.store) }
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
  private var isOtherProvider: Bool { (givenMetadataURL ?? authority ?? authURL) != nil && defaultPolicy == nil }

  /// The value of a setting that must be there.
  /// - Throws: `settings_missing_key` with the setting's name, the file and what to put there.
  package func require(_ key: SettingsKey) throws(SettingsError) -> String {
    guard let value = text(key) else { throw missing(key.rawValue, key.meaning) }
    return value
  }

  func missing(_ name: String, _ meaning: String) -> SettingsError {
    let slip = slips.first { $0.meant == name }.map { "\($0.place) has \"\($0.name)\": rename it" }
    let others =
      name == SettingsKey.taskAPI.rawValue
      ? "; the setting service names a task service instead, and --local starts a tenant with an API to try" : ""
    return SettingsError(
      .missingKey, at: SettingsPlace(file: source), key: name, "\(name) is missing; put \(meaning) there",
      hint: slip ?? "add it to the settings, or give --set \(name)=VALUE\(others)")
  }

  func text(_ key: SettingsKey) -> String? { entries[key.rawValue]?.value.string }

  private func strings(_ key: SettingsKey) -> [String: String] {
    entries[key.rawValue]?.value.object?.compactMapValues(\.string) ?? [:]
  }

  /// The names a policy goes by in `policies`.
  static let roles = ["signIn", "signUp", "reset", "edit", "ropc", "mfa"]

  /// The policy meant by a name: an entry of `policies` (`reset`), else the policy itself (`b2c_1_reset`); for nil that
  /// of `policies.signIn`, else of the settings' URLs. Nil where the provider has no policies.
  /// - Throws: `settings_missing_key` when the name is one of `policies` that has no entry.
  package func policy(_ name: String? = nil) throws(SettingsError) -> String? {
    if isExternalID {
      try refusePolicies(name)
      return nil
    }
    guard let name, !name.isEmpty else { return defaultPolicy }
    if let configured = policies[name] { return configured }
    if Self.roles.contains(name) {
      throw missing("policies.\(name)", "the name of your tenant's policy for it (b2c_1_…)")
    }
    // B2C's policies have a prefix: what has none, and is nearly a name of the settings, is misspelled.
    if !PolicyURL.isPolicy(name), let meant = meantPolicy(name) {
      throw SettingsError(
        .invalidValue, file: source, "there is no policy \"\(name)\" in the settings",
        hint: "did you mean \"\(meant)\"?")
    }
    return name
  }

  /// The policy of the settings, or its name there, that was meant by one that is not among them; nil where none is near.
  package func meantPolicy(_ name: String) -> String? {
    let known = policies.keys.sorted() + policies.values.sorted() + [defaultPolicy].compactMap(\.self)
    // The provider does not mind the letter case of a policy.
    let isConfigured = known.contains(name) || policies.values.contains { $0.lowercased() == name.lowercased() }
    guard !isConfigured else { return nil }
    return nearestName(to: name, in: known)
  }

  /// Advice about a policy that the provider does not know: the policy that may be meant, and the place of the name.
  package func advice(aboutPolicy name: String) -> String {
    func isName(_ other: String) -> Bool { other.lowercased() == name.lowercased() }
    let role = policies.sorted { $0.key < $1.key }.first { isName($0.value) }?.key
    let url = [SettingsKey.authURL, .authority].first { key in
      text(key)?.split { "/=&".contains($0) }.contains { isName(String($0)) } == true
    }
    let place = (role.map { "policies.\($0)" } ?? url?.rawValue).map { "\($0) in \(source)" } ?? "the option policy"
    let others = policies.filter { !isName($0.value) }.sorted { $0.key < $1.key }
    let meant = nearestName(to: name, in: others.map(\.value)).map { "did you mean \"\($0)\"? " } ?? ""
    let list = others.map { "\($0.value) (\($0.key))" }.joined(separator: ", ")
    let known = !meant.isEmpty || list.isEmpty ? "" : "; the settings also have \(list)"
    return "\(meant)the name is from \(place)\(known)"
  }

  /// The policy that a URL of Azure AD B2C names; nil for one that names none.
  package static func policy(ofURL url: String) -> String? { PolicyURL(url)?.policy }

  var defaultPolicy: String? {
    if isExternalID { return nil }
    if let policy = policies["signIn"] { return policy }
    if let policy = authURL.flatMap(PolicyURL.init)?.policy { return policy }
    return authority?.split(separator: "/").map(String.init).last(where: PolicyURL.isPolicy)
  }

  /// The authorize endpoint for a policy, from `authURL`; nil when that is not set, and the metadata document tells.
  package func authorizationEndpoint(policy: String?) -> String? { endpoint(authURL, policy) }

  /// The token endpoint for a policy, from `tokenURL`.
  package func tokenEndpoint(policy: String?) -> String? { endpoint(tokenURL, policy) }

  /// The logout endpoint for a policy, from `logoutURL`.
  package func logoutEndpoint(policy: String?) -> String? { endpoint(logoutURL, policy) }

  /// The address of the metadata document of a policy; nil when no setting tells.
  ///
  /// `metadataURL` is that address. From `authority`, with the policy put in place of the one it ends in, if any:
  /// - a metadata URL itself: that one;
  /// - a tenant (`https://contoso.b2clogin.com/contoso.onmicrosoft.com`) and a policy:
  ///   `AUTHORITY/POLICY/v2.0/.well-known/openid-configuration`;
  /// - a tenant of Microsoft Entra ID or External ID (`https://contoso.ciamlogin.com/contoso.onmicrosoft.com`):
  ///   `AUTHORITY/v2.0/.well-known/openid-configuration`;
  /// - an issuer without policies: `AUTHORITY/.well-known/openid-configuration`.
  ///
  /// A tenant of External ID may be left out of the authority if the host names it: `https://contoso.ciamlogin.com`.
  ///
  /// From `authURL`: `…/POLICY/oauth2/v2.0/authorize` becomes `…/POLICY/v2.0/.well-known/openid-configuration`, and `?p=` stays.
  package func metadataURL(policy: String?) -> String? {
    if let givenMetadataURL { return givenMetadataURL }
    if isExternalID { return externalIDAddress("v2.0/.well-known/openid-configuration") }
    if let authority { return PolicyURL(authority)?.metadata(policy: policy ?? defaultPolicy) }
    return authorizationEndpoint(policy: policy).flatMap(PolicyURL.init)?.metadata
  }

  private func endpoint(_ url: String?, _ policy: String?) -> String? {
    guard let url, let policy = policy ?? defaultPolicy else { return url }
    return PolicyURL(url)?.with(policy: policy).text ?? url
  }
}
